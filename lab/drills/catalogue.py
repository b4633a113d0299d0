# SPDX-License-Identifier: Apache-2.0
"""All drills. Those of one lab stand together, so that it is brought up once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.checks.failover import NOTICED_SECONDS
from lab.drills import crashes, resources, stalls, starts
from lab.drills.scene import Limits, Scene
from lab.topology import Topology

_PLAIN = Topology()
_FPM = Topology(fpm=True)
_SMALL_BUFFER = Topology(netlink_buffer=4096)


@dataclass(frozen=True)
class Drill:
    name: str
    what: str
    lab: Topology
    limits: Limits
    play: Callable[[Scene], None]


def _node_kills() -> list[Drill]:
    limits = Limits(recovery=30, gap=NOTICED_SECONDS, outage=60)
    return [
        Drill(f"node_kill_{node.name}", f"kill -9 of {node.name}", _PLAIN, limits, crashes.node(node))
        for node in _PLAIN.nodes
    ]


CATALOGUE = [
    Drill(
        "controller_kill", "kill -9 of the controller", _PLAIN, Limits(60), crashes.controller
    ),
    Drill(
        "zebra_kill",
        "kill -9 of zebra, its routes taken from the kernel",
        _PLAIN,
        Limits(60, outage=60),
        crashes.zebra,
    ),
    Drill(
        "bgpd_kill",
        "kill -9 of bgpd, routes taken from the kernel",
        _PLAIN,
        Limits(60, outage=60),
        crashes.bgpd,
    ),
    *_node_kills(),
    Drill(
        "node_stopped",
        "SIGSTOP of a node during updates of routes",
        _PLAIN,
        Limits(30, gap=NOTICED_SECONDS, outage=120),
        stalls.node_stopped,
    ),
    Drill(
        "management_cut",
        "a node's cable to the management network is pulled",
        _PLAIN,
        Limits(30),
        stalls.management_cut,
    ),
    Drill("full_disk", "the controller's disk is full", _PLAIN, Limits(30), resources.full_disk),
    Drill(
        "shuffled_start", "everything starts in any order", _PLAIN, Limits(60), starts.shuffled_start
    ),
    Drill(
        "controller_kill_fpm", "kill -9 of the controller, routes by FPM", _FPM, Limits(60),
        crashes.controller,
    ),
    Drill("zebra_kill_fpm", "kill -9 of zebra, routes by FPM", _FPM, Limits(60), crashes.zebra),
    Drill(
        "bgpd_kill_fpm",
        "kill -9 of bgpd, routes by FPM",
        _FPM,
        Limits(60, outage=60),
        crashes.bgpd,
    ),
    Drill(
        "netlink_overflow",
        "more changes of routes than the receive buffer holds",
        _SMALL_BUFFER,
        Limits(30),
        resources.netlink_overflow,
    ),
]


def named(beginnings: list[str]) -> list[Drill]:
    """Those whose names begin with one of these, in the catalogue's order; all without any."""
    return [
        drill
        for drill in CATALOGUE
        if not beginnings or any(drill.name.startswith(word) for word in beginnings)
    ]
