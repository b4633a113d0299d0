# SPDX-License-Identifier: Apache-2.0
"""What the nodes dropped, and that something adds exactly so much to it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from lab import rackway
from lab.errors import CheckFailed
from lab.waiting import wait_until

_SETTLE_SECONDS = 10.0
_REPORT_SECONDS = 0.6  # nodes report their counters four times a second


def count(place: str, reason: str) -> int:
    """Frames dropped at PLACE, as `n1-p0`, for REASON since the node started."""
    return sum(
        row["packets"]
        for row in rackway.show("drops")
        if row["port"] == place and row["reason"] == reason
    )


@contextlib.contextmanager
def exactly(number: int, place: str, reason: str) -> Iterator[None]:
    """What happens inside makes NUMBER drops at PLACE for REASON, no more and no fewer."""
    time.sleep(_REPORT_SECONDS)
    before = count(place, reason)
    yield

    def obstacle() -> str | None:
        new = count(place, reason) - before
        return None if new >= number else f"{new} of {number} {reason}"

    wait_until(f"drops at {place}", obstacle, _SETTLE_SECONDS)
    time.sleep(_REPORT_SECONDS)
    new = count(place, reason) - before
    if new != number:
        raise CheckFailed(f"{place}: {new} drops for {reason}, not {number}")
