# SPDX-License-Identifier: Apache-2.0
"""Full tables: those of RACKWAY_DATA where it has some, else made up."""

from __future__ import annotations

import lzma
import os
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

IPV4, IPV6 = 1_033_283, 220_681
# Of 20 prefixes in a row, by length: about as the Internet's.
_LENGTHS = (24,) * 12 + (23, 23, 22, 22, 22, 21, 20, 19)


def made_up(family: int, count: int) -> Iterator[tuple[str, int]]:
    """Prefixes in a row, with a number for the next hop."""
    at = 0
    for number in range(count):
        length = _LENGTHS[number % len(_LENGTHS)]
        size = 1 << (32 - length)
        at = (at + size - 1) // size * size
        if family == 4:
            yield f"{IPv4Address((16 << 24) + at)}/{length}", number
        else:
            yield f"{IPv6Address((0x2A << 120) + (at << 80))}/{length + 16}", number
        at += size


def data(*names: str) -> Path | None:
    """A file of RACKWAY_DATA that is there."""
    path = Path(os.environ.get("RACKWAY_DATA") or "/nonexistent", *names)
    return path if path.exists() else None


def _real(path: Path) -> Iterator[tuple[str, int]]:
    with lzma.open(path, "rt") as file:
        for line in file:
            prefix, _, hop = line.rstrip().partition(" ")
            yield prefix, int(hop)


def full(family: int) -> Iterator[tuple[str, int]]:
    """Prefixes of a full table, each with a number for its next hop."""
    count = IPV4 if family == 4 else IPV6
    path = data("tables", f"ipv{family}-{count}.txt.xz")
    return _real(path) if path else made_up(family, count)
