# SPDX-License-Identifier: Apache-2.0
"""Rows of tables that the operator imports, of one route that changes and of a next hop under many."""

from __future__ import annotations

import statistics
import subprocess
import time
from pathlib import Path

from lab import bench, rackway
from lab.control_bench import tables
from lab.control_bench.cluster import HOSTS, Cluster, gateway, ip_batch, octets_of

_BEHIND = 500_000
_VIA = "192.168.77.77"  # of no link: by a route of its own
_COVER = "192.168.77.0/24"
_CHANGED = "198.18.0.0/24"
_CHANGES, _MOVES = 1_000, 21
_FIB_COPIES = 2  # of a node: left and right
_NODE = "n1"


def _write_full(file: Path) -> str:
    """A full table to the neighbours; its last prefix."""
    with file.open("w") as out:
        for family in (4, 6):
            for prefix, number in tables.full(family):
                out.write(f"{prefix},{gateway(number, family)}\n")
    return prefix


def _write_behind(file: Path) -> str:
    """One of which all routes are via one next hop; its last prefix."""
    with file.open("w") as out:
        for prefix, _ in tables.made_up(4, _BEHIND):
            out.write(f"{prefix},{_VIA}\n")
    return prefix


def full_table(cluster: Cluster, folder: Path) -> list[dict]:
    file = folder / "full.csv"
    last, count = _write_full(file), tables.IPV4 + tables.IPV6
    controller, node = octets_of(rackway.CONTROLLER), octets_of(_NODE)
    took = cluster.import_table(file, last)
    each = (octets_of(rackway.CONTROLLER) - controller) / count
    copy = (octets_of(_NODE) - node) / _FIB_COPIES / 1e6
    gone = cluster.withdraw_imported(last)
    left = (octets_of(rackway.CONTROLLER) - controller) / 1e6
    return [
        bench.row("import to committed on all nodes", count / took, "routes/s", above=400_000),
        bench.row("the controller's memory for it", each, "octets a route", below=400),
        bench.row("a node's memory for a copy of it", copy, "MB", below=60),
        bench.row("withdrawn on all nodes", count / gone, "routes/s"),
        bench.row("the controller's memory then, above that before", left, "MB"),
    ]


def _change(cluster: Cluster, ip: subprocess.Popen, number: int) -> float:
    """Of a route of the kernel, from the change on."""
    host, started = gateway(number, 4), time.monotonic()
    ip.stdin.write(f"route replace {_CHANGED} via {host}\n")
    ip.stdin.flush()
    return cluster.await_all(lambda: cluster.leads_to(_CHANGED, host), started)


def one_route(cluster: Cluster) -> list[dict]:
    with ip_batch() as ip:
        times = sorted(_change(cluster, ip, number) for number in range(_CHANGES))
        ip.stdin.write(f"route del {_CHANGED}\n")
    return [
        bench.row("a kernel route changes, median", statistics.median(times) * 1000, "ms"),
        bench.row(f"the same, p99 of {_CHANGES:,}", times[_CHANGES * 99 // 100] * 1000, "ms", below=20),
    ]


def _move(cluster: Cluster, number: int, prefix: str) -> float:
    host, started = gateway(number, 4), time.monotonic()
    cluster.api.ask(order="route-add", name=_COVER, target=host)
    return cluster.await_all(lambda: cluster.leads_to(prefix, host), started)


def next_hop(cluster: Cluster, folder: Path) -> list[dict]:
    file = folder / "behind.csv"
    last = _write_behind(file)
    cluster.api.ask(order="route-add", name=_COVER, target=HOSTS[0].address(4))
    cluster.import_table(file, last)
    moves = [_move(cluster, number, last) for number in range(1, _MOVES)]
    cluster.withdraw_imported(last)
    cluster.api.ask(order="route-del", name=_COVER)
    name = f"a next hop under {_BEHIND:,} routes moves"
    return [
        bench.row(f"{name}, median", statistics.median(moves) * 1000, "ms"),
        bench.row("the same, longest", max(moves) * 1000, "ms", below=50),
    ]
