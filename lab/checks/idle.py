# SPDX-License-Identifier: Apache-2.0
"""Nodes sleep when there is nothing to do and wake at once when there is."""

from __future__ import annotations

import statistics
import time

from lab import processes, rackway
from lab.errors import CheckFailed
from lab.ping import must_ping
from lab.topology import Topology

IDLE_CPU_PERCENT = 20.0
PING_MS = 1.0
# The targets are for a quiet machine; a check may run on a busy one.
_TOLERANCE = 5.0


def cpu_percent(topology: Topology, seconds: float) -> float:
    """Percent of one core that the controller and all nodes use together over SECONDS."""
    names = rackway.process_names(topology)
    ids = [pid for pid in map(processes.running, names) if pid is not None]
    before, started = sum(map(processes.cpu_seconds, ids)), time.monotonic()
    time.sleep(seconds)
    used = sum(map(processes.cpu_seconds, ids)) - before
    return 100 * used / (time.monotonic() - started)


def median_ping_ms(topology: Topology) -> float:
    """The median over all pairs of hosts of the median round trip, both families."""
    return statistics.median(
        must_ping(sender.namespace, receiver.address(family), count=10, interval=0.01).median_ms
        for sender, receiver in topology.host_pairs
        for family in (4, 6)
    )


def idle_cpu_and_latency(topology: Topology) -> str:
    cpu = cpu_percent(topology, 10)
    ping_ms = median_ping_ms(topology)
    text = (
        f"{cpu:.1f}% of a core when idle (target < {IDLE_CPU_PERCENT:g}%), "
        f"median ping {ping_ms:.3f} ms (target < {PING_MS:g} ms)"
    )
    if cpu > _TOLERANCE * IDLE_CPU_PERCENT or ping_ms > _TOLERANCE * PING_MS:
        raise CheckFailed(text)
    return text
