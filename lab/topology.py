# SPDX-License-Identifier: Apache-2.0
"""The lab's plan: every name, address and MAC, and the cluster document made from them.

Pure data: nothing here touches the machine. Node N owns port nN-p0, which faces host N in subnet
10.0.N.0/24 and 2001:db8:N::/64. The first two hosts speak BGP, the third answers for the static
routes. The nodes form a full mesh, or the edge of a butterfly, whose other nodes have no ports and
only relay. A link of the fabric is a memif, or goes through a switch: a bridge between two veths.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

DEFAULT_NODES = 4
MIN_NODES = 2
MAX_NODES = 8
MAX_NODES_AND_RELAYS = 20  # of a 2-ary 3-fly

DEFAULT_MTU = 1500
# Slower than the default: the nodes share a machine with everything else of the lab.
HELLO = {"interval_ms": 50, "multiplier": 3}
MIN_MTU = 1280
MAX_MTU = 9216

_JSON_COLUMNS = 100

RUN_DIRECTORY = Path("/run/rackway")
LAB_DIRECTORY = RUN_DIRECTORY / "lab"
MEMIF_DIRECTORY = RUN_DIRECTORY / "memif"
CLUSTER_FILE = LAB_DIRECTORY / "cluster.json"
CONTROLLER_STATE = LAB_DIRECTORY / "state"
NODE_STATES = LAB_DIRECTORY / "nodes"

ROUTER_NAMESPACE = "rackway"
MANAGEMENT_NAMESPACE = "rw-mgmt"
SWITCH_NAMESPACE = "rw-switch"
CONTROLLER_ADDRESS = "10.255.0.254"
CONTROL_ENDPOINT = f"tcp://{CONTROLLER_ADDRESS}:7600"
PACKETS_ENDPOINT = f"tcp://{CONTROLLER_ADDRESS}:7601"
API_SOCKET = RUN_DIRECTORY / "api.sock"
FPM_ADDRESS, FPM_PORT = "127.0.0.1", 2620  # in the router's namespace

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
    def state(self) -> Path:
        """The folder of what it keeps."""
        return NODE_STATES / self.name

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
class Butterfly:
    """A k-ary n-fly: k^n edge nodes, and n stages of k^(n-1) relays, which are numbered after them."""

    k: int
    n: int

    @property
    def name(self) -> str:
        return f"butterfly-{self.k}x{self.n}"

    @property
    def edge_nodes(self) -> int:
        return self.k**self.n

    @property
    def relays(self) -> int:
        return self.n * self.k ** (self.n - 1)

    @property
    def links(self) -> list[tuple[int, int]]:
        """By the numbers of the nodes, from 0; as topo/fabric_shapes.cc."""
        edges = [(edge, edge // self.k) for edge in range(self.edge_nodes)]
        first = [(edge, self._relay(0, relay)) for edge, relay in edges]
        last = [(edge, self._relay(self.n - 1, relay)) for edge, relay in edges]
        return first + self._between_stages() + (last if self.n > 1 else [])

    def _relay(self, stage: int, number: int) -> int:
        return self.edge_nodes + stage * self.k ** (self.n - 1) + number

    def _between_stages(self) -> list[tuple[int, int]]:
        links = []
        for stage in range(self.n - 1):
            weight = self.k ** (self.n - 2 - stage)
            for number in range(self.k ** (self.n - 1)):
                base = number - number // weight % self.k * weight
                for digit in range(self.k):
                    following = self._relay(stage + 1, base + digit * weight)
                    links.append((self._relay(stage, number), following))
        return links


_BUTTERFLY = re.compile(r"butterfly-(\d)x(\d)")


def butterfly_named(name: str) -> Butterfly | None:
    """The butterfly of such a name as butterfly-2x3, if it is one and the lab can hold it."""
    match = _BUTTERFLY.fullmatch(name)
    if match is None or int(match[1]) < 2 or int(match[2]) < 1:
        return None
    shape = Butterfly(int(match[1]), int(match[2]))
    return shape if shape.edge_nodes + shape.relays <= MAX_NODES_AND_RELAYS else None


@dataclass(frozen=True)
class Topology:
    """SIZE nodes with one host each, joined by a full mesh or by the relays of a butterfly."""

    size: int = DEFAULT_NODES
    mtu: int = DEFAULT_MTU  # of every port, hence of the fabric
    urpf: tuple[str, ...] = ()  # by node, of its port; none: off
    butterfly: Butterfly | None = None  # none: a full mesh
    switched: bool = False  # every fabric link leads through a switch
    cores: tuple[int, ...] = ()  # by node, that forward; none: 1
    fpm: bool = False  # the controller has FRR's routes from zebra, not from the kernel
    netlink_buffer: int | None = None  # octets; none: the controller's own choice

    @classmethod
    def of_butterfly(cls, shape: Butterfly, **more) -> Topology:
        return cls(shape.edge_nodes, butterfly=shape, **more)

    @property
    def edge_nodes(self) -> list[Node]:
        """Those with an external port."""
        return [Node(number) for number in range(1, self.size + 1)]

    @property
    def relays(self) -> list[Node]:
        """Those without."""
        count = self.butterfly.relays if self.butterfly else 0
        return [Node(self.size + number) for number in range(1, count + 1)]

    @property
    def nodes(self) -> list[Node]:
        return self.edge_nodes + self.relays

    def cores_of(self, node: Node) -> int:
        return self.cores[node.number - 1] if node.number <= len(self.cores) else 1

    @property
    def hosts(self) -> list[Host]:
        return [Host(number) for number in range(1, self.size + 1)]

    @property
    def bgp_hosts(self) -> list[Host]:
        return [host for host in self.hosts if host.speaks_bgp]

    @property
    def links(self) -> list[tuple[Node, Node]]:
        """The fabric; a link's number is its place here."""
        nodes = self.nodes
        if self.butterfly:
            return [(nodes[a], nodes[b]) for a, b in self.butterfly.links]
        return list(itertools.combinations(nodes, 2))

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
            *([SWITCH_NAMESPACE] if self.switched else []),
            *(node.namespace for node in self.nodes),
            *(host.namespace for host in self.hosts),
        ]


