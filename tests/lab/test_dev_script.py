# SPDX-License-Identifier: Apache-2.0
"""`./dev` itself: help, bad arguments, and that it counts tests rightly. Builds nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

_DEV = Path(__file__).resolve().parents[2] / "dev"
_COMMANDS = ("deps", "build", "lab", "test", "bench", "lint", "format")


def _dev(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(_DEV), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )


def test_help_names_every_command() -> None:
    done = _dev("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for command in _COMMANDS:
        assert f"\n  {command} " in done.stdout


@pytest.mark.parametrize("command", _COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = _dev(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"./dev {command}" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("sideways",),
        ("build", "fast"),
        ("build", "release", "again"),
        ("deps", "now"),
        ("test", "--slow"),
        ("test", "one", "two"),
        ("lab", "--nodes", "none"),
        ("lint", "--hard"),
        ("format", "all"),
    ],
    ids=" ".join,
)
def test_bad_arguments_exit_with_2_and_one_line(words: tuple[str, ...]) -> None:
    done = _dev(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_no_command_shows_usage_and_exits_with_2() -> None:
    done = _dev()
    assert done.returncode == 2
    assert "usage: ./dev" in done.stderr
