# SPDX-License-Identifier: Apache-2.0
"""`./dev bench lab`: the running lab's latency, throughput and idle cost against their targets."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

from lab.checks.idle import IDLE_CPU_PERCENT, PING_MS
from lab.machine import describe
from lab.measure import Measurements
from lab.table import render

COLUMNS = ("name", "value", "unit", "peer", "ratio", "target", "met")


def _row(name: str, value: float | None, unit: str, below: float | None = None) -> dict:
    """A row of the common format; there is no peer. BELOW: the value's target is less than it."""
    return {
        "name": name,
        "value": value,
        "unit": unit,
        "peer": None,
        "ratio": None,
        "target": None if below is None else f"< {below:g}",
        "met": None if below is None else value is not None and value < below,
    }


def rows(measured: Measurements) -> list[dict]:
    found = []
    for family in (4, 6):
        times = [ms for (_, _, f), ms in measured.ping_ms.items() if f == family]
        answered = [ms for ms in times if ms is not None]
        median = statistics.median(answered) if len(answered) == len(times) else None
        found.append(_row(f"ping IPv{family}, median over all pairs", median, "ms", PING_MS))
    for (client, server), rate in measured.gigabits.items():
        found.append(_row(f"TCP {client.name} to {server.name}", rate, "Gb/s"))
    idle = measured.idle_cpu_percent
    found.append(_row("controller and nodes, idle", idle, "% of a core", IDLE_CPU_PERCENT))
    return found


def text(found: list[dict]) -> str:
    met = {True: "yes", False: "NO", None: "-"}
    cells = [[met[row[c]] if c == "met" else row[c] for c in COLUMNS] for row in found]
    return describe() + "\n" + render(COLUMNS, cells)


def write_json(found: list[dict], path: Path) -> None:
    document = {"bench": "lab", "machine": describe(), "rows": found}
    path.write_text(json.dumps(document, indent=2) + "\n")
