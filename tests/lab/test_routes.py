# SPDX-License-Identifier: Apache-2.0
"""Routes of the operator's own: added, imported from text and from an MRT dump, explained, kept over
a restart of the controller. They lead to host 3 and host 4, which speak no BGP."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from lab import processes, rackway
from lab.topology import Host, Topology
from lab.waiting import wait_until

_SECONDS = 15.0
_BEHIND = "192.168.77.0/24"  # next hops that are no neighbours
_A, _B = Host(3), Host(4)


def _add(prefix: str, *target: str) -> None:
    rackway.order("route", "add", prefix, *target)


def _explain(name: str) -> dict:
    done = rackway.command("show", "route", name, "--explain", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _way(name: str) -> list[str] | None:
    """The next hops by which the nodes send to an address, or none."""
    done = rackway.command("show", "route", name, "--json")
    rows = json.loads(done.stdout) if done.returncode == 0 else []
    return [hop["address"] for hop in rows[0]["next_hops"]] if rows else None


def _await_way(topology: Topology, name: str, hops: list[str] | None) -> None:
    def obstacle() -> str | None:
        seen = _way(name)
        if seen != hops:
            return f"{name} goes to {seen}"
        return rackway.why_not_in_sync(topology)

    wait_until(f"the way to {name}", obstacle, _SECONDS)


@pytest.fixture(autouse=True)
def _no_routes_left(topology: Topology) -> Iterator[None]:
    yield
    for prefix in (_BEHIND, "198.18.0.0/15"):
        rackway.command("route", "del", prefix)
    rackway.order("route", "del", "--imported")
    _await_way(topology, "198.18.0.1", None)


def test_an_added_route_follows_its_next_hop(topology: Topology) -> None:
    _add("198.18.0.0/15", "via", "192.168.77.77")
    assert _way("198.18.0.1") is None
    _add(_BEHIND, _A.address(4))
    _await_way(topology, "198.18.0.1", [_A.address(4)])
    _add(_BEHIND, _B.address(4))
    _await_way(topology, "198.18.0.1", [_B.address(4)])
    rackway.order("route", "del", _BEHIND)
    _await_way(topology, "198.18.0.1", None)


def test_a_route_is_explained(topology: Topology) -> None:
    _add(_BEHIND, _A.address(4), f"{_B.address(4)}*3")
    _add("198.18.0.0/15", "192.168.77.77")
    _await_way(topology, "198.18.0.1", [_A.address(4), _B.address(4)])
    row = _explain("198.18.0.1")
    assert [(c["source"], c["distance"], c["state"]) for c in row["candidates"]] == [
        ("added", 1, "used")
    ]
    steps = [(s["next_hop"], s["through"], s["outcome"]) for s in row["recursion"]]
    assert steps == [
        ("192.168.77.77", _BEHIND, "recursive"),
        (_A.address(4), "10.0.3.0/24", "on link"),
        (_B.address(4), "10.0.4.0/24", "on link"),
    ]
    hops = [(h["node"], h["port"], h["mac"], h["share_percent"]) for h in row["next_hops"]]
    assert hops == [("n3", "n3-p0", _A.mac, 25), ("n4", "n4-p0", _B.mac, 75)]
    newest = max(row["route_epoch"], row["group_epoch"])
    assert newest > 0
    assert {node["node"]: node["took"] for node in row["nodes"]} == {
        node.name: newest for node in topology.nodes
    }
    text = rackway.command("show", "route", "198.18.0.1", "--explain").stdout
    assert f"n1: took it in epoch {newest}" in text


def test_a_table_is_imported_and_replaced(topology: Topology, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    lines = [f"198.18.{n}.0/24,{_A.address(4)}" for n in range(256)]
    table.write_text("prefix,next_hop\n" + "\n".join(lines) + "\nno route\n")
    done = rackway.command("route", "import", str(table))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"read 256 routes of {table}, 256 prefixes are imported\n"
    assert f"{table}:258: " in done.stderr and "skipped 1: bad line" in done.stderr
    _await_way(topology, "198.18.255.1", [_A.address(4)])
    table.write_text(f"198.18.7.0/24,{_B.address(4)}\n")
    rackway.order("route", "import", str(table))
    _await_way(topology, "198.18.255.1", None)
    _await_way(topology, "198.18.7.1", [_B.address(4)])


def _record(kind: int, subtype: int, body: bytes) -> bytes:
    return struct.pack(">IHHI", 1, kind, subtype, len(body)) + body


def _dump(routes: dict[str, str]) -> bytes:
    """A TABLE_DUMP_V2 of one peer."""
    peer = struct.pack(">B4s4sH", 0, b"\0\0\0\1", ip_address("192.0.2.1").packed, 65000)
    octets = _record(13, 1, b"\0\0\0\1" + struct.pack(">HH", 0, 1) + peer)
    for number, (prefix, hop) in enumerate(routes.items()):
        net = ip_network(prefix)
        attributes = b"\x40\x01\x01\x00\x40\x02\x00\x40\x03\x04" + ip_address(hop).packed
        entry = struct.pack(">HIH", 0, 1, len(attributes)) + attributes
        nlri = bytes([net.prefixlen]) + net.network_address.packed[: (net.prefixlen + 7) // 8]
        octets += _record(13, 2, struct.pack(">I", number) + nlri + b"\0\1" + entry)
    return octets


def test_a_dump_is_imported(topology: Topology, tmp_path: Path) -> None:
    dump = tmp_path / "rib.gz"
    routes = {f"198.19.{n}.0/24": _B.address(4) for n in range(100)}
    dump.write_bytes(gzip.compress(_dump(routes) + _record(13, 2, b"broken")))
    done = rackway.command("route", "import", str(dump), "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["format"], summary["routes"], summary["imported"]) == ("mrt", 100, 100)
    assert summary["skipped"] == {"bad prefix": 1}
    _await_way(topology, "198.19.99.1", [_B.address(4)])


def test_routes_outlive_the_controller(topology: Topology, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(f"198.18.7.0/24,{_B.address(4)}\n")
    rackway.order("route", "import", str(table))
    _add("198.18.0.0/15", _A.address(4))
    _await_way(topology, "198.18.0.1", [_A.address(4)])
    processes.kill(rackway.CONTROLLER)
    rackway.start_controller()
    _await_way(topology, "198.18.0.1", [_A.address(4)])
    _await_way(topology, "198.18.7.1", [_B.address(4)])
    assert [row["source"] for row in rackway.show("rib", "198.18.0.0/15")] == ["added"]
    assert rackway.show("routes", "198.18.7.0/24")[0]["stale"] is False
