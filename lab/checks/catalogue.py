# SPDX-License-Identifier: Apache-2.0
"""All checks in the order in which they run: the gentle ones first, those that break things last."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import shorten

from lab.checks import accounting, errors, exactness, failover, flood, idle, operator, reach
from lab.checks import router, routes, steering, survival
from lab.errors import CheckFailed, LabError
from lab.topology import Topology


_TEXT_COLUMNS = 400


@dataclass(frozen=True)
class Check:
    """One thing that has to work. NUMBER groups checks of one promise."""

    number: int
    title: str
    function: Callable[[Topology], str]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


CATALOGUE = [
    Check(1, "ping between all hosts", reach.ping_between_all_hosts),
    Check(1, "neighbours come and go", reach.neighbours_come_and_go),
    Check(1, "traceroute shows one hop", reach.cluster_is_one_hop),
    Check(1, "TTL falls by one", reach.ttl_falls_by_one),
    Check(1, "TCP between all hosts", reach.tcp_between_all_hosts),
    Check(2, "router's own addresses answer", router.own_addresses_answer),
    Check(2, "BGP sessions are up", router.bgp_sessions_are_established),
    Check(3, "BGP routes carry traffic", routes.bgp_routes_carry_traffic),
    Check(3, "static routes and blackholes", routes.static_routes_work),
    Check(3, "ip route add and del", routes.kernel_route_comes_and_goes),
    Check(3, "BGP withdrawal and return", routes.bgp_withdrawal_and_return),
    Check(4, "direct and relayed paths", steering.both_paths_are_used),
    Check(4, "modes of steering switch", steering.modes_switch_without_loss),
    Check(4, "a drained node relays nothing", steering.a_drained_node_relays_nothing),
    Check(5, "IPv4 frames of every size", exactness.ipv4_frames_of_every_size),
    Check(5, "IPv6 frames of every size", exactness.ipv6_frames_of_every_size),
    Check(10, "ICMP errors and fragments", errors.errors_and_fragments),
    Check(6, "every table, text and JSON", operator.every_table),
    Check(6, "unknown objects are named", operator.unknown_objects_are_named),
    Check(7, "nothing is missing", accounting.nothing_is_missing),
    Check(11, "floods to the router itself", flood.floods_of_each_kind),
    Check(9, "idle and awake", idle.idle_cpu_and_latency),
    Check(8, "a node dies and returns", survival.node_dies_and_returns),
    Check(8, "nodes die under load", survival.nodes_die_under_load),
    Check(12, "a node dies and rejoins", failover.node_dies_and_rejoins),
    Check(12, "two nodes die", failover.two_nodes_die),
    Check(12, "a node is stopped and goes on", failover.node_stops_and_goes_on),
    Check(8, "the controller dies and returns", survival.controller_dies_and_returns),
]


@dataclass(frozen=True)
class Outcome:
    check: Check
    passed: bool
    text: str
    seconds: float


def run_all(topology: Topology) -> Iterator[Outcome]:
    """Runs every check, whatever became of those before it."""
    for check in CATALOGUE:
        started = time.monotonic()
        try:
            passed, text = True, check.function(topology)
        except (CheckFailed, LabError) as error:
            passed, text = False, shorten(str(error), _TEXT_COLUMNS, placeholder=" ...")
        yield Outcome(check, passed, text, time.monotonic() - started)
