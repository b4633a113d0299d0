# SPDX-License-Identifier: Apache-2.0
"""The router itself: its addresses answer and its BGP sessions live, through punt and inject."""

from __future__ import annotations

from lab import frr, recovery
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
    missing = recovery.sessions_not_up(topology)
    if missing:
        raise CheckFailed(missing)
    sessions = frr.bgp_sessions()
    return f"{len(sessions)} sessions, {sum(row['prefixes'] for row in sessions)} prefixes"
