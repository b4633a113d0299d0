# SPDX-License-Identifier: Apache-2.0
"""Fabrics that are no mesh of cables: a butterfly, and a mesh whose links go through a switch.

Each in a lab of its own, which replaces the lab that the other tests share.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from lab import lifecycle, processes, rackway
from lab.checks import reach, router, steering
from lab.flows import spray
from lab.iperf import gigabits
from lab.topology import Butterfly, Topology
from lab.waiting import wait_until

_RECOMPUTED_SECONDS = 5.0
_REPORT_SECONDS = 0.6  # nodes report their counters four times a second
_FLOWS = 128

_LABS = {
    "butterfly": Topology.of_butterfly(Butterfly(2, 2)),
    "switch": Topology(3, switched=True),
}


@pytest.fixture(scope="module", params=_LABS, autouse=True)
def fabric(request: pytest.FixtureRequest) -> Iterator[Topology]:
    with lifecycle.locked():
        lifecycle.up(_LABS[request.param], say=lambda _: None)
    yield _LABS[request.param]
    with lifecycle.locked():
        lifecycle.down()


def _misdirected() -> list[dict]:
    """Drops that a sound fabric has no reason for."""
    reasons = ("fabric_malformed", "fabric_wrong_target", "fabric_hops_spent", "adjacency_unknown")
    return [row for row in rackway.show("drops") if row["reason"] in reasons]


@pytest.fixture(scope="module", autouse=True)
def misdirected_at_first(fabric: Topology) -> list[dict]:
    """An AF_PACKET socket hears all interfaces until it is bound to one (packet(7)), so that a node
    behind a switch may begin with a frame of the management network on a fabric link."""
    time.sleep(_REPORT_SECONDS)
    return _misdirected()


def test_everybody_reaches_everybody(fabric: Topology) -> None:
    reach.ping_between_all_hosts(fabric)
    router.own_addresses_answer(fabric)


def test_the_cluster_is_one_hop(fabric: Topology) -> None:
    reach.cluster_is_one_hop(fabric)
    reach.ttl_falls_by_one(fabric)


def test_frames_are_passed_on_as_often_as_they_should(fabric: Topology) -> None:
    steering.both_paths_are_used(fabric)


def test_tcp_between_hosts(fabric: Topology) -> None:
    first, *others = fabric.hosts
    for number, other in enumerate(others):
        assert gigabits(first, other, seconds=1, family=6 if number % 2 else 4) > 0


def test_a_relay_dies_and_the_others_find_new_paths(fabric: Topology) -> None:
    if not fabric.relays:
        pytest.skip("a mesh has no pure relays")
    victim, links = fabric.relays[0], 4
    processes.kill(victim.name)
    try:
        for node in (node for node in fabric.nodes if node != victim):
            said = f"{links} fabric links are down"
            wait_until(
                f"{node.name} finds new paths",
                lambda name=node.name: None if said in processes.log_tail(name) else "not yet",
                _RECOMPUTED_SECONDS,
            )
        reach.ping_between_all_hosts(fabric)
        for number, (sender, receiver) in enumerate(fabric.host_pairs):
            assert spray(sender, receiver, 6 if number % 2 else 4, _FLOWS, each=1) == _FLOWS
    finally:
        rackway.start_node(victim)
    lifecycle.await_in_sync(fabric)
    reach.ping_between_all_hosts(fabric)


def test_every_frame_came_where_it_should(misdirected_at_first: list[dict]) -> None:
    assert _misdirected() == misdirected_at_first
