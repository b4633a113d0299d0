# SPDX-License-Identifier: Apache-2.0
"""Running other programs, bounded in time, with errors that carry what the program said."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from lab.errors import LabError

DEFAULT_TIMEOUT = 30.0  # seconds


def run(
    command: list[str], stdin: str | None = None, timeout: float = DEFAULT_TIMEOUT
) -> subprocess.CompletedProcess[str]:
    """Runs COMMAND to its end and returns its output and exit code, whatever the code is."""
    feed = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, **feed)
    except FileNotFoundError as error:
        raise LabError(f"{command[0]} is not installed; run ./dev deps") from error
    except subprocess.TimeoutExpired as error:
        raise LabError(f"no end after {timeout:g} s: {' '.join(command)}") from error


def must(command: list[str], stdin: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> str:
    """Runs COMMAND, which has to succeed, and returns its standard output."""
    done = run(command, stdin, timeout)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
        raise LabError(f"{' '.join(command)}: {said}")
    return done.stdout


def in_namespace(namespace: str, command: list[str]) -> list[str]:
    """The command that runs COMMAND in NAMESPACE; `ip` execs it, so the process id stays."""
    return ["ip", "netns", "exec", namespace, *command]


def program(name: str) -> Path:
    """One of the product's programs, from RACKWAY_BUILD_DIR (default: build/ in the checkout)."""
    checkout = Path(__file__).resolve().parent.parent
    return Path(os.environ.get("RACKWAY_BUILD_DIR") or checkout / "build").resolve() / "bin" / name
