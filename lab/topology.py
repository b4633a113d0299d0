# SPDX-License-Identifier: Apache-2.0
"""The lab's plan: every name, address and MAC, and the cluster document made from them.

Pure data: nothing here touches the machine. Node N owns port nN-p0, which faces host N in subnet
10.0.N.0/24 and 2001:db8:N::/64. The first two hosts speak BGP, the third answers for the static
routes.
"""

from __future__ import annotations

import itertools
import json
import sys
from dataclasses import dataclass
from pathlib import Path

DEFAULT_NODES = 4
MIN_NODES = 2
MAX_NODES = 8

DEFAULT_MTU = 1500
MIN_MTU = 1280
MAX_MTU = 9216

_JSON_COLUMNS = 100

RUN_DIRECTORY = Path("/run/rackway")
LAB_DIRECTORY = RUN_DIRECTORY / "lab"
MEMIF_DIRECTORY = RUN_DIRECTORY / "memif"
CLUSTER_FILE = LAB_DIRECTORY / "cluster.json"

ROUTER_NAMESPACE = "rackway"
MANAGEMENT_NAMESPACE = "rw-mgmt"
CONTROLLER_ADDRESS = "10.255.0.254"
CONTROL_ENDPOINT = f"tcp://{CONTROLLER_ADDRESS}:7600"
PACKETS_ENDPOINT = f"tcp://{CONTROLLER_ADDRESS}:7601"
API_SOCKET = RUN_DIRECTORY / "api.sock"

ROUTER_AS = 65000
STATIC_IPV4 = "203.0.113.0/24"
STATIC_IPV4_HOST = "203.0.113.1"
STATIC_IPV6 = "2001:db8:203::/48"
STATIC_IPV6_HOST = "2001:db8:203::1"
BLACKHOLE_IPV4 = "192.0.2.0/24"
BLACKHOLE_IPV6 = "2001:db8:dead::/48"


@dataclass(frozen=True)
class Node:
    """One server of the cluster; NUMBER counts from 1."""

    number: int

    @property
    def name(self) -> str:
        return f"n{self.number}"

    @property
    def namespace(self) -> str:
        return f"rw-n{self.number}"

    @property
    def management_address(self) -> str:
        return f"10.255.0.{self.number}"

    @property
    def port(self) -> str:
        """The external port's name, which is also its TAP's name in the router's namespace."""
        return f"{self.name}-p0"

    @property
    def port_mac(self) -> str:
        return f"02:52:57:00:00:{self.number:02x}"

    def port_address(self, family: int) -> str:
        """The router's address of FAMILY 4 or 6 on the port."""
        return f"10.0.{self.number}.1" if family == 4 else f"2001:db8:{self.number}::1"


@dataclass(frozen=True)
class Host:
    """The neighbour that node NUMBER's external port faces."""

    number: int

    @property
    def name(self) -> str:
        return f"h{self.number}"

    @property
    def namespace(self) -> str:
        return f"rw-h{self.number}"

    @property
    def mac(self) -> str:
        return f"02:52:48:00:00:{self.number:02x}"

    def address(self, family: int) -> str:
        """The host's address of FAMILY 4 or 6."""
        return f"10.0.{self.number}.2" if family == 4 else f"2001:db8:{self.number}::2"

    def gateway(self, family: int) -> str:
        """The router's address of FAMILY 4 or 6 in the host's subnet."""
        return Node(self.number).port_address(family)

    @property
    def speaks_bgp(self) -> bool:
        return self.number <= 2

    @property
    def autonomous_system(self) -> int:
        return ROUTER_AS + self.number

    @property
    def answers_static_routes(self) -> bool:
        return self.number == 3


@dataclass(frozen=True)
class Topology:
    """A full mesh of SIZE nodes with one host each."""

    size: int = DEFAULT_NODES
    mtu: int = DEFAULT_MTU  # of every port, hence of the fabric
    urpf: tuple[str, ...] = ()  # by node, of its port; none: off

    @property
    def nodes(self) -> list[Node]:
        return [Node(number) for number in range(1, self.size + 1)]

    @property
    def hosts(self) -> list[Host]:
        return [Host(number) for number in range(1, self.size + 1)]

    @property
    def bgp_hosts(self) -> list[Host]:
        return [host for host in self.hosts if host.speaks_bgp]

    @property
    def links(self) -> list[tuple[Node, Node]]:
        """The fabric: one link between any two nodes; a link's number is its place here."""
        return list(itertools.combinations(self.nodes, 2))

    @property
    def host_pairs(self) -> list[tuple[Host, Host]]:
        """Every ordered pair of different hosts."""
        return list(itertools.permutations(self.hosts, 2))

    @property
    def has_static_routes(self) -> bool:
        return any(host.answers_static_routes for host in self.hosts)

    @property
    def namespaces(self) -> list[str]:
        return [
            MANAGEMENT_NAMESPACE,
            ROUTER_NAMESPACE,
            *(node.namespace for node in self.nodes),
            *(host.namespace for host in self.hosts),
        ]


