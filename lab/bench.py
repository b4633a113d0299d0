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


def row(
    name: str,
    value: float | None,
    unit: str,
    below: float | None = None,
    above: float | None = None,
) -> dict:
    """A row of the common format; there is no peer. BELOW, ABOVE: the value's target is less than
    it, or more."""
    target = None if below is None else f"< {below:g}"
    met = None if below is None else value is not None and value < below
    if above is not None:
        target, met = f"> {above:,}", value is not None and value > above
    return {
        "name": name,
        "value": value,
        "unit": unit,
        "peer": None,
        "ratio": None,
        "target": target,
        "met": met,
    }


def rows(measured: Measurements) -> list[dict]:
    found = []
    for family in (4, 6):
        times = [ms for (_, _, f), ms in measured.ping_ms.items() if f == family]
        answered = [ms for ms in times if ms is not None]
        median = statistics.median(answered) if len(answered) == len(times) else None
        found.append(row(f"ping IPv{family}, median over all pairs", median, "ms", PING_MS))
    for (client, server), rate in measured.gigabits.items():
        found.append(row(f"TCP {client.name} to {server.name}", rate, "Gb/s"))
    idle = measured.idle_cpu_percent
    found.append(row("controller and nodes, idle", idle, "% of a core", IDLE_CPU_PERCENT))
    return found


def text(found: list[dict]) -> str:
    met = {True: "yes", False: "NO", None: "-"}
    cells = [[met[one[c]] if c == "met" else one[c] for c in COLUMNS] for one in found]
    return describe() + "\n" + render(COLUMNS, cells)


def write_json(found: list[dict], path: Path, name: str = "lab") -> None:
    document = {"bench": name, "machine": describe(), "rows": found}
    path.write_text(json.dumps(document, indent=2) + "\n")
