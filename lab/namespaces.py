# SPDX-License-Identifier: Apache-2.0
"""The lab's network: namespaces, veth pairs, the management bridge, addresses, sysctls.

All of it lies inside namespaces that the lab makes, links included, so that removing the namespaces
removes everything and the machine's own network is never touched.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

from lab import prefixes
from lab.commands import in_namespace, must, run
from lab.errors import LabError
from lab.topology import (
    CONTROLLER_ADDRESS,
    MANAGEMENT_NAMESPACE,
    ROUTER_NAMESPACE,
    SWITCH_NAMESPACE,
    STATIC_IPV4_HOST,
    STATIC_IPV6_HOST,
    Host,
    Node,
    Plug,
    Topology,
    plugs,
)

_DIRECTORY = Path("/run/netns")
_CLONE_NEWNET = 0x40000000

# A kernel that computes no checksum and joins no segments: frames are what they are on a wire.
_OFFLOADS = ("tx", "rx", "sg", "tso", "gso", "gro")

_NO_AUTOCONFIGURATION = {
    "net.ipv6.conf.default.accept_ra": "0",
    "net.ipv6.conf.default.accept_dad": "0",
    "net.ipv6.conf.all.accept_dad": "0",
}
_NO_ICMP_LIMITS = {"net.ipv4.icmp_ratelimit": "0", "net.ipv6.icmp.ratelimit": "0"}


def exists(name: str) -> bool:
    return (_DIRECTORY / name).exists()


def existing(names: list[str]) -> list[str]:
    return [name for name in names if exists(name)]


def process_ids(name: str) -> list[int]:
    """The processes that live in namespace NAME; none when there is no such namespace."""
    if not exists(name):
        return []
    listed = run(["ip", "netns", "pids", name])
    return [int(word) for word in listed.stdout.split()]


def delete(name: str) -> None:
    """Deletes namespace NAME with all its links, or what a crash left of it."""
    if exists(name) and run(["ip", "netns", "delete", name]).returncode != 0:
        with contextlib.suppress(FileNotFoundError):
            (_DIRECTORY / name).unlink()


@contextlib.contextmanager
def entered(name: str) -> Iterator[None]:
    """The calling thread is in namespace NAME inside the block. A socket made there stays there."""
    libc = ctypes.CDLL(None, use_errno=True)

    def enter(descriptor: int) -> None:
        if libc.setns(descriptor, _CLONE_NEWNET) != 0:
            raise LabError(f"can not enter namespace {name}: {os.strerror(ctypes.get_errno())}")

    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        there = os.open(_DIRECTORY / name, os.O_RDONLY)
        try:
            enter(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            enter(home)
    finally:
        os.close(home)


def set_sysctls(name: str, settings: dict[str, str]) -> None:
    """Sets sysctls of namespace NAME only."""
    pairs = [f"{key}={value}" for key, value in settings.items()]
    must(in_namespace(name, ["sysctl", "-q", "-w", *pairs]))


def _ip_batch(name: str, lines: list[str]) -> None:
    must(["ip", "-n", name, "-batch", "-"], stdin="\n".join(lines) + "\n")


def _offloads_off(name: str, interface: str) -> None:
    options = [word for offload in _OFFLOADS for word in (offload, "off")]
    must(in_namespace(name, ["ethtool", "-K", interface, *options]))


def create(topology: Topology) -> None:
    """Builds the whole network of TOPOLOGY. The router's ports appear later, as TAPs."""
    for name in topology.namespaces:
        must(["ip", "netns", "add", name])
        set_sysctls(name, _NO_AUTOCONFIGURATION | _NO_ICMP_LIMITS)
        _ip_batch(name, ["link set lo up"])
    _create_management(topology)
    _create_router()
    for node, host in zip(topology.edge_nodes, topology.hosts):
        _connect(node, host, topology.mtu)
    if topology.switched:
        _create_switch(topology)


def _create_management(topology: Topology) -> None:
    _ip_batch(
        MANAGEMENT_NAMESPACE,
        [
            "link add br0 type bridge",
            f"address add {CONTROLLER_ADDRESS}/24 dev br0",
            "link set br0 up",
        ],
    )
    for node in topology.nodes:
        _ip_batch(
            MANAGEMENT_NAMESPACE,
            [
                f"link add {node.name} type veth peer name mgmt0 netns {node.namespace}",
                f"link set {node.name} master br0 up",
            ],
        )
        _ip_batch(
            node.namespace,
            [f"address add {node.management_address}/24 dev mgmt0", "link set mgmt0 up"],
        )


