# SPDX-License-Identifier: Apache-2.0
"""The lab's plan and the configuration made from it. Needs neither root nor a running lab."""

from __future__ import annotations

import ipaddress
import itertools
import json
from pathlib import Path

import pytest

from lab import bird, frr, prefixes
from lab.topology import (
    MAX_NODES,
    MIN_NODES,
    Butterfly,
    Host,
    Node,
    Topology,
    butterfly_named,
    cluster_document,
    cluster_json,
    every_namespace,
)

_SHIPPED = Path(__file__).resolve().parents[2] / "lab" / "cluster.json"


def test_shipped_example_is_what_the_lab_uses() -> None:
    assert _SHIPPED.read_text() == cluster_json(Topology()), (
        "renew it: /usr/bin/python3 -m lab.topology > lab/cluster.json"
    )


def test_readable_json_says_the_same_as_the_document() -> None:
    for size in range(MIN_NODES, MAX_NODES + 1):
        assert json.loads(cluster_json(Topology(size))) == cluster_document(Topology(size))


def test_names_and_addresses_of_the_second_site() -> None:
    node, host = Node(2), Host(2)
    assert (node.name, node.namespace, node.port) == ("n2", "rw-n2", "n2-p0")
    assert (node.port_mac, host.mac) == ("02:52:57:00:00:02", "02:52:48:00:00:02")
    assert (node.port_address(4), node.port_address(6)) == ("10.0.2.1", "2001:db8:2::1")
    assert (host.address(4), host.address(6)) == ("10.0.2.2", "2001:db8:2::2")
    assert (host.gateway(4), host.gateway(6)) == (node.port_address(4), node.port_address(6))


@pytest.mark.parametrize("size", range(MIN_NODES, MAX_NODES + 1))
def test_full_mesh_has_a_link_per_pair(size: int) -> None:
    links = cluster_document(Topology(size))["fabric"]["links"]
    between = [tuple(link["between"]) for link in links]
    assert between == list(itertools.combinations([f"n{i}" for i in range(1, size + 1)], 2))


_BUTTERFLIES = ("butterfly-2x1", "butterfly-2x2", "butterfly-2x3", "butterfly-3x2", "butterfly-9x1")


def test_the_smallest_butterfly_link_by_link() -> None:
    topology = Topology.of_butterfly(Butterfly(2, 2))
    assert [(a.number, b.number) for a, b in topology.links] == [
        *((1, 5), (2, 5), (3, 6), (4, 6)),
        *((5, 7), (5, 8), (6, 7), (6, 8)),
        *((1, 7), (2, 7), (3, 8), (4, 8)),
    ]
    nodes = cluster_document(topology)["nodes"]
    assert [node["name"] for node in nodes if "ports" in node] == ["n1", "n2", "n3", "n4"]
    assert [node["name"] for node in nodes if "ports" not in node] == ["n5", "n6", "n7", "n8"]


@pytest.mark.parametrize("name", _BUTTERFLIES)
def test_a_butterfly_has_its_numbers_of_nodes_and_links(name: str) -> None:
    shape = butterfly_named(name)
    assert shape is not None and shape.name == name
    topology = Topology.of_butterfly(shape)
    assert len(topology.hosts) == len(topology.edge_nodes) == shape.k**shape.n
    degree = dict.fromkeys(topology.nodes, 0)
    for a, b in topology.links:
        degree[a] += 1
        degree[b] += 1
    stages = min(shape.n, 2)  # the first and the last one
    assert {degree[node] for node in topology.edge_nodes} == {stages}
    assert {degree[node] for node in topology.relays} == {shape.k * stages}
    assert len(set(topology.links)) == len(topology.links)
    assert set(topology.namespaces) <= set(every_namespace())


@pytest.mark.parametrize("name", ["mesh", "butterfly", "butterfly-1x2", "butterfly-2x0",
                                  "butterfly-2x4", "butterfly-4x2", "butterfly-2x2x2"])
def test_no_butterfly_of_that_name(name: str) -> None:
    assert butterfly_named(name) is None


_FABRICS = [Topology(size) for size in range(MIN_NODES, MAX_NODES + 1)]
_FABRICS += [Topology.of_butterfly(butterfly_named(name)) for name in _BUTTERFLIES]


