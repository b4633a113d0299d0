# SPDX-License-Identifier: Apache-2.0
"""The figures for people, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from lab.machine import describe
from lab.table import render
from tests.bench.forward.figures import Figures, comparisons
from tests.bench.forward.works import WORKS

_COLUMNS = ("name", "value", "unit", "peer", "ratio", "target", "met")
_MET = {True: "yes", False: "NO", None: "-"}


def text(figures: Figures, notes: list[str]) -> str:
    parts = [describe()]
    for work in WORKS:
        lines = [_line(figures, figure) for figure in figures.all() if figure.work == work.key]
        if lines:
            parts.append(f"{work.key}: {work.text}")
            parts.append(render(("", "Mpps", "cycles", "least..most", "added", "starts"), lines))
    compared = [[_cell(row, column) for column in _COLUMNS] for row in comparisons(figures)]
    if compared:
        parts.append("against the targets")
        parts.append(render(_COLUMNS, compared))
    return "\n".join([*parts, *notes])


def _line(figures: Figures, figure) -> list[str]:
    added = figures.added(figure)
    least, most = figure.spread
    return [figure.program, f"{figure.mpps:.1f}", f"{figure.cycles:.1f}", f"{least:.1f}..{most:.1f}",
            "-" if added is None else f"{added:.1f}", str(len(figure.starts))]


def _cell(row: dict, column: str) -> str:
    value = row[column]
    if column == "met":
        return _MET[value]
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def write_json(figures: Figures, notes: list[str], setup: dict, path: Path) -> None:
    measured = [
        {"work": figure.work, "program": figure.program, "mpps": figure.mpps,
         "cycles": figure.cycles, "least": figure.spread[0], "most": figure.spread[1],
         "added": figures.added(figure), "starts": [start.cycles for start in figure.starts]}
        for figure in figures.all()
    ]
    document = {"bench": "forward", "machine": describe(), "setup": setup,
                "rows": comparisons(figures), "figures": measured, "notes": notes}
    path.write_text(json.dumps(document, indent=2) + "\n")
