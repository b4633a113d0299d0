# SPDX-License-Identifier: Apache-2.0
"""Traffic of several kinds, also such that is dropped or punted, and then the sums."""

from __future__ import annotations

from lab import accounts
from lab.flows import spray
from lab.iperf import gigabits
from lab.ping import must_ping, ping
from lab.topology import BLACKHOLE_IPV4, Topology


def nothing_is_missing(topology: Topology) -> str:
    before = accounts.baseline(topology)
    blackholed = BLACKHOLE_IPV4.replace("0/24", "9")
    gigabits(topology.hosts[0], topology.hosts[-1])  # more than queues hold: some is dropped
    for sender, receiver in topology.host_pairs:
        spray(sender, receiver, 4)
        spray(sender, receiver, 6)
        must_ping(sender.namespace, receiver.gateway(4), count=3)
    for host in topology.hosts:
        ping(host.namespace, blackholed, count=3)
        ping(host.namespace, "2001:db8:ffff::1", count=2)  # no route leads there
    after = accounts.await_balance(before, topology)
    received = accounts.growth(before, after, "ports", "received")
    return f"{received} frames at {topology.size} ports"
