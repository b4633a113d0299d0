# SPDX-License-Identifier: Apache-2.0
"""Waiting for something to become true, never longer than said."""

from __future__ import annotations

import time
from collections.abc import Callable

from lab.errors import LabError


def wait_until(
    what: str, obstacle: Callable[[], str | None], seconds: float, interval: float = 0.2
) -> float:
    """Polls until OBSTACLE returns none; returns the seconds it took.

    OBSTACLE says what is still missing; its last words are in the error when time is up.
    """
    started = time.monotonic()
    while True:
        missing = obstacle()
        waited = time.monotonic() - started
        if missing is None:
            return waited
        if waited > seconds:
            raise LabError(f"{what}: not after {seconds:g} s ({missing})")
        time.sleep(interval)
