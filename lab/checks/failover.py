# SPDX-License-Identifier: Apache-2.0
"""Drills: something of the fabric fails under load, and whoever did not need it hardly notices.

Every pair of hosts has numbered flows. What is lost of those that neither enter nor leave at what
failed may be no more than goes out in the detection time and until one more hello has come.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator

from lab import processes, rackway
from lab.errors import CheckFailed
from lab.lifecycle import await_in_sync
from lab.losses import Loss, loss_past
from lab.numbered import Traffic
from lab.recovery import links_not_up
from lab.topology import HELLO, Host, Node, Topology
from lab.waiting import wait_until

DETECTION_SECONDS = HELLO["interval_ms"] * HELLO["multiplier"] / 1000
NOTICED_SECONDS = DETECTION_SECONDS + HELLO["interval_ms"] / 1000
_BEFORE_SECONDS = 0.7
_AFTER_SECONDS = 1.3
_RETURN_SECONDS = 30.0
_STOP_SECONDS = 3.0


def _expect_at_most(seconds: float, loss: Loss, rate: float, what: str) -> None:
    """One datagram more: failures do not wait for the moment between two."""
    if loss.longest > seconds + 1 / rate:
        raise CheckFailed(f"{what}: {loss}, allowed are {seconds * 1000:.0f} ms")


def _expect_none(loss: Loss, what: str) -> None:
    if loss.lost:
        raise CheckFailed(f"{what}: {loss}, allowed is none")


def state_of(node: Node, peer: Node) -> str:
    """The state of the link between them as NODE finds it."""
    rows = rackway.show("fabric", node.name)
    return next(row["state"] for row in rows if row["peer"] == peer.name)


def await_state(node: Node, peer: Node, state: str, seconds: float = 5.0) -> None:
    def obstacle() -> str | None:
        seen = state_of(node, peer)
        return None if seen == state else f"it is {seen}"

    wait_until(f"the link of {node.name} to {peer.name} is {state}", obstacle, seconds)


def await_all_up(topology: Topology) -> None:
    await_in_sync(topology, _RETURN_SECONDS)
    wait_until("all fabric links are up", links_not_up, _RETURN_SECONDS)


@contextlib.contextmanager
def _returning(topology: Topology, victims: list[Node]) -> Iterator[None]:
    """Whatever happens inside, these nodes run afterwards."""
    try:
        yield
    finally:
        for victim in victims:
            if processes.running(victim.name) is None:
                rackway.start_node(victim)
        await_all_up(topology)


def _hosts_of(topology: Topology, without: list[Node]) -> list[Host]:
    numbers = {node.number for node in without}
    return [host for host in topology.hosts if host.number not in numbers]


def node_dies_and_rejoins(topology: Topology) -> str:
    """Death costs the others no more than the detection; rejoining costs nothing."""
    victim = topology.nodes[-1]
    others = _hosts_of(topology, [victim])
    with _returning(topology, [victim]):
        with Traffic(topology.hosts) as traffic:
            time.sleep(_BEFORE_SECONDS)
            processes.kill(victim.name)
            time.sleep(_AFTER_SECONDS)
        death = loss_past(traffic, [victim])
        _expect_at_most(NOTICED_SECONDS, death, traffic.rate, f"{victim.name} dies")
        with Traffic(others) as traffic:
            rackway.start_node(victim)
            await_all_up(topology)
            time.sleep(_BEFORE_SECONDS)
        _expect_none(loss_past(traffic), f"{victim.name} rejoins")
    _expect_everything_arrives(topology)
    return f"{death}; none when it rejoined"


def two_nodes_die(topology: Topology) -> str:
    """One while the other's death has hardly been noticed."""
    victims = topology.nodes[-2:]
    with _returning(topology, victims):
        with Traffic(_hosts_of(topology, victims)) as traffic:
            time.sleep(_BEFORE_SECONDS)
            for victim in victims:
                processes.kill(victim.name)
                time.sleep(DETECTION_SECONDS)
            time.sleep(_AFTER_SECONDS)
        loss = loss_past(traffic)
        _expect_at_most(NOTICED_SECONDS, loss, traffic.rate, "two nodes die")
    _expect_everything_arrives(topology)
    return str(loss)


def node_stops_and_goes_on(topology: Topology, seconds: float = _STOP_SECONDS) -> str:
    """A node that does not run for a while, though its links have their carriers."""
    victim, peer = topology.nodes[-1], topology.nodes[0]
    pid = processes.running(victim.name)
    with _returning(topology, [victim]):
        with Traffic(topology.hosts) as traffic:
            time.sleep(_BEFORE_SECONDS)
            os.kill(pid, signal.SIGSTOP)
            try:
                time.sleep(seconds)
                stopped = state_of(peer, victim)
            finally:
                os.kill(pid, signal.SIGCONT)
            time.sleep(_AFTER_SECONDS)
        loss = loss_past(traffic, [victim])
        _expect_at_most(NOTICED_SECONDS, loss, traffic.rate, f"{victim.name} is stopped")
        if stopped != "down":
            raise CheckFailed(f"{peer.name} found its link to the stopped node {stopped}")
    _expect_everything_arrives(topology)
    return f"stopped for {seconds:.0f} s: {loss}"


def link_fails(topology: Topology, cut, mend, here: str, there: str) -> str:
    """CUT breaks the link between the first two nodes in a way that ends in these states, MEND
    mends it."""
    first, second = topology.nodes[:2]
    with Traffic(topology.hosts) as traffic:
        time.sleep(_BEFORE_SECONDS)
        cut()
        try:
            await_state(first, second, here)
            await_state(second, first, there)
            time.sleep(_AFTER_SECONDS)
        finally:
            mend()
        wait_until("all fabric links are up", links_not_up, _RETURN_SECONDS)
    loss = loss_past(traffic)
    _expect_at_most(NOTICED_SECONDS, loss, traffic.rate, f"the link is {here} and {there}")
    _expect_everything_arrives(topology)
    return str(loss)


def _expect_everything_arrives(topology: Topology) -> None:
    with Traffic(topology.hosts, rate=20.0) as traffic:
        time.sleep(1.0)
    if len(traffic.flows) != traffic.expected:
        raise CheckFailed(f"{len(traffic.flows)} of {traffic.expected} flows arrive afterwards")
    _expect_none(loss_past(traffic), "afterwards")
