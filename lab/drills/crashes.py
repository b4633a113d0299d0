# SPDX-License-Identifier: Apache-2.0
"""kill -9 of each process in turn; it is started again as a supervisor would."""

from __future__ import annotations

import time

from lab import frr, processes, rackway, recovery
from lab.drills.scene import Scene, at, learnt
from lab.topology import Node


def controller(scene: Scene) -> None:
    before = recovery.routes()
    with scene.traffic():
        processes.kill(rackway.CONTROLLER)
        # The longer one is more than BGP waits: the neighbours withdraw their routes meanwhile.
        time.sleep(scene.pick(1.0, 12.0))
        with scene.recovering():
            rackway.start_controller()
            scene.await_as(before)


def zebra(scene: Scene) -> None:
    _frr_dies(scene, "zebra")


def bgpd(scene: Scene) -> None:
    _frr_dies(scene, "bgpd")


def _frr_dies(scene: Scene, daemon: str) -> None:
    before = recovery.routes()
    # Zebra's routes outlive it where the controller has them from itself.
    keeps = daemon == "zebra" and scene.topology.fpm
    with scene.traffic(*([] if keeps else [learnt])):
        processes.kill(daemon)
        time.sleep(scene.pick(0.5, 5.0))
        with scene.recovering():
            _start_as_watchfrr(daemon)
            scene.await_as(before)


def _start_as_watchfrr(daemon: str) -> None:
    """A dead bgpd alone; with a dead zebra all: bgpd 8.4 tells its routes to no other zebra."""
    if daemon == "zebra":
        processes.kill("bgpd")
        frr.start_daemon("zebra")
        frr.await_zebra()
    frr.start_daemon("bgpd")


def node(victim: Node):
    """The drill that kills VICTIM."""

    def drill(scene: Scene) -> None:
        before = recovery.routes()
        with scene.traffic(at(victim)):
            processes.kill(victim.name)
            rackway.await_state(victim, "down")
            time.sleep(scene.pick(0.0, 5.0))
            with scene.recovering():
                rackway.start_node(victim)
                scene.await_as(before)

    return drill
