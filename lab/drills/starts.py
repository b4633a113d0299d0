# SPDX-License-Identifier: Apache-2.0
"""Everything starts from nothing, in any order."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable

from lab import bird, frr, lifecycle, namespaces, processes, rackway, recovery
from lab.commands import must
from lab.drills.scene import Scene
from lab.topology import CONTROLLER_STATE, ROUTER_NAMESPACE, Topology

_SEED = 20261
_MOST_APART_SECONDS = 0.5


def _starts(topology: Topology) -> dict[str, Callable[[], object]]:
    """How each process starts, by its name."""
    starts: dict[str, Callable[[], object]] = {rackway.CONTROLLER: rackway.start_controller}
    for node in topology.nodes:
        starts[node.name] = lambda node=node: rackway.start_node(node)
    for daemon in frr.DAEMON_NAMES:
        starts[daemon] = lambda daemon=daemon: frr.start_daemon(daemon)
    for host in topology.bgp_hosts:
        starts[bird.process_name(host)] = lambda host=host: bird.start_daemon(host)
    return starts


def _forget_everything(topology: Topology) -> None:
    """No process, no port, nothing kept on disk."""
    for name in lifecycle.process_names(topology):
        processes.stop(name)
    for node in topology.edge_nodes:
        must(["ip", "-n", ROUTER_NAMESPACE, "link", "delete", node.port])
    must(["ip", "-n", ROUTER_NAMESPACE, "route", "flush", "table", "main"])
    must(["ip", "-6", "-n", ROUTER_NAMESPACE, "route", "flush", "table", "main"])
    shutil.rmtree(CONTROLLER_STATE)


def _order(names: list[str], shuffler: random.Random) -> list[str]:
    order = shuffler.sample(names, len(names))
    # FRR's own order: bgpd 8.4 that finds no zebra takes ten seconds until it looks again, and
    # knows no interface until then.
    a, b = sorted((order.index("zebra"), order.index("bgpd")))
    order[a], order[b] = "zebra", "bgpd"
    return order


def shuffled_start(scene: Scene) -> None:
    topology = scene.topology
    before = recovery.routes()
    starts, shuffler = _starts(topology), random.Random(_SEED)
    for _ in range(scene.pick(1, 8)):
        _forget_everything(topology)
        order = _order(list(starts), shuffler)
        scene.notes.append(" ".join(order))
        with scene.recovering():
            for name in order:
                starts[name]()
                time.sleep(shuffler.uniform(0, _MOST_APART_SECONDS))
            lifecycle.await_ports(topology)
            namespaces.configure_ports(topology)
            scene.await_as(before)
        with scene.traffic():
            pass
    scene.notes.insert(0, f"seed {_SEED}")
