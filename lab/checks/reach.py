# SPDX-License-Identifier: Apache-2.0
"""Hosts reach each other across nodes, and the cluster looks like one router."""

from __future__ import annotations

import contextlib
import time

from lab.commands import must
from lab.errors import CheckFailed
from lab.iperf import gigabits
from lab.ping import Pinger, must_ping
from lab.topology import ROUTER_NAMESPACE, Topology
from lab.traceroute import hops

_FORGETTINGS = 10  # of each port's neighbours
_FORGETTING_SECONDS = 0.1
# Not those of the time before that are still being resolved: the kernel drops what waits for them.
_RESOLVED = [w for state in ("reachable", "stale", "delay", "probe") for w in ("nud", state)]


def ping_between_all_hosts(topology: Topology) -> str:
    """Not even the first packet is lost: the router keeps it while it resolves the host's address."""
    for sender, receiver in topology.host_pairs:
        for family in (4, 6):
            must_ping(sender.namespace, receiver.address(family), count=5)
    return f"{len(topology.host_pairs)} pairs, IPv4 and IPv6, nothing lost"


def neighbours_come_and_go(topology: Topology) -> str:
    """The router forgets its neighbours and resolves them anew: no packet falls in between."""
    with contextlib.ExitStack() as stack:
        pingers = [
            stack.enter_context(Pinger(sender.namespace, receiver.address(family)))
            for sender, receiver in topology.host_pairs
            for family in (4, 6)
        ]
        for node in topology.edge_nodes * _FORGETTINGS:
            must(["ip", "-n", ROUTER_NAMESPACE, "neighbor", "flush", "dev", node.port, *_RESOLVED])
            time.sleep(_FORGETTING_SECONDS)
        time.sleep(1)
    sent, lost = (sum(getattr(p.result, name) for p in pingers) for name in ("sent", "lost"))
    if lost or not sent:
        raise CheckFailed(f"{lost} of {sent} pings lost while neighbours were forgotten")
    return f"{sent} pings, none lost"


def cluster_is_one_hop(topology: Topology) -> str:
    for sender, receiver in topology.host_pairs:
        for family in (4, 6):
            expected = [sender.gateway(family), receiver.address(family)]
            seen = hops(sender.namespace, receiver.address(family))
            if seen != expected:
                raise CheckFailed(
                    f"traceroute {sender.name} to {receiver.address(family)}: "
                    f"expected {' '.join(expected)}, saw {' '.join(seen) or 'nothing'}"
                )
    return f"{len(topology.host_pairs)} pairs, IPv4 and IPv6: router, host"


def ttl_falls_by_one(topology: Topology) -> str:
    """Linux hosts start at 64, so an answer that crossed the cluster once arrives with 63."""
    for sender, receiver in topology.host_pairs:
        for family in (4, 6):
            result = must_ping(sender.namespace, receiver.address(family), count=1)
            if result.ttls != {63}:
                raise CheckFailed(
                    f"{receiver.name} to {sender.name} over IPv{family}: TTL {set(result.ttls)}, "
                    "expected 63"
                )
    return "64 becomes 63 on the way"


def tcp_between_all_hosts(topology: Topology) -> str:
    rates = []
    for number, (client, server) in enumerate(topology.host_pairs):
        rates.append(gigabits(client, server, seconds=1, family=6 if number % 2 else 4))
    if min(rates) <= 0:
        raise CheckFailed(f"iperf3 moved nothing between some pair: {rates}")
    return f"{len(rates)} pairs, {min(rates):.2f} to {max(rates):.2f} Gb/s"
