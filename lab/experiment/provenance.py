# SPDX-License-Identifier: Apache-2.0
"""Of which programs, on which machine: what a row says so that its run can be repeated."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from lab.commands import program
from lab.experiment.faults import ExperimentFault
from lab.machine import describe

_CHECKOUT = Path(__file__).resolve().parents[2]
_DIGITS = 16


def _said(command: list[str]) -> str | None:
    """First line of what COMMAND prints; none if it does not work."""
    try:
        done = subprocess.run(
            command, cwd=_CHECKOUT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _digest(names: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for name in names:
        path = program(name)
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise ExperimentFault(f"{path} is not built: ./dev build") from error
    return digest.hexdigest()[:_DIGITS]


def version() -> dict[str, object]:
    """COMMIT is the checkout's, with CHANGED if files differ from it; none outside of git."""
    changes = _said(["git", "status", "--porcelain", "--untracked-files=no"])
    return {
        "version": _said([str(program("rackway")), "--version"]),
        "commit": _said(["git", "rev-parse", "HEAD"]),
        "changed": None if changes is None else changes != "",
    }


def of_backend(names: tuple[str, ...]) -> dict[str, object]:
    """What outcomes of these programs are told apart by: their digest, first of all."""
    return {"digest": _digest(names), "programs": list(names), **version(), "machine": describe()}
