# SPDX-License-Identifier: Apache-2.0
"""ping: a few, counted; or a stream in the background while something else happens."""

from __future__ import annotations

import re
import signal
import statistics
import subprocess
from dataclasses import dataclass

from lab.commands import in_namespace, run
from lab.errors import CheckFailed

_TIME = re.compile(r"icmp_seq=(\d+) ttl=(\d+) time=([\d.]+) ms")
_SUMMARY = re.compile(r"(\d+) packets transmitted, (\d+) received")


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


def _parse(output: str) -> PingResult:
    replies = _TIME.findall(output)
    summary = _SUMMARY.search(output)
    sent, received = (int(summary[1]), int(summary[2])) if summary else (0, 0)
    return PingResult(
        sent,
        received,
        [float(milliseconds) for _, _, milliseconds in replies],
        frozenset(int(ttl) for _, ttl, _ in replies),
    )


def ping(
    namespace: str, address: str, count: int = 5, interval: float = 0.02, size: int = 56
) -> PingResult:
    """COUNT echo requests from NAMESPACE to ADDRESS, SIZE octets of data each."""
    options = ["-n", "-c", str(count), "-i", str(interval), "-W", "1", "-s", str(size)]
    limit = count * (interval + 1) + 10
    return _parse(run(in_namespace(namespace, ["ping", *options, address]), timeout=limit).stdout)


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
        self.result = _parse(output)
