# SPDX-License-Identifier: Apache-2.0
"""What the tests of `rackway experiment` share: a fake build, a file, and the command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT))

from fake_rackway import FakeBuild  # noqa: E402


def description(**changes) -> dict:
    """A small experiment; None takes a key away."""
    whole = {
        "name": "small",
        "title": "A small one",
        "about": "For tests.",
        "runs": [{"backend": "sim", "load": [0.5, 1], "seed": [1, 2]}],
        "plots": [{"title": "Goodput", "x": "load", "y": "goodput_percent"}],
    } | changes
    return {name: value for name, value in whole.items() if value is not None}


class Bench:
    """`rackway experiment` in a folder of its own, with the fake build."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.build = FakeBuild(folder / "build")
        self.file = folder / "small.json"
        self.environment = os.environ | {
            "RACKWAY_BUILD_DIR": str(self.build.folder),
            "PYTHONPATH": str(CHECKOUT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def write(self, **changes) -> None:
        self.file.write_text(json.dumps(description(**changes)))

    def runs_with_seeds(self, *seeds: int) -> None:
        self.write(runs=[{"backend": "sim", "seed": list(seeds)}])

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "lab.experiment", *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # In the background of a script it would be ignored, and so it would be by us.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def call(self, *words: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        process = self.start(*words)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def run(self, *words: str) -> tuple[int, str, str]:
        return self.call("small.json", "--no-page", *words)

    @property
    def rows_file(self) -> Path:
        return self.folder / "experiments" / "small" / "rows.jsonl"

    def rows(self) -> list[dict]:
        return [json.loads(line) for line in self.rows_file.read_text().splitlines()]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    found = Bench(tmp_path)
    found.write()
    return found
