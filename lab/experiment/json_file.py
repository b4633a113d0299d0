# SPDX-License-Identifier: Apache-2.0
"""JSON as an experiment's file has it: strict, and every fault says what, where, and what to give."""

from __future__ import annotations

import json
from dataclasses import dataclass

from lab.experiment.faults import BadExperiment
from lab.experiment.values import Kind

MOST_OCTETS = 1 << 20
_SHOWN = 60


@dataclass(frozen=True)
class Place:
    """Where in which file: a JSON pointer (RFC 6901)."""

    file: str
    pointer: str = ""

    def __truediv__(self, step: object) -> Place:
        escaped = str(step).replace("~", "~0").replace("/", "~1")
        return Place(self.file, f"{self.pointer}/{escaped}")

    def fault(self, what: str, wanted: str) -> BadExperiment:
        where = f"{self.file} at {self.pointer}" if self.pointer else self.file
        return BadExperiment(f"{_one_line(what)} ({_one_line(where)}); give {_one_line(wanted)}")


def _one_line(words: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in words)


def shown(value: object) -> str:
    """A value as JSON, not too long."""
    words = json.dumps(value, ensure_ascii=False)
    return words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"


def parse(words: str, place: Place) -> object:
    def object_of(pairs: list[tuple[str, object]]) -> dict:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise place.fault(f"{shown(twice)} is there twice in one object", "it once")
        return found

    def no_number(name: str) -> object:
        raise place.fault(f"{name} is no number of JSON", "a finite one")

    try:
        return json.loads(words, object_pairs_hook=object_of, parse_constant=no_number)
    except json.JSONDecodeError as error:
        what = f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        raise place.fault(what, "a JSON file") from error
    except (RecursionError, ValueError) as error:
        raise place.fault("nested too deep, or a number too long", "less") from error


def fields(value: object, place: Place, required: set[str], optional: set[str]) -> dict:
    """VALUE, if it is an object with all of REQUIRED and nothing beyond OPTIONAL."""
    if not isinstance(value, dict):
        raise place.fault(f"{shown(value)} is no object", "one: { … }")
    known = sorted(required | optional)
    for name in value:
        if name not in known:
            raise place.fault(f"there is no key {shown(name)}", "one of " + ", ".join(known))
    for name in sorted(required - set(value)):
        raise place.fault(f'"{name}" is missing', "it")
    return value


def items(value: object, place: Place, least: int, most: int) -> list[tuple[object, Place]]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise place.fault(f"{shown(value)} does not fit", f"a list of {least} to {most} entries")
    return [(item, place / i) for i, item in enumerate(value)]


def checked(value: object, place: Place, kind: Kind) -> object:
    if not kind.accepts(value):
        raise place.fault(f"{shown(value)} is not allowed", kind.wanted)
    return value
