# SPDX-License-Identifier: Apache-2.0
"""A node of two forwarding cores beside nodes of one: every core works, nothing is lost.

A lab of its own, which replaces the lab that the other tests share.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab import accounts, lifecycle, rackway
from lab.flows import spray
from lab.ping import must_ping
from lab.topology import Topology

_LAB = Topology(3, cores=(2, 1, 2))
_H1, _H2, _H3 = _LAB.hosts


@pytest.fixture(scope="module", autouse=True)
def lab_of_several_cores() -> Iterator[None]:
    with lifecycle.locked():
        lifecycle.up(_LAB, say=lambda _: None)
    yield
    with lifecycle.locked():
        lifecycle.down()


def _received(node: str, place: str) -> list[int]:
    """By core."""
    return [row["received"] for row in rackway.show("queues", node) if row["place"] == place]


@pytest.mark.parametrize("family", [4, 6])
def test_flows_are_spread_and_none_is_lost(family: int) -> None:
    for host, to in ((_H1, _H2), (_H2, _H1), (_H1, _H3), (_H3, _H2)):
        must_ping(host.namespace, to.address(family), 5)
    before, received = accounts.baseline(_LAB), _received("n1", "n1-p0")
    for sender, receiver in ((_H1, _H2), (_H2, _H1), (_H1, _H3), (_H3, _H1)):
        assert spray(sender, receiver, family) == 128 * 4
    accounts.await_balance(before, _LAB)
    grown = [now - then for now, then in zip(_received("n1", "n1-p0"), received, strict=True)]
    assert len(grown) == 2
    assert all(frames >= 128 for frames in grown), grown


def test_queues_are_as_many_as_cores_and_add_up() -> None:
    for node, cores in (("n1", 2), ("n2", 1), ("n3", 2)):
        port = f"{node}-p0"
        rows = [row for row in rackway.show("queues", node) if row["place"] == port]
        assert [row["core"] for row in rows] == list(range(cores))
        least = rackway.show("ports", port)[0]
        for counter in ("received", "sent", "transmitted"):
            assert 0 < sum(row[counter] for row in rows) <= least[counter]


def test_what_a_core_sends_comes_to_one_core() -> None:
    """Queue and core have one number, so node 2's one core gets what both of node 1's send."""
    assert all(frames > 0 for frames in _received("n3", "fabric n1"))
    assert len(_received("n2", "fabric n1")) == 1
