# SPDX-License-Identifier: Apache-2.0
"""VLANs of ports, made with plain `ip`: host 4 in VLAN 100 of its port, host 3 in VLAN 200 of its.

The two hosts are those that speak no BGP, so that a port may go down without a session going.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from lab import drops, iperf, lifecycle, rackway
from lab.commands import in_namespace, must, run
from lab.namespaces import entered, set_sysctls
from lab.ping import must_ping, ping
from lab.topology import ROUTER_NAMESPACE, Host, Node, Topology
from lab.waiting import wait_until

_SECONDS = 15.0


@dataclass(frozen=True)
class VlanHost(Host):
    """A host by its address in a VLAN."""

    vlan: int

    @property
    def port(self) -> str:
        return Node(self.number).port

    @property
    def interface(self) -> str:
        """The router's."""
        return f"{self.port}.{self.vlan}"

    def _subnet(self, family: int) -> str:
        return f"10.{self.vlan}.{self.number}." if family == 4 else f"2001:db8:{self.vlan}::"

    def address(self, family: int) -> str:
        return self._subnet(family) + "2"

    def gateway(self, family: int) -> str:
        return self._subnet(family) + "1"

    def subnet(self, family: int) -> str:
        return self._subnet(family) + ("0/24" if family == 4 else "/64")


_A, _B = VlanHost(4, 100), VlanHost(3, 200)


def _router(*words: str) -> str:
    return must(["ip", "-n", ROUTER_NAMESPACE, *words])


def _make_interface(host: VlanHost) -> None:
    _router(
        *("link", "add", "link", host.port, "name", host.interface),
        *("type", "vlan", "id", str(host.vlan)),
    )
    _router("address", "add", f"{host.gateway(4)}/24", "dev", host.interface)
    _router("address", "add", f"{host.gateway(6)}/64", "dev", host.interface, "nodad")
    _router("link", "set", host.interface, "up")


def _make_host(host: VlanHost, other: VlanHost) -> None:
    device = f"eth0.{host.vlan}"
    for words in (
        f"link add link eth0 name {device} type vlan id {host.vlan}",
        f"address add {host.address(4)}/24 dev {device}",
        f"address add {host.address(6)}/64 dev {device} nodad",
        f"link set {device} up",
        f"route add {other.subnet(4)} via {host.gateway(4)} dev {device}",
        f"route add {other.subnet(6)} via {host.gateway(6)} dev {device}",
    ):
        must(["ip", "-n", host.namespace, *words.split()])


def _await_interface(topology: Topology, host: VlanHost, addresses: int) -> None:
    """Until the router has that many addresses on it, and all nodes know."""

    def obstacle() -> str | None:
        rows = [row for row in rackway.show("interfaces") if row["name"] == host.interface]
        own = [a for row in rows for a in row["addresses"] if not a.startswith("fe80")]
        return None if len(own) == addresses else f"{host.interface} has {own}"

    wait_until("VLAN interfaces", obstacle, _SECONDS)
    lifecycle.await_in_sync(topology)


def _kernel_has_vlans() -> bool:
    command = ["link", "add", "link", _A.port, "name", "probe", "type", "vlan", "id", "4094"]
    if run(["ip", "-n", ROUTER_NAMESPACE, *command]).returncode != 0:
        return False
    _router("link", "del", "probe")
    return True


@pytest.fixture(scope="module")
def vlans(topology: Topology) -> Iterator[None]:
    """Both hosts in their VLANs."""
    if not _kernel_has_vlans():
        pytest.skip("this kernel has no links of type vlan (CONFIG_VLAN_8021Q)")
    for host, other in ((_A, _B), (_B, _A)):
        _make_host(host, other)
        _make_interface(host)
        _await_interface(topology, host, 2)
    yield
    for host in (_A, _B):
        run(["ip", "-n", ROUTER_NAMESPACE, "link", "del", host.interface])
        run(["ip", "-n", host.namespace, "link", "del", f"eth0.{host.vlan}"])


