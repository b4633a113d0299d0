# SPDX-License-Identifier: Apache-2.0
"""Rows of a full table that the kernel is given as fast as it takes it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from lab import bench, rackway
from lab.api import Api
from lab.control_bench import tables
from lab.control_bench.cluster import Cluster, busy_seconds, gateway, ip_batch, octets_of

_ASKED_EVERY = 0.02


class _Watch:
    """Asks the controller all the while, as an operator does."""

    longest_answer = 0.0

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        api = Api()
        while not self._over.wait(_ASKED_EVERY):
            asked = time.monotonic()
            api.ask(show="cluster")
            self.longest_answer = max(self.longest_answer, time.monotonic() - asked)
        api.close()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()


def _lines(word: str) -> Iterator[str]:
    for family in (4, 6):
        for prefix, number in tables.full(family):
            yield f"route {word} {prefix} via {gateway(number, family)}\n"


def _give(lines: list[str]) -> float:
    """When the kernel has the last of them; seconds that it took."""
    started = time.monotonic()
    ip = ip_batch()
    for line in lines:
        ip.stdin.write(line)
    ip.stdin.close()
    ip.wait()
    return time.monotonic() - started


def kernel_table(cluster: Cluster) -> list[dict]:
    count = tables.IPV4 + tables.IPV6
    added, deleted = list(_lines("add")), list(_lines("del"))
    last = added[-1].split()[2]
    before, octets = cluster.kernel_source(), octets_of(rackway.CONTROLLER)
    watch = _Watch()
    with watch.watching():
        busy = busy_seconds(rackway.CONTROLLER)
        took = _give(added)
        idle = 1 - (busy_seconds(rackway.CONTROLLER) - busy) / took
        behind = cluster.await_all(lambda: cluster.has(last), time.monotonic())
        each = (octets_of(rackway.CONTROLLER) - octets) / count
        _give(deleted)
        behind_deleted = cluster.await_all(lambda: not cluster.has(last), time.monotonic())
    after = cluster.kernel_source()
    return [
        bench.row("a full table into the kernel, as fast as it goes", count / took, "routes/s"),
        bench.row("the controller's idle share meanwhile", idle * 100, "%", above=0),
        bench.row("all nodes have it after the kernel by", behind * 1000, "ms"),
        bench.row("the controller's memory for it", each, "octets a route"),
        bench.row("deleted: all nodes have that after the kernel by", behind_deleted * 1000, "ms"),
        bench.row("the longest answer to a question meanwhile", watch.longest_answer * 1000, "ms"),
        bench.row("overruns of the kernel's buffer", after["overruns"] - before["overruns"], "", below=1),
    ]
