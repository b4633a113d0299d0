# SPDX-License-Identifier: Apache-2.0
"""Plays drills, each in a lab as it wants it, and makes the table of what came of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from lab import lifecycle
from lab.drills.catalogue import Drill
from lab.drills.scene import Scene
from lab.errors import CheckFailed, LabError
from lab.machine import describe
from lab.table import render
from lab.topology import Topology

_COLUMNS = ("drill", "sent", "lost", "others lost", "recovered", "expected", "verdict")
_TEXT_COLUMNS = 300

Say = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    drill: Drill
    scene: Scene

    @property
    def as_expected(self) -> bool:
        return not self.scene.faults

    @property
    def verdict(self) -> str:
        return "as expected" if self.as_expected else "NO"

    @property
    def recovered(self) -> str:
        took = self.scene.recovery
        return "never" if took is None else f"{took:.1f} s"

    def cells(self) -> tuple[object, ...]:
        stable, others = self.scene.stable, self.scene.others
        return (
            self.drill.name,
            stable.sent,
            stable.lost,
            f"{others.lost} of {others.sent}" if others.sent else "-",
            self.recovered,
            str(self.drill.limits),
            self.verdict,
        )

    def story(self) -> list[str]:
        """What does not fit into the table."""
        scene = self.scene
        others = f"; others: {scene.others}" if scene.others.sent else ""
        figures = f"{self.verdict}: {scene.stable}{others}; recovered: {self.recovered}"
        return [figures, *scene.notes] + [f"NO: {shorten(text, _TEXT_COLUMNS)}" for text in self.scene.faults]

    def fields(self) -> dict:
        stable, others = self.scene.stable, self.scene.others
        return {
            "drill": self.drill.name,
            "what": self.drill.what,
            "sent": stable.sent,
            "lost": stable.lost,
            "longest_gap_s": stable.longest,
            "others_sent": others.sent,
            "others_lost": others.lost,
            "others_longest_gap_s": others.longest,
            "recovered_s": self.scene.recovery,
            "expected": str(self.drill.limits),
            "as_expected": self.as_expected,
            "faults": self.scene.faults,
            "notes": self.scene.notes,
        }


def _play(drill: Drill, long: bool) -> Scene:
    scene = Scene(drill.lab, drill.limits, long)
    try:
        drill.play(scene)
        scene.expect(scene.stable.sent > 0, "no traffic went")
        scene.expect(scene.recovery is not None, "it did not wait for the end")
    except (CheckFailed, LabError) as error:
        scene.faults.append(str(error))
    return scene


def play_all(
    drills: list[Drill],
    long: bool,
    say: Say,
    up: Callable[[Topology], None] = lambda topology: lifecycle.up(topology, lambda _: None),
    down: Callable[[], object] = lifecycle.down,
) -> Iterator[Row]:
    """A lab goes on to the next drill that wants such a one, unless something went wrong in it."""
    there: Topology | None = None
    try:
        for drill in drills:
            if there != drill.lab:
                up(drill.lab)  # which takes down the one before
                there = drill.lab
            say(f"{drill.name}: {drill.what}")
            row = Row(drill, _play(drill, long))
            for line in row.story():
                say(f"  {line}")
            there = there if row.as_expected else None
            yield row
    finally:
        down()


def table(rows: list[Row]) -> str:
    return describe() + "\n" + render(_COLUMNS, [row.cells() for row in rows])


def write_json(rows: list[Row], path: Path) -> None:
    document = {"machine": describe(), "rows": [row.fields() for row in rows]}
    path.write_text(json.dumps(document, indent=2) + "\n")
