# SPDX-License-Identifier: Apache-2.0
"""What the controller needs runs out: the disk of its folder --state, and room for the kernel's events."""

from __future__ import annotations

import contextlib
import errno
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lab import processes, rackway, recovery
from lab.commands import must
from lab.drills import updates
from lab.drills.scene import Scene
from lab.errors import CheckFailed
from lab.topology import CONTROLLER_STATE
from lab.waiting import wait_until

_DISK = "size=128k"
_FILLER = CONTROLLER_STATE / "filler"
_MOST_ROUTES = 500  # far more than go into what SQLite has set aside
_SECONDS = 10.0


@contextlib.contextmanager
def _small_disk(scene: Scene, before: recovery.Routes) -> Iterator[None]:
    """The controller runs with its state on one of 128 KiB, and goes back to its own afterwards."""

    def move_with_controller_away(mount: list[str]) -> None:
        processes.stop(rackway.CONTROLLER)
        with tempfile.TemporaryDirectory() as aside:
            shutil.copytree(CONTROLLER_STATE, aside, dirs_exist_ok=True)
            must([*mount, str(CONTROLLER_STATE)])
            shutil.copytree(aside, CONTROLLER_STATE, dirs_exist_ok=True)
        rackway.start_controller()
        scene.await_as(before)

    try:
        move_with_controller_away(["mount", "-t", "tmpfs", "-o", _DISK, "rackway-drill"])
        yield
    finally:
        if CONTROLLER_STATE.is_mount():
            _FILLER.unlink(missing_ok=True)
            move_with_controller_away(["umount"])


def _fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise


def _added() -> set[str]:
    return {row["prefix"] for row in rackway.show("routes") if row["protocol"] == "added"}


def _add_until_refused(gateways: list[str]) -> tuple[set[str], str, str]:
    """The prefixes that were taken, the one that was not, and what was said about it."""
    taken: set[str] = set()
    for number in range(_MOST_ROUTES):
        prefix = updates.prefix(number)
        done = rackway.command("route", "add", prefix, *gateways)
        if done.returncode != 0:
            return taken, prefix, done.stderr.strip()
        taken.add(prefix)
    raise CheckFailed(f"{_MOST_ROUTES} routes are added on a full disk, none refused")


def full_disk(scene: Scene) -> None:
    before = recovery.routes()
    gateways = [host.address(4) for host in scene.topology.hosts]
    with _small_disk(scene, before), scene.traffic():
        _fill(_FILLER)
        taken, refused, words = _add_until_refused(gateways)
        scene.expect("full" in words, f"route add on a full disk says {words}")
        scene.expect(_added() == taken, f"taken were {len(taken)} routes, there are {_added()}")
        _expect_the_kernel_is_followed(scene, gateways)
        processes.kill(rackway.CONTROLLER)
        rackway.start_controller()
        scene.await_one_digest()
        scene.expect(_added() == taken, f"of {len(taken)} routes {len(_added())} were kept")
        with scene.recovering():
            _FILLER.unlink()
            rackway.order("route", "add", refused, *gateways)
            scene.await_one_digest()
        scene.expect(_added() == taken | {refused}, f"{refused} is not there")
        for prefix in _added():
            rackway.order("route", "del", prefix)
        scene.await_as(before)
    scene.notes.append(f"after {len(taken)} more: {words}")


def _expect_the_kernel_is_followed(scene: Scene, gateways: list[str]) -> None:
    """Beside the routes that were added by hand."""
    lines = [line.replace("198.18.", "198.19.") for line in updates.replaced(100, 100, gateways)]
    # Also of the last ones: a controller that dies before it has told of a withdrawal can not know of
    # it, and keeps such a route for minutes.
    for given in (lines, [line.replace("replace", "del") for line in lines]):
        updates.give(iter(given))
        wait_until("the FIB is what the kernel has", updates.not_as_kernel, _SECONDS)
        scene.await_one_digest()


def _kernel_source() -> dict:
    return next(row for row in rackway.show("sources") if row["source"] == "kernel")


def netlink_overflow(scene: Scene) -> None:
    """In a lab whose controller has a small receive buffer."""
    before = recovery.routes()
    counted = _kernel_source()
    prefixes, rounds = scene.pick((4_000, 2), (updates.MOST_PREFIXES, 5))
    gateways = [host.address(4) for host in scene.topology.hosts]
    changes = 0
    with scene.traffic():
        for _ in range(rounds):
            lines = list(updates.burst(prefixes, gateways))
            updates.give(iter(lines))
            with scene.recovering():
                wait_until("the FIB is what the kernel has", updates.not_as_kernel, 2 * _SECONDS)
                scene.await_one_digest()
            updates.give(updates.withdrawn(prefixes, but_every=3))
            changes += len(lines) + prefixes - len(range(0, prefixes, 3))
        scene.await_as(before)
    grown = {key: _kernel_source()[key] - counted[key] for key in ("overruns", "resyncs")}
    for key, number in grown.items():
        scene.expect(number > 0, f"no {key} are counted")
    scene.notes.append(
        f"{changes:,} changes, {grown['overruns']} overruns, {grown['resyncs']} resyncs"
    )