def every_namespace() -> list[str]:
    """Those that any lab may have."""
    numbers = range(1, MAX_NODES_AND_RELAYS + 1)
    return [
        MANAGEMENT_NAMESPACE,
        ROUTER_NAMESPACE,
        SWITCH_NAMESPACE,
        *(Node(number).namespace for number in numbers),
        *(Host(number).namespace for number in numbers),
    ]


@dataclass(frozen=True)
class Plug:
    """One end of a fabric link: the PLACE-th of its node's links, from 0."""

    node: Node
    place: int
    link: int

    @property
    def interface(self) -> str:
        """The veth in the node's namespace, where the link leads through a switch."""
        return f"fab{self.place}"

    @property
    def switch_interface(self) -> str:
        """Its other end, in the switch's namespace."""
        return f"{self.node.name}f{self.place}"


def plugs(topology: Topology) -> list[tuple[Plug, Plug]]:
    """Both ends of every fabric link."""
    used = dict.fromkeys(topology.nodes, 0)

    def next_of(node: Node, link: int) -> Plug:
        used[node] += 1
        return Plug(node, used[node] - 1, link)

    return [(next_of(a, link), next_of(b, link)) for link, (a, b) in enumerate(topology.links)]


def buffer_size(mtu: int) -> int:
    """What a device copies a frame through: a multiple of 2048, as the nodes' packet buffers."""
    return -(-(mtu + 128) // 2048) * 2048


def external_device(mtu: int = DEFAULT_MTU, queues: int = 1) -> str:
    """The DPDK device of an external port: the one place that chooses how a node meets its host."""
    return _af_packet(0, "ext0", mtu, queues)


def _af_packet(number_on_node: int, interface: str, mtu: int, queues: int = 1) -> str:
    size = buffer_size(mtu)
    frames = 2048 if mtu <= DEFAULT_MTU else 512
    return (
        f"net_af_packet{number_on_node},iface={interface},qpairs={queues},"
        f"framesz={size},blocksz={2 * size},framecnt={frames}"
    )


def _port(node: Node, topology: Topology) -> dict:
    """What is as it would be anyway is left out."""
    port = {"name": "p0", "device": external_device(topology.mtu, topology.cores_of(node))}
    if topology.mtu != DEFAULT_MTU:
        port["mtu"] = topology.mtu
    if node.number <= len(topology.urpf):
        port["urpf"] = topology.urpf[node.number - 1]
    return port


def _nodes(topology: Topology) -> list[dict]:
    with_ports = [
        {"name": node.name, "ports": [_port(node, topology)]} for node in topology.edge_nodes
    ]
    return with_ports + [{"name": node.name} for node in topology.relays]


def _memif(plug: Plug, role: str, nodes: tuple[Node, Node], mtu: int) -> str:
    socket = MEMIF_DIRECTORY / f"{nodes[0].name}-{nodes[1].name}.sock"
    return (
        f"net_memif{plug.place},role={role},id={plug.link},"
        f"socket={socket},socket-abstract=no,rsize=10,bsize={buffer_size(mtu)}"
    )


def _links(topology: Topology) -> list[dict]:
    links = []
    for ends in plugs(topology):
        nodes = (ends[0].node, ends[1].node)
        if topology.switched:
            devices = [_af_packet(p.place + 1, p.interface, topology.mtu) for p in ends]
        else:
            roles = zip(ends, ("server", "client"))
            devices = [_memif(plug, role, nodes, topology.mtu) for plug, role in roles]
        links.append({"between": [node.name for node in nodes], "devices": devices})
    return links


def _fabric(topology: Topology) -> dict:
    fabric: dict = {"links": _links(topology), "hello": HELLO}
    queues = max(topology.cores_of(node) for node in topology.nodes)
    return fabric if queues == 1 else fabric | {"queues": queues}


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
    controller: dict = {
        "control": CONTROL_ENDPOINT,
        "packets": PACKETS_ENDPOINT,
        "api": f"ipc://{API_SOCKET}",
        "namespace": ROUTER_NAMESPACE,
    }
    if topology.fpm:
        controller["fpm"] = {"address": FPM_ADDRESS, "port": FPM_PORT}
    if topology.netlink_buffer is not None:
        controller["netlink_buffer"] = topology.netlink_buffer
    return {
        "name": "lab",
        "controller": controller,
        "nodes": _nodes(topology),
        "fabric": _fabric(topology),
        "vlb": {"mode": "adaptive"},
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