def _create_router() -> None:
    set_sysctls(
        ROUTER_NAMESPACE,
        {
            "net.ipv4.ip_forward": "1",
            "net.ipv6.conf.all.forwarding": "1",
            "net.ipv6.conf.default.keep_addr_on_down": "1",
        },
    )


def _connect(node: Node, host: Host, mtu: int) -> None:
    _ip_batch(
        node.namespace,
        [
            f"link add ext0 mtu {mtu} address {node.port_mac} type veth "
            f"peer name eth0 mtu {mtu} address {host.mac} netns {host.namespace}"
        ],
    )
    _leave_to_node(node, "ext0")
    _offloads_off(node.namespace, "ext0")
    _offloads_off(host.namespace, "eth0")
    _ip_batch(node.namespace, ["link set ext0 up"])
    _ip_batch(host.namespace, _host_lines(host))


def _leave_to_node(node: Node, interface: str) -> None:
    """Frames there belong to the node's process; the server's kernel answers none of them."""
    set_sysctls(
        node.namespace,
        {
            f"net.ipv6.conf.{interface}.disable_ipv6": "1",
            f"net.ipv4.conf.{interface}.arp_ignore": "8",  # answer no ARP request
            f"net.ipv4.conf.{interface}.rp_filter": "1",  # no source is reachable there: drop IPv4
        },
    )


def _create_switch(topology: Topology) -> None:
    """A bridge for each fabric link, as a switch has a VLAN for each. They learn and flood."""
    for ends in plugs(topology):
        bridge = f"link{ends[0].link}"
        _ip_batch(
            SWITCH_NAMESPACE,
            [f"link add {bridge} mtu {topology.mtu} type bridge stp_state 0 mcast_snooping 0"],
        )
        _no_ipv6(SWITCH_NAMESPACE, bridge)
        _ip_batch(SWITCH_NAMESPACE, [f"link set {bridge} up"])
        for plug in ends:
            _plug_in(plug, bridge, topology.mtu)


def _plug_in(plug: Plug, bridge: str, mtu: int) -> None:
    node, here, there = plug.node, plug.switch_interface, plug.interface
    _ip_batch(
        SWITCH_NAMESPACE,
        [
            f"link add {here} mtu {mtu} type veth "
            f"peer name {there} mtu {mtu} netns {node.namespace}"
        ],
    )
    _leave_to_node(node, there)
    _no_ipv6(SWITCH_NAMESPACE, here)
    _offloads_off(node.namespace, there)
    _offloads_off(SWITCH_NAMESPACE, here)
    _ip_batch(node.namespace, [f"link set {there} up"])
    _ip_batch(SWITCH_NAMESPACE, [f"link set {here} master {bridge} up"])


def _no_ipv6(name: str, interface: str) -> None:
    set_sysctls(name, {f"net.ipv6.conf.{interface}.disable_ipv6": "1"})


def _host_lines(host: Host) -> list[str]:
    return [
        f"address add {host.address(4)}/24 dev eth0",
        f"address add {host.address(6)}/64 dev eth0 nodad",
        "link set eth0 up",
        f"route add default via {host.gateway(4)}",
        f"route add ::/0 via {host.gateway(6)}",
        *(f"address add {address} dev lo" for address in _loopback_addresses(host)),
    ]


def _loopback_addresses(host: Host) -> list[str]:
    if host.speaks_bgp:
        return prefixes.living_addresses(host.number)
    return [STATIC_IPV4_HOST, STATIC_IPV6_HOST] if host.answers_static_routes else []


def configure_ports(topology: Topology) -> None:
    """Gives the router's ports their addresses, as an operator would, with plain `ip`."""
    lines = []
    for node in topology.edge_nodes:
        lines.append(f"address replace {node.port_address(4)}/24 dev {node.port}")
        lines.append(f"address replace {node.port_address(6)}/64 dev {node.port} nodad")
        lines.append(f"link set {node.port} up")
    _ip_batch(ROUTER_NAMESPACE, lines)


def missing_ports(topology: Topology) -> list[str]:
    """The router's ports that have not appeared as TAPs yet."""
    listed = must(["ip", "-n", ROUTER_NAMESPACE, "-o", "link"])
    present = {line.split(": ")[1].split("@")[0] for line in listed.splitlines()}
    return [node.port for node in topology.edge_nodes if node.port not in present]