@pytest.mark.parametrize("topology", _FABRICS, ids=str)
def test_fabric_devices_pair_up_and_are_unique_on_a_node(topology: Topology) -> None:
    on_node: dict[str, list[str]] = {}
    for link in cluster_document(topology)["fabric"]["links"]:
        ends = [dict(item.split("=", 1) for item in device.split(",")[1:])
                for device in link["devices"]]
        assert ends[0] == ends[1] | {"role": "server"}
        assert ends[1]["role"] == "client"
        for node, device in zip(link["between"], link["devices"]):
            on_node.setdefault(node, []).append(device.partition(",")[0])
    for node, devices in on_node.items():
        assert devices == [f"net_memif{i}" for i in range(len(devices))], node


def test_behind_a_switch_every_end_of_a_link_is_an_interface_of_its_own() -> None:
    topology = Topology(3, switched=True)
    used = set()
    for link in cluster_document(topology)["fabric"]["links"]:
        for node, device in zip(link["between"], link["devices"]):
            name, interface = device.split(",")[:2]
            used.add((node, name, interface))
    assert used == {
        (f"n{node}", f"net_af_packet{place + 1}", f"iface=fab{place}")
        for node in (1, 2, 3)
        for place in (0, 1)
    }
    assert set(topology.namespaces) <= set(every_namespace())


def test_jumbo_frames_fit_every_device() -> None:
    document = cluster_document(Topology(3, mtu=9000))
    devices = [port["device"] for node in document["nodes"] for port in node["ports"]]
    assert [port["mtu"] for node in document["nodes"] for port in node["ports"]] == [9000] * 3
    for link in document["fabric"]["links"]:
        devices += link["devices"]
    for device in devices:
        settings = dict(item.split("=", 1) for item in device.split(",")[1:])
        size = int(settings.get("framesz") or settings["bsize"])
        assert size == 10240, device
        assert int(settings.get("blocksz", 4096)) % 4096 == 0, device


def test_urpf_is_named_only_where_it_is_asked_for() -> None:
    nodes = cluster_document(Topology(3, urpf=("strict", "loose")))["nodes"]
    assert [node["ports"][0].get("urpf") for node in nodes] == ["strict", "loose", None]


def test_static_routes_need_the_third_host() -> None:
    assert not Topology(2).has_static_routes
    assert {route.get("type", "unicast") for route in cluster_document(Topology(2))["routes"]} == {
        "blackhole"
    }
    assert {tuple(route.get("via", ())) for route in cluster_document(Topology(3))["routes"]} == {
        ("10.0.3.2",),
        ("2001:db8:3::2",),
        (),
    }


def test_announced_prefixes_are_many_and_do_not_overlap() -> None:
    for made, whole in (
        (prefixes.ipv4_prefixes, ipaddress.ip_network("100.64.0.0/10")),
        (prefixes.ipv6_prefixes, ipaddress.ip_network("2001:db8:8000::/33")),
    ):
        announced = sorted(made(1) + made(2))
        assert all(prefix.subnet_of(whole) for prefix in announced)
        assert len(announced) in (4000, 2000)
        assert not any(a.overlaps(b) for a, b in itertools.pairwise(announced))
        assert len({prefix.prefixlen for prefix in announced}) >= 5


def test_living_addresses_lie_in_announced_prefixes_of_both_families() -> None:
    for number in (1, 2):
        announced = [*prefixes.ipv4_prefixes(number), *prefixes.ipv6_prefixes(number)]
        living = [ipaddress.ip_address(text) for text in prefixes.living_addresses(number)]
        assert {address.version for address in living} == {4, 6}
        for address in living:
            assert any(
                address in prefix for prefix in announced if prefix.version == address.version
            )


def test_bgpd_has_a_session_per_family_and_host() -> None:
    config = frr.bgpd_config(Topology())
    for peer in ("10.0.1.2", "10.0.2.2", "2001:db8:1::2", "2001:db8:2::2"):
        assert f" neighbor {peer} remote-as 6500" in config
        assert f"  neighbor {peer} activate" in config
    assert "no bgp ebgp-requires-policy" in config


def test_bird_announces_everything_and_touches_no_kernel() -> None:
    config = bird.config(Host(1))
    assert config.count(" unreachable;") == prefixes.IPV4_COUNT + prefixes.IPV6_COUNT
    assert "protocol kernel" not in config
    assert "local 10.0.1.2 as 65001;" in config
    assert "neighbor 2001:db8:1::1 as 65000;" in config
