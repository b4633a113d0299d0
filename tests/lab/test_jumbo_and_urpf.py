# SPDX-License-Identifier: Apache-2.0
"""Frames of 9,000 octets over the fabric, and sources that can not be where they came from.

A lab of its own: every port has an MTU of 9000, node 1's port wants strict sources, node 2's loose
ones. It replaces the lab that the other tests share.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab import drops, lifecycle, rackway
from lab.commands import in_namespace, must, run
from lab.ping import must_ping
from lab.topology import Host, Node, Topology

_LAB = Topology(2, mtu=9000, urpf=("strict", "loose"))
_H1, _H2 = _LAB.hosts


@pytest.fixture(scope="module", autouse=True)
def jumbo_lab() -> Iterator[None]:
    with lifecycle.locked():
        lifecycle.up(_LAB, say=lambda _: None)
    yield
    with lifecycle.locked():
        lifecycle.down()


def _ping(host: Host, to: str, *options: str, count: int = 5) -> str:
    command = ["ping", "-n", "-c", str(count), "-i", "0.1", "-W", "1", *options, to]
    return run(in_namespace(host.namespace, command)).stdout


def test_every_interface_has_the_mtu() -> None:
    assert {row["mtu"] for row in rackway.show("ports")} == {9000}
    assert {row["mtu"] for row in rackway.show("adjacencies")} == {9000}


@pytest.mark.parametrize(("family", "data"), [(4, 8972), (6, 8952)])
def test_jumbo_frames_cross_the_fabric(family: int, data: int) -> None:
    must_ping(_H1.namespace, _H2.address(family), 5)
    for host, to in ((_H1, _H2.address(family)), (_H2, _H1.address(family))):
        assert "5 received" in _ping(host, to, "-M", "do", "-s", str(data))


@pytest.mark.parametrize(("family", "data"), [(4, 8972), (6, 8952)])
def test_the_router_answers_jumbo_frames(family: int, data: int) -> None:
    assert "5 received" in _ping(_H1, _H1.gateway(family), "-M", "do", "-s", str(data))


def _from(host: Host, source: str, to: str) -> str:
    """Five echo requests with a source that is not the host's own."""
    length = "128" if ":" in source else "32"
    must(["ip", "-n", host.namespace, "address", "add", f"{source}/{length}", "dev", "lo"])
    try:
        return _ping(host, to, "-I", source)
    finally:
        must(["ip", "-n", host.namespace, "address", "del", f"{source}/{length}", "dev", "lo"])


_STRICT, _LOOSE = Node(1).port, Node(2).port


@pytest.mark.parametrize(
    ("source", "family"),
    [("10.0.2.55", 4), ("198.18.0.1", 4), ("2001:db8:2::55", 6), ("2001:db8:ffff::1", 6)],
)
def test_strict_drops_what_does_not_come_from_there(source: str, family: int) -> None:
    with drops.exactly(5, _STRICT, "urpf"):
        assert "0 received" in _from(_H1, source, _H2.address(family))


@pytest.mark.parametrize(("source", "family"), [("198.18.0.1", 4), ("2001:db8:ffff::1", 6)])
def test_loose_drops_what_has_no_route(source: str, family: int) -> None:
    with drops.exactly(5, _LOOSE, "urpf"):
        assert "0 received" in _from(_H2, source, _H1.address(family))


@pytest.mark.parametrize(("source", "family"), [("10.0.1.55", 4), ("2001:db8:1::55", 6)])
def test_loose_lets_pass_what_has_a_route_anywhere(source: str, family: int) -> None:
    with drops.exactly(0, _LOOSE, "urpf"):
        _from(_H2, source, _H1.address(family))


@pytest.mark.parametrize("family", (4, 6))
def test_true_sources_pass_both(family: int) -> None:
    with drops.exactly(0, _STRICT, "urpf"), drops.exactly(0, _LOOSE, "urpf"):
        must_ping(_H1.namespace, _H2.address(family), 10)
        must_ping(_H2.namespace, _H1.address(family), 10)
