# SPDX-License-Identifier: Apache-2.0
"""A node that is killed while the controller is dead comes back by what it has kept, and nobody else
notices; a damaged file is refused and said."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import pytest

from lab import processes, rackway
from lab.checks import failover
from lab.commands import must
from lab.numbered import Traffic
from lab.ping import ping
from lab.topology import Host, Node, Topology
from lab.traceroute import hops
from lab.waiting import wait_until

_SECONDS = 30.0
_STEADY_SECONDS = 1.0


def _not_kept() -> str | None:
    """Every node has the cluster's epoch on its disk."""
    epoch = rackway.show_cluster()["epoch"]
    behind = [row["name"] for row in rackway.show("nodes") if row["kept_epoch"] != epoch]
    return f"{', '.join(behind)} behind epoch {epoch}" if behind else None


@pytest.fixture
def dead(topology: Topology) -> Iterator[Node]:
    """The last node is dead, and so is the controller; all is well again afterwards."""
    victim = topology.nodes[-1]
    failover.await_all_up(topology)
    _await_answers(topology.hosts[-1], topology.hosts[:-1])  # its neighbours are in the FIB
    wait_until("every node has kept its state", _not_kept, _SECONDS)
    try:
        processes.kill(rackway.CONTROLLER)
        processes.kill(victim.name)
        yield victim
    finally:
        if processes.running(rackway.CONTROLLER) is None:
            rackway.start_controller()
        if processes.running(victim.name) is None:
            rackway.start_node(victim)
        failover.await_all_up(topology)


def _nothing_answers(host: Host, addresses: list[str]) -> str | None:
    for address in addresses:
        if not ping(host.namespace, address, count=1).received:
            return f"no answer of {address}"
    return None


def _await_answers(host: Host, peers: list[Host]) -> None:
    addresses = [peer.address(family) for peer in peers for family in (4, 6)]
    wait_until(f"{host.name} reaches all", lambda: _nothing_answers(host, addresses), _SECONDS)


def _forget_neighbours(host: Host) -> None:
    must(["ip", "-n", host.namespace, "neighbor", "flush", "dev", "eth0"])


def _knows_its_gateway(host: Host, family: int) -> bool:
    """By ARP or ND: what answers is the node itself, as there is no kernel to ask."""
    entry = must(["ip", "-n", host.namespace, "neighbor", "show", host.gateway(family)])
    return " lladdr " in entry


@contextlib.contextmanager
def _nothing_lost(hosts: list[Host]) -> Iterator[None]:
    with Traffic(hosts) as traffic:
        time.sleep(_STEADY_SECONDS)
        yield
        time.sleep(_STEADY_SECONDS)
    assert len(traffic.flows) == traffic.expected
    lost = [flow for flow in traffic.flows if flow.lost]
    assert not lost, lost


def _log_size(name: str) -> int:
    return processes.log_file(name).stat().st_size


def _log_since(name: str, size: int) -> str:
    return processes.log_file(name).read_bytes()[size:].decode()


def _events_about(victim: Node) -> list[str]:
    rows = [row for row in rackway.show("events") if row["seen_by"] == "controller"]
    return [row["event"] for row in rows if row["event"].startswith(f"{victim.name} ")]


def test_it_forwards_by_what_it_has_kept(topology: Topology, dead: Node) -> None:
    host, others = topology.hosts[-1], topology.hosts[:-1]
    with _nothing_lost(others):
        _forget_neighbours(host)
        rackway.start_node(dead)
        _await_answers(host, others)
    for family in (4, 6):
        assert _knows_its_gateway(host, family)
        found = hops(host.namespace, others[0].address(family))
        assert found == [host.gateway(family), others[0].address(family)]
    with _nothing_lost(topology.hosts):
        rackway.start_controller()
        failover.await_all_up(topology)
    (event,) = _events_about(dead)
    assert event.startswith(f"{dead.name} has started without a controller, by epoch ")


def test_a_damaged_file_is_refused_and_said(topology: Topology, dead: Node) -> None:
    kept = dead.state / "state"
    octets = bytearray(kept.read_bytes())
    octets[-20] ^= 1
    kept.write_bytes(octets)
    size = _log_size(dead.name)
    refusal = f"{kept}: its FIB: is damaged: its checksum is wrong"

    def not_said() -> str | None:
        said = f"what was kept is refused: {refusal}" in _log_since(dead.name, size)
        return None if said else "not in the log"

    with _nothing_lost(topology.hosts[:-1]):
        rackway.start_node(dead)
        wait_until("the refusal is said", not_said, _SECONDS)
        assert processes.running(dead.name) is not None
        rackway.start_controller()
        failover.await_all_up(topology)
    assert _events_about(dead) == [f"{dead.name} refuses what it had kept: {refusal}"]
    _await_answers(topology.hosts[-1], topology.hosts[:-1])