def _reachable(family: int) -> None:
    wait_until(
        f"host 3 in its VLAN by IPv{family}",
        lambda: None if ping(_A.namespace, _B.address(family), 1).received else "no answer",
        _SECONDS,
    )


@pytest.mark.usefixtures("vlans")
@pytest.mark.parametrize("family", (4, 6))
def test_hosts_in_vlans_of_different_nodes_reach_each_other(family: int) -> None:
    _reachable(family)
    assert must_ping(_A.namespace, _B.address(family), 20).ttls == {63}
    must_ping(_B.namespace, _A.address(family), 20)


@pytest.mark.usefixtures("vlans")
@pytest.mark.parametrize("family", (4, 6))
def test_a_vlan_reaches_hosts_outside_of_it(family: int) -> None:
    """Host 4 has an address without a tag as well; from there to the VLAN and back."""
    _reachable(family)
    must(["ip", "-n", _B.namespace, "route", "replace", Host(4).address(family),
          "via", _B.gateway(family), "dev", f"eth0.{_B.vlan}"])
    command = ["ping", "-n", "-c", "5", "-i", "0.05", "-W", "2", "-I", Host(4).address(family)]
    must(["ip", "-n", _A.namespace, "route", "del", _B.subnet(family)])
    try:
        assert "5 received" in must(in_namespace(_A.namespace, [*command, _B.address(family)]))
    finally:
        must(["ip", "-n", _A.namespace, "route", "add", _B.subnet(family),
              "via", _A.gateway(family), "dev", f"eth0.{_A.vlan}"])
        must(["ip", "-n", _B.namespace, "route", "del", Host(4).address(family)])


@pytest.mark.usefixtures("vlans")
@pytest.mark.parametrize("family", (4, 6))
def test_the_router_answers_in_the_vlan(family: int) -> None:
    must_ping(_A.namespace, _A.gateway(family), 5)
    must_ping(_A.namespace, _B.gateway(family), 5)


@pytest.mark.usefixtures("vlans")
def test_tcp_flows() -> None:
    for family in (4, 6):
        _reachable(family)
        assert iperf.gigabits(_A, _B, seconds=2, family=family) > 0


def _ping_of_size(family: int, size: int) -> str:
    """What ping says of one packet of SIZE octets of IP that must not be fragmented."""
    data = size - (28 if family == 4 else 48)
    command = ["ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", "-M", "do", "-s", str(data)]
    return run(in_namespace(_A.namespace, [*command, _B.address(family)])).stdout


@pytest.mark.usefixtures("vlans")
@pytest.mark.parametrize("family", (4, 6))
def test_the_mtu_of_the_vlan_is_that_of_its_interface(topology: Topology, family: int) -> None:
    _reachable(family)
    assert "3 received" in _ping_of_size(family, 1500)
    _router("link", "set", _B.interface, "mtu", "1400")
    try:
        lifecycle.await_in_sync(topology)
        wait_until(
            "the neighbour's MTU",
            lambda: None
            if any(r["mtu"] == 1400 and r["interface"] == _B.interface
                   for r in rackway.show("adjacencies"))
            else "not 1400",
            _SECONDS,
        )
        lifecycle.await_in_sync(topology)
        assert "3 received" in _ping_of_size(family, 1400)
        said = _ping_of_size(family, 1401)
        assert "mtu = 1400" in said or "mtu=1400" in said, said
        assert "0 received" in said, said
    finally:
        _router("link", "set", _B.interface, "mtu", "1500")
        for host in (_A, _B):  # the path MTU that it has learnt
            must(["ip", "-n", host.namespace, "route", "flush", "cache"])
            must(["ip", "-n", host.namespace, "-6", "route", "flush", "cache"])


