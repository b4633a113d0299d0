# SPDX-License-Identifier: Apache-2.0
"""What the checks of failover leave out: that its events are told, and, with RACKWAY_LONG_DRILLS=1,
the same drills again and again, and longer ones."""

from __future__ import annotations

import os

import pytest

from lab import processes, rackway
from lab.checks import accounting, failover
from lab.topology import Node, Topology
from lab.waiting import wait_until

_long = pytest.mark.skipif(
    os.environ.get("RACKWAY_LONG_DRILLS") != "1", reason="only with RACKWAY_LONG_DRILLS=1"
)
_rounds = pytest.mark.parametrize("round_", range(5))


def _not_told(nodes: list[Node], victim: Node) -> str | None:
    """Each node's word is as old as its last report."""
    for node in nodes:
        told = rackway.show("nodes", node.name)[0]["cannot_reach"]
        if told != [victim.name]:
            return f"{node.name} says {told}"
    return None


def test_a_death_and_a_return_are_told(topology: Topology) -> None:
    victim, *others = reversed(topology.nodes)
    seen = len(rackway.show("events", victim.name))
    processes.kill(victim.name)
    for node in others:
        failover.await_state(node, victim, "down")
    wait_until("all say whom they can not reach", lambda: _not_told(others, victim), 5.0)
    rackway.start_node(victim)
    failover.await_all_up(topology)
    told = [(row["seen_by"], row["event"]) for row in rackway.show("events", victim.name)[seen:]]
    for node in others:
        mine = [event for observer, event in told if observer == node.name]
        for event in ("link down", "node down", "node restarted", "link up", "node up"):
            assert mine.count(event) == 1, told


@_long
@_rounds
def test_a_node_dies_and_rejoins(topology: Topology, round_: int) -> None:
    failover.node_dies_and_rejoins(topology)


@_long
@_rounds
def test_two_nodes_die(topology: Topology, round_: int) -> None:
    failover.two_nodes_die(topology)


@_long
def test_a_node_is_stopped_for_long_and_goes_on(topology: Topology) -> None:
    failover.node_stops_and_goes_on(topology, 10.0)


@_long
def test_packets_are_still_accounted_for(topology: Topology) -> None:
    accounting.nothing_is_missing(topology)
