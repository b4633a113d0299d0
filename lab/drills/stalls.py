# SPDX-License-Identifier: Apache-2.0
"""A node that is there and does not answer: stopped, or cut off from the controller."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator

from lab import processes, rackway, recovery
from lab.checks.failover import state_of
from lab.commands import must
from lab.drills import updates
from lab.drills.epochs import EpochWatch
from lab.drills.scene import Scene, at
from lab.topology import MANAGEMENT_NAMESPACE, Node
from lab.waiting import wait_until

# Once, a transaction waits for the stopped node, for 1 s and 10 us a record; later ones do not.
_PAUSE_SECONDS = 2.5
_NOTICED_SECONDS = 10.0


@contextlib.contextmanager
def _stopped(node: Node) -> Iterator[None]:
    pid = processes.running(node.name)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def node_stopped(scene: Scene) -> None:
    victim, *others = reversed(scene.topology.nodes)
    before = recovery.routes()
    seconds, count = scene.pick((3.0, 5_000), (60.0, 100_000))
    prefixes = count // scene.pick(5, 20)
    gateways = [host.address(4) for host in scene.topology.hosts if host.number != victim.number]
    lines = updates.replaced(count, prefixes, gateways)
    with scene.traffic(at(victim)):
        with _stopped(victim), EpochWatch(others) as watch:
            started = time.monotonic()
            with updates.Stream(lines, count / seconds) as stream:
                stream.wait()
            time.sleep(max(0.0, started + seconds - time.monotonic()))
            seen = state_of(others[0], victim)
        with scene.recovering():
            scene.await_one_digest()
            wait_until("the FIB is what the kernel has", updates.not_as_kernel, _NOTICED_SECONDS)
        updates.give(updates.withdrawn(prefixes))
        scene.await_as(before)
    scene.expect(seen == "down", f"{others[0].name} found its link to the stopped node {seen}")
    pause = watch.longest_pause
    scene.expect(pause <= _PAUSE_SECONDS, f"no epoch at the others for {pause:.1f} s")
    scene.notes.append(
        f"{victim.name} stopped for {seconds:.0f} s, {count:,} updates: {watch.count} epochs at the "
        f"others, the longest pause {pause:.2f} s"
    )


@contextlib.contextmanager
def _cut_off(node: Node) -> Iterator[None]:
    """The node's cable to the management network is pulled: nobody is told."""
    cable = ["ip", "-n", MANAGEMENT_NAMESPACE, "link", "set", node.name]
    must([*cable, "down"])
    try:
        yield
    finally:
        must([*cable, "up"])


def management_cut(scene: Scene) -> None:
    victim, *others = reversed(scene.topology.nodes)
    before = recovery.routes()
    gateways = [scene.topology.hosts[0].address(4)]
    prefixes = 100
    with scene.traffic():
        with _cut_off(victim):
            rackway.await_state(victim, "down")
            # What changes meanwhile reaches the others at once, and the victim later.
            updates.give(updates.replaced(prefixes, prefixes, gateways))
            wait_until("the others have it", lambda: _not_at(others), _NOTICED_SECONDS)
            time.sleep(scene.pick(1.0, 30.0))
        with scene.recovering():
            scene.await_one_digest()
            wait_until("the FIB is what the kernel has", updates.not_as_kernel, _NOTICED_SECONDS)
        updates.give(updates.withdrawn(prefixes))
        scene.await_as(before)


def _not_at(nodes: list[Node]) -> str | None:
    """What keeps NODES from having what the kernel has."""
    names = {node.name for node in nodes}
    behind = [row for row in rackway.show("nodes") if row["name"] in names and not row["in_sync"]]
    return f"{behind[0]['name']} is behind" if behind else updates.not_as_kernel()
