# SPDX-License-Identifier: Apache-2.0
"""The router itself: its addresses answer and its BGP sessions live, through punt and inject."""

from __future__ import annotations

from lab import frr
from lab.errors import CheckFailed
from lab.ping import must_ping
from lab.topology import Topology


def own_addresses_answer(topology: Topology) -> str:
    """From the host at the port, and from the hosts behind all other nodes."""
    for host in topology.hosts:
        for node in topology.edge_nodes:
            for family in (4, 6):
                must_ping(host.namespace, node.port_address(family), count=2)
        must_ping(host.namespace, host.gateway(4), count=2, size=1472)
    return f"{topology.size} hosts, {2 * topology.size} addresses"


def bgp_sessions_are_established(topology: Topology) -> str:
    sessions = frr.bgp_sessions()
    expected = 2 * len(topology.bgp_hosts)
    down = [row for row in sessions if row["state"] != "Established"]
    if down:
        raise CheckFailed(f"BGP session with {down[0]['peer']} is {down[0]['state']}")
    if len(sessions) != expected:
        raise CheckFailed(f"{len(sessions)} BGP sessions, expected {expected}")
    return f"{expected} sessions, {sum(row['prefixes'] for row in sessions)} prefixes"
