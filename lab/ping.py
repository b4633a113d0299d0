# SPDX-License-Identifier: Apache-2.0
"""ping: a few, counted; or a stream in the background while something else happens.

ping waits for the answer to its last request only twice as long as answers took before, which on a
busy machine is too short. So the last requests are sent but not judged.
"""

from __future__ import annotations

import re
import signal
import statistics
import subprocess
from dataclasses import dataclass

from lab.commands import in_namespace, run
from lab.errors import CheckFailed

_TIME = re.compile(r"icmp_seq=(\d+) ttl=(\d+) time=([\d.]+) ms")
_SENT = re.compile(r"(\d+) packets transmitted")
_UNJUDGED_SECONDS = 0.5  # the requests of so long before a stream is stopped


@dataclass(frozen=True)
class PingResult:
    sent: int
    received: int
    milliseconds: list[float]
    ttls: frozenset[int]

    @property
    def lost(self) -> int:
        return self.sent - self.received

    @property
    def median_ms(self) -> float | None:
        """The median without the first, which may wait for a neighbour to be resolved."""
        later = self.milliseconds[1:] or self.milliseconds
        return statistics.median(later) if later else None


def _parse(output: str, unjudged: int) -> PingResult:
    """Reads what ping prints, but for what it says about the last UNJUDGED requests."""
    summary = _SENT.search(output)
    sent = max(0, int(summary[1]) - unjudged) if summary else 0
    replies = {int(seq): (ttl, ms) for seq, ttl, ms in _TIME.findall(output) if int(seq) <= sent}
    return PingResult(
        sent,
        len(replies),
        [float(ms) for _, ms in replies.values()],
        frozenset(int(ttl) for ttl, _ in replies.values()),
    )


def ping(
    namespace: str,
    address: str,
    count: int = 5,
    interval: float = 0.02,
    size: int = 56,
    options: tuple[str, ...] = (),
) -> PingResult:
    """COUNT echo requests from NAMESPACE to ADDRESS, SIZE octets of data each."""
    usual = ["-n", "-c", str(count + 1), "-i", str(interval), "-W", "1", "-s", str(size)]
    limit = count * (interval + 1) + 10
    done = run(in_namespace(namespace, ["ping", *usual, *options, address]), timeout=limit)
    return _parse(done.stdout, unjudged=1)


def must_ping(namespace: str, address: str, count: int = 5, **options) -> PingResult:
    """As `ping`, and every request has to be answered."""
    result = ping(namespace, address, count, **options)
    if result.received != count:
        raise CheckFailed(f"{namespace} pings {address}: {result.received} of {count} answered")
    return result


class Pinger:
    """Echo requests in the background for as long as the block lasts; `result` after it."""

    def __init__(self, namespace: str, address: str, interval: float = 0.01) -> None:
        self.namespace = namespace
        self.address = address
        self._interval = interval
        self.result = PingResult(0, 0, [], frozenset())

    def __enter__(self) -> Pinger:
        command = ["ping", "-n", "-i", str(self._interval), "-W", "1", self.address]
        self._process = subprocess.Popen(
            in_namespace(self.namespace, command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        try:
            output, _ = self._process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            output, _ = self._process.communicate()
        self.result = _parse(output, unjudged=round(_UNJUDGED_SECONDS / self._interval))