def buffer_size(mtu: int) -> int:
    """What a device copies a frame through: a multiple of 2048, as the nodes' packet buffers."""
    return -(-(mtu + 128) // 2048) * 2048


def external_device(mtu: int = DEFAULT_MTU) -> str:
    """The DPDK device of an external port: the one place that chooses how a node meets its host."""
    size = buffer_size(mtu)
    frames = 2048 if mtu <= DEFAULT_MTU else 512
    return (
        f"net_af_packet0,iface=ext0,qpairs=1,framesz={size},blocksz={2 * size},framecnt={frames}"
    )


def _port(node: Node, topology: Topology) -> dict:
    """What is as it would be anyway is left out."""
    port = {"name": "p0", "device": external_device(topology.mtu)}
    if topology.mtu != DEFAULT_MTU:
        port["mtu"] = topology.mtu
    if node.number <= len(topology.urpf):
        port["urpf"] = topology.urpf[node.number - 1]
    return port


def _memif(number_on_node: int, role: str, link: int, nodes: tuple[Node, Node], mtu: int) -> str:
    socket = MEMIF_DIRECTORY / f"{nodes[0].name}-{nodes[1].name}.sock"
    return (
        f"net_memif{number_on_node},role={role},id={link},"
        f"socket={socket},socket-abstract=no,rsize=10,bsize={buffer_size(mtu)}"
    )


def _links(topology: Topology) -> list[dict]:
    used = dict.fromkeys(topology.nodes, 0)
    links = []
    for number, (a, b) in enumerate(topology.links):
        links.append(
            {
                "between": [a.name, b.name],
                "devices": [
                    _memif(used[a], "server", number, (a, b), topology.mtu),
                    _memif(used[b], "client", number, (a, b), topology.mtu),
                ],
            }
        )
        used[a] += 1
        used[b] += 1
    return links


def _static_routes(topology: Topology) -> list[dict]:
    blackholes = [
        {"prefix": BLACKHOLE_IPV4, "type": "blackhole"},
        {"prefix": BLACKHOLE_IPV6, "type": "blackhole"},
    ]
    if not topology.has_static_routes:
        return blackholes
    host = next(host for host in topology.hosts if host.answers_static_routes)
    return [
        {"prefix": STATIC_IPV4, "via": [host.address(4)]},
        {"prefix": STATIC_IPV6, "via": [host.address(6)]},
        *blackholes,
    ]


def cluster_document(topology: Topology) -> dict:
    """The cluster document that describes TOPOLOGY to the controller."""
    return {
        "name": "lab",
        "controller": {
            "control": CONTROL_ENDPOINT,
            "packets": PACKETS_ENDPOINT,
            "api": f"ipc://{API_SOCKET}",
            "namespace": ROUTER_NAMESPACE,
        },
        "nodes": [
            {"name": node.name, "ports": [_port(node, topology)]} for node in topology.nodes
        ],
        "fabric": {"links": _links(topology)},
        "vlb": {"mode": "valiant"},
        "routes": _static_routes(topology),
    }


def _readable(value: object, indent: str = "") -> str:
    """JSON that breaks lines only where a value would not fit in one."""
    flat = json.dumps(value)
    if len(indent) + len(flat) <= _JSON_COLUMNS or not isinstance(value, (dict, list)):
        return flat
    inner = indent + "  "
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {_readable(item, inner)}" for key, item in value.items()]
    else:
        items = [_readable(item, inner) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{closing}"


def cluster_json(topology: Topology) -> str:
    return _readable(cluster_document(topology)) + "\n"


if __name__ == "__main__":
    # `python3 -m lab.topology > lab/cluster.json` renews the example that ships.
    sys.stdout.write(cluster_json(Topology()))
