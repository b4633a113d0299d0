# SPDX-License-Identifier: Apache-2.0
"""The wall clock of the controller and of all nodes is set by hours, forth and back, under traffic:
nothing moves. Each has a clock of its own (stepped_clock.c); the machine's is left alone."""

from __future__ import annotations

import datetime
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab import processes, rackway
from lab.checks import failover
from lab.numbered import Traffic
from lab.topology import Topology
from lab.waiting import wait_until

_HOURS = (5, -5, 0, -300, 300)
_SECONDS = 30.0
_BETWEEN_SECONDS = 1.5  # more than any hello, heartbeat or retry
_SOURCE = Path(__file__).with_name("stepped_clock.c")


def _restart_all(topology: Topology) -> None:
    processes.stop(rackway.CONTROLLER)
    rackway.start_controller()
    for node in topology.nodes:
        processes.stop(node.name)
        rackway.start_node(node)
    failover.await_all_up(topology)
    wait_until("the controller settles",
               lambda: None if rackway.show_cluster()["settled"] else "not yet", 3 * _SECONDS)


@pytest.fixture
def set_clocks(topology: Topology, tmp_path: Path, monkeypatch) -> Iterator[Callable[[int], None]]:
    """Sets the clocks of controller and nodes so many hours off."""
    library, offset = tmp_path / "stepped_clock.so", tmp_path / "seconds"
    build = ["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(library), str(_SOURCE)]
    subprocess.run(build, check=True)
    offset.write_bytes(struct.pack("=q", 0))

    def set_to(hours: int) -> None:
        with offset.open("r+b") as file:
            file.write(struct.pack("=q", hours * 3600))

    with monkeypatch.context() as environment:
        environment.setenv("LD_PRELOAD", str(library))
        environment.setenv("STEPPED_CLOCK", str(offset))
        _restart_all(topology)
    yield set_to
    _restart_all(topology)


def _events() -> list[tuple]:
    return [(row["seen_by"], row["number"], row["event"]) for row in rackway.show("events")]


def _boots() -> list[str]:
    return [row["boot_id"] for row in rackway.show("nodes")]


def _last_words(name: str) -> datetime.datetime:
    """When NAME believes to have logged its last line."""
    return datetime.datetime.fromisoformat(processes.log_tail(name, 1).split(" ")[0])


def _expect_the_clock_to_be_off(names: list[str], hours: int) -> None:
    """An order makes each say something."""
    mode = "direct" if rackway.show_cluster()["vlb_mode"] == "adaptive" else "adaptive"
    rackway.order("vlb", "mode", mode)
    wanted = datetime.timedelta(hours=hours)

    def obstacle() -> str | None:
        for name in names:
            off = _last_words(name) - datetime.datetime.now()
            if abs(off - wanted) > datetime.timedelta(minutes=5):
                return f"{name} is {off} off"
        return None

    wait_until(f"the clocks are {hours} h off", obstacle, _SECONDS)


def test_a_clock_that_is_set_moves_nothing(topology: Topology, set_clocks) -> None:
    names = [rackway.CONTROLLER, *(node.name for node in topology.nodes)]
    before, boots, mode = _events(), _boots(), rackway.show_cluster()["vlb_mode"]
    with Traffic(topology.hosts) as traffic:
        for hours in _HOURS:
            set_clocks(hours)
            time.sleep(_BETWEEN_SECONDS)
            # Neighbours of the kernel come and go, so an epoch may be under way.
            wait_until("all are in sync", lambda: rackway.why_not_in_sync(topology), _SECONDS)
    assert len(traffic.flows) == traffic.expected
    assert [flow for flow in traffic.flows if flow.lost] == []
    assert (_events(), _boots()) == (before, boots)
    _expect_the_clock_to_be_off(names, _HOURS[-1])
    rackway.order("vlb", "mode", mode)
