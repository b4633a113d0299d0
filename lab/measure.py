# SPDX-License-Identifier: Apache-2.0
"""What the lab's table and `./dev bench lab` show: round trips, hops, TCP throughput, idle CPU."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from lab import accounts
from lab.checks.idle import cpu_percent
from lab.errors import CheckFailed, LabError
from lab.iperf import gigabits
from lab.ping import ping
from lab.topology import Host, Topology
from lab.traceroute import hops

Pair = tuple[Host, Host]


@dataclass
class Measurements:
    """A none stands for what could not be measured; `faults` says why."""

    ping_ms: dict[tuple[Host, Host, int], float | None] = field(default_factory=dict)
    lost: int = 0
    hops: dict[Pair, int] = field(default_factory=dict)
    gigabits: dict[Pair, float | None] = field(default_factory=dict)
    idle_cpu_percent: float | None = None
    accounts: accounts.Accounts | None = None
    faults: list[str] = field(default_factory=list)


def measure(topology: Topology, tcp_seconds: int = 1, idle_seconds: float = 5) -> Measurements:
    result = Measurements()
    before = accounts.baseline(topology)
    _ping(topology, result)
    _trace(topology, result)
    _tcp(topology, tcp_seconds, result)
    _balance(topology, before, result)
    result.idle_cpu_percent = cpu_percent(topology, idle_seconds)
    return result


def _ping(topology: Topology, result: Measurements) -> None:
    for sender, receiver in topology.host_pairs:
        for family in (4, 6):
            pinged = ping(sender.namespace, receiver.address(family), count=10, interval=0.01)
            result.ping_ms[sender, receiver, family] = pinged.median_ms
            result.lost += pinged.lost
    if result.lost:
        result.faults.append(f"{result.lost} pings were not answered")


def _trace(topology: Topology, result: Measurements) -> None:
    for sender, receiver in topology.host_pairs:
        seen = hops(sender.namespace, receiver.address(4))
        result.hops[sender, receiver] = len(seen)
        if seen != [sender.gateway(4), receiver.address(4)]:
            result.faults.append(f"traceroute {sender.name} to {receiver.name}: {' '.join(seen)}")


def _balance(topology: Topology, before: accounts.Baseline, result: Measurements) -> None:
    try:
        result.accounts = accounts.await_balance(before, topology)
    except (CheckFailed, LabError) as error:
        result.faults.append(str(error))


def _tcp(topology: Topology, seconds: int, result: Measurements) -> None:
    for client, server in itertools.combinations(topology.hosts, 2):
        try:
            result.gigabits[client, server] = gigabits(client, server, seconds)
        except (CheckFailed, LabError) as error:
            result.gigabits[client, server] = None
            result.faults.append(str(error))
