# SPDX-License-Identifier: Apache-2.0
"""Fabric links that fail while their carriers stay: a switch port that forwards no more, in both
directions or in one. In a lab of its own, whose fabric links lead through a switch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab import lifecycle, rackway
from lab.checks import failover
from lab.commands import must
from lab.topology import SWITCH_NAMESPACE, Plug, Topology, plugs


@pytest.fixture(scope="module")
def switched() -> Iterator[Topology]:
    plan = Topology(4, switched=True)
    with lifecycle.locked():
        lifecycle.up(plan, say=lambda _: None)
    yield plan
    with lifecycle.locked():
        lifecycle.down()


def _ends(topology: Topology) -> tuple[Plug, Plug]:
    """Of the link between the first two nodes."""
    wanted = topology.nodes[:2]
    return next(ends for ends in plugs(topology) if [end.node for end in ends] == wanted)


def _forward(plug: Plug, whether: bool) -> None:
    """Whether the switch sends anything to that node by the link: no address is ever learnt as a
    destination, hence all that it sends is flooded."""
    flood = "on" if whether else "off"
    bridge = ["ip", "netns", "exec", SWITCH_NAMESPACE, "bridge", "link", "set"]
    must([*bridge, "dev", plug.switch_interface, "flood", flood])


def _fails(topology: Topology, cut: list[Plug], here: str, there: str) -> None:
    failover.link_fails(
        topology,
        lambda: [_forward(plug, False) for plug in cut],
        lambda: [_forward(plug, True) for plug in cut],
        here,
        there,
    )


def test_a_link_is_cut(switched: Topology) -> None:
    _fails(switched, list(_ends(switched)), "down", "down")


def test_one_direction_fails(switched: Topology) -> None:
    first, second = _ends(switched)
    _fails(switched, [second], "one-way", "down")
    told = {(row["seen_by"], row["event"]) for row in rackway.show("events")}
    assert (first.node.name, "link one-way") in told


def test_carriers_stayed(switched: Topology) -> None:
    assert all(row["carrier"] for row in rackway.show("fabric"))
