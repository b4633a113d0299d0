# SPDX-License-Identifier: Apache-2.0
"""What a value in an experiment's file may be: each Kind knows the bounds and how to say them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

_RATE = re.compile(r"(\d{1,7}(?:\.\d{1,3})?)([MGT])")
_MEGABITS = {"M": 1.0, "G": 1e3, "T": 1e6}
_MOST_MBPS = 1e9
_GAP = re.compile(r"(\d{1,8})\.\.(\d{1,8})")
_MOST_GAP_US = 10_000_000
_FAULT = re.compile(r"(n\d{1,4})(?:-(n\d{1,4}))?@(\d{1,6}(?:\.\d{1,6})?)")


@dataclass(frozen=True)
class Kind:
    """WANTED ends the sentence "give ..."."""

    wanted: str
    accepts: Callable[[object], bool]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def whole(least: int, most: int) -> Kind:
    return Kind(
        f"a whole number, {least} to {most}",
        lambda value: _is_number(value) and isinstance(value, int) and least <= value <= most,
    )


def number(least: float, most: float) -> Kind:
    return Kind(
        f"a number, {least:g} to {most:g}",
        lambda value: _is_number(value) and least <= value <= most,
    )


def one_of(*words: str) -> Kind:
    return Kind(
        "one of " + ", ".join(words), lambda value: isinstance(value, str) and value in words
    )


def text(most: int) -> Kind:
    return Kind(
        f"a text of 1 to {most} characters",
        lambda value: isinstance(value, str) and 0 < len(value) <= most and value.isprintable(),
    )


def matching(pattern: str, wanted: str) -> Kind:
    whole_text = re.compile(pattern)
    return Kind(
        wanted, lambda value: isinstance(value, str) and whole_text.fullmatch(value) is not None
    )


def either(*kinds: Kind) -> Kind:
    return Kind(
        " or ".join(kind.wanted for kind in kinds),
        lambda value: any(kind.accepts(value) for kind in kinds),
    )


def megabits(rate: str) -> float | None:
    """Mb/s of a rate as the cluster document writes it, such as 2.5G; none if it is none."""
    match = _RATE.fullmatch(rate)
    value = float(match[1]) * _MEGABITS[match[2]] if match else 0.0
    return value if 1 <= value <= _MOST_MBPS else None


RATE = Kind(
    "a rate from 1M to 1000T, such as 10G",
    lambda value: isinstance(value, str) and megabits(value) is not None,
)


def flowlet_gap(flowlets: str) -> tuple[int, int] | None:
    """The bounds of the flowlet gap in microseconds: "on", "off" or "LEAST..MOST"."""
    if flowlets in ("on", "off"):
        return (500, 50_000) if flowlets == "on" else (0, 0)
    match = _GAP.fullmatch(flowlets)
    if match is None:
        return None
    least, most = int(match[1]), int(match[2])
    return (least, most) if least <= most <= _MOST_GAP_US else None


FLOWLETS = Kind(
    "on, off, or LEAST..MOST in microseconds, such as 500..50000",
    lambda value: isinstance(value, str) and flowlet_gap(value) is not None,
)


@dataclass(frozen=True)
class Fault:
    """A node or a link fails or works again, AT milliseconds from the start."""

    ends: tuple[str, ...]
    at: float

    @classmethod
    def read(cls, words: object) -> Fault | None:
        match = _FAULT.fullmatch(words) if isinstance(words, str) else None
        if match is None or match[1] == match[2]:
            return None
        return cls((match[1], match[2]) if match[2] else (match[1],), float(match[3]))


def _is_failure(value: object) -> bool:
    if value == "none":
        return True
    if not isinstance(value, dict) or not {"name", "fail"} <= set(value) <= {"name", "fail", "repair"}:
        return False
    lists = [value["fail"], value.get("repair", [])]
    return (
        text(60).accepts(value["name"])
        and value["name"] != "none"
        and all(isinstance(each, list) and len(each) <= 64 for each in lists)
        and len(value["fail"]) > 0
        and all(Fault.read(words) for each in lists for words in each)
    )


FAILURE = Kind(
    'none, or {"name": TEXT, "fail": [WHAT@MS, ...], "repair": [...]}, where WHAT is n2 or n1-n2',
    _is_failure,
)


def word(value: object) -> str:
    """A value in a legend, a table or a file of commas."""
    if isinstance(value, dict):
        return value["name"]
    return f"{value:g}" if isinstance(value, float) else str(value)