def _send(frames: list[bytes]) -> None:
    with entered(_A.namespace):
        raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    with raw:
        raw.bind(("eth0", 0))
        for frame in frames:
            raw.send(frame)


def _frame(*tags: tuple[int, int]) -> bytes:
    """To the router, a minimal IPv4 packet behind the tags, each its EtherType and its VLAN."""
    macs = bytes.fromhex((Node(4).port_mac + Host(4).mac).replace(":", ""))
    tagged = b"".join(t.to_bytes(2, "big") + v.to_bytes(2, "big") for t, v in tags)
    return (macs + tagged + b"\x08\x00" + b"\x45" + bytes(45)).ljust(60, b"\0")


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        (((0x8100, 999),), "vlan_unknown"),
        (((0x8100, 200),), "vlan_unknown"),  # another port's
        (((0x8100, 4095),), "vlan_reserved"),
        (((0x8100, 100), (0x8100, 100)), "vlan_unsupported"),
        (((0x8100, 999), (0x8100, 100)), "vlan_unsupported"),
    ],
)
def test_what_is_no_vlan_of_the_port_is_counted_once(tags: tuple, reason: str) -> None:
    with drops.exactly(7, _A.port, reason):
        _send([_frame(*tags)] * 7)


@pytest.mark.usefixtures("vlans")
def test_an_interface_that_goes_and_comes_back(topology: Topology) -> None:
    _reachable(4)
    _router("link", "del", _A.interface)
    lifecycle.await_in_sync(topology)
    wait_until(
        "no such interface",
        lambda: None
        if all(r["name"] != _A.interface for r in rackway.show("interfaces"))
        else _A.interface,
        _SECONDS,
    )
    lifecycle.await_in_sync(topology)
    assert ping(_A.namespace, _B.address(4), 3).received == 0
    with drops.exactly(7, _A.port, "vlan_unknown"):
        _send([_frame((0x8100, 100))] * 7)
    _make_interface(_A)
    _await_interface(topology, _A, 2)
    for family in (4, 6):
        _reachable(family)


@pytest.mark.usefixtures("vlans")
def test_an_interface_that_is_down_takes_nothing(topology: Topology) -> None:
    _reachable(4)
    _router("link", "set", _A.interface, "down")
    _await_interface(topology, _A, 0)
    with drops.exactly(7, _A.port, "vlan_unknown"):
        _send([_frame((0x8100, 100))] * 7)
    _router("link", "set", _A.interface, "up")
    _await_interface(topology, _A, 2)
    for family in (4, 6):
        _reachable(family)


def _rename(name: str, new_name: str) -> None:
    """While it is down; many kernels want that."""
    _router("link", "set", name, "down")
    _router("link", "set", name, "name", new_name)
    _router("link", "set", new_name, "up")


@pytest.mark.usefixtures("vlans")
def test_a_renamed_interface_is_the_same(topology: Topology) -> None:
    _reachable(4)
    _rename(_A.interface, "blue")
    try:
        wait_until(
            "the new name",
            lambda: None if any(r["name"] == "blue" for r in rackway.show("interfaces")) else "no",
            _SECONDS,
        )
        for family in (4, 6):
            _reachable(family)
        (row,) = rackway.show("interfaces", "blue")
        assert (row["port"], row["vlan"], row["state"]) == (_A.port, _A.vlan, "up")
    finally:
        _rename("blue", _A.interface)
    _await_interface(topology, _A, 2)


@pytest.mark.usefixtures("vlans")
def test_a_port_that_goes_down_takes_its_vlans(topology: Topology) -> None:
    _reachable(4)
    set_sysctls(ROUTER_NAMESPACE, {"net.ipv6.conf.default.keep_addr_on_down": "1"})
    _router("link", "set", _A.port, "down")
    _await_interface(topology, _A, 0)
    _router("link", "set", _A.port, "up")
    _await_interface(topology, _A, 2)
    for family in (4, 6):
        _reachable(family)
