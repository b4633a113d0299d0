# SPDX-License-Identifier: Apache-2.0
"""Rows of a file of updates that is replayed into the kernel, many times as fast as it was.

Every tenth of a second of the replay ends with a route of its own, a mark: how far behind the nodes are
is the time from when a mark is written until every node has taken it.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict

from lab import bench
from lab.control_bench import updates_file
from lab.control_bench.cluster import Cluster, gateway, ip_batch
from lab.control_bench.tables import data
from lab.control_bench.updates_file import Change

_FASTER = 60
_MARK_SECONDS = 0.1
_FILES = ("rrc15-updates.20100227.1600.gz", "ris-updates.20160811.1600.gz")


def mark(number: int) -> str:
    return f"198.18.{number // 256}.{number % 256}/32"


def line(change: Change) -> str:
    if change.neighbor is None:
        return f"route del {change.prefix}\n"
    return f"route replace {change.prefix} via {gateway(change.neighbor, change.family)}\n"


def pieces(changes: list[Change]) -> list[str]:
    """What to write in each piece of the replay, a mark at its end. Changes of one second of the file
    are spread over that second."""
    by_second: dict[int, list[Change]] = defaultdict(list)
    for change in changes:
        by_second[int(change.at)].append(change)
    spread: dict[int, list[str]] = defaultdict(list)
    for second, some in by_second.items():
        for index, change in enumerate(some):
            spread[int((second + index / len(some)) / _FASTER / _MARK_SECONDS)].append(line(change))
    return [
        "".join(spread[number]) + f"route add {mark(number)} via {gateway(number, 4)}\n"
        for number in range(max(spread) + 1)
    ]


def _replay(cluster: Cluster, texts: list[str]) -> list[float]:
    """Seconds behind, of each mark."""
    written: list[float] = []
    behind: list[float] = []
    with ip_batch() as ip:

        def write() -> None:
            started = time.monotonic()
            for number, text in enumerate(texts):
                time.sleep(max(0.0, started + number * _MARK_SECONDS - time.monotonic()))
                ip.stdin.write(text)
                ip.stdin.flush()
                written.append(time.monotonic())

        writer = threading.Thread(target=write)
        writer.start()
        for number in range(len(texts)):
            cluster.await_there(lambda number=number: cluster.all_took(mark(number)))
            behind.append(time.monotonic() - written[number])
        writer.join()
        for number in range(len(texts)):
            ip.stdin.write(f"route del {mark(number)}\n")
    return behind


def _rows(cluster: Cluster, name: str, changes: list[Change]) -> list[dict]:
    last: dict[str, Change] = {change.prefix: change for change in changes}
    behind = sorted(_replay(cluster, pieces(changes)))
    with ip_batch() as ip:
        ip.stdin.writelines(f"route del {p}\n" for p, c in last.items() if c.neighbor is not None)
    cluster.await_there(lambda: not any(cluster.has(prefix) for prefix in list(last)[-3:]))
    seconds = changes[-1].at / _FASTER
    return [
        bench.row(f"{name}, {_FASTER} times as fast", len(changes) / seconds, "changes/s"),
        bench.row("the nodes are behind by, median", behind[len(behind) // 2] * 1000, "ms"),
        bench.row("the same, most", behind[-1] * 1000, "ms", below=100),
    ]


def updates(cluster: Cluster) -> list[dict]:
    rows = []
    for name in _FILES:
        if path := data("mrt", name):
            rows += _rows(cluster, name, updates_file.read(path))
    return rows or _rows(cluster, "15 minutes of made-up updates", updates_file.made_up())
