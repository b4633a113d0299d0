# SPDX-License-Identifier: Apache-2.0
"""What every program that works with the lab has in common: how it ends, and refuses arguments."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable

from lab.errors import CheckFailed, LabError


class OneLineParser(argparse.ArgumentParser):
    def error(self, message: str):
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def exit_code(work: Callable[[], int]) -> int:
    """Of WORK, which cleans up also when it is told to end: its own; 1 for a fault of the lab, in one
    line; 130 when interrupted."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        return work()
    except (LabError, CheckFailed) as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lab: interrupted", file=sys.stderr)
        return 130
