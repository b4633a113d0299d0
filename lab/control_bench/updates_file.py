# SPDX-License-Identifier: Apache-2.0
"""Updates of BGP as collectors keep them: MRT records BGP4MP and BGP4MP_ET (RFC 6396 4.4), gzipped or not.

What else is in a file, and what is broken, is passed over.
"""

from __future__ import annotations

import gzip
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path

_BGP4MP, _BGP4MP_ET = 16, 17
_AS_OCTETS = {1: 2, 4: 4}  # by subtype: MESSAGE, MESSAGE_AS4
_UPDATE, _REACH, _UNREACH, _LONG_LENGTH = 2, 14, 15, 0x10


@dataclass(frozen=True)
class Change:
    """Of the route to a prefix, at a time in seconds from the first one."""

    at: float
    prefix: str
    family: int
    neighbor: int | None  # a number for who announces it; none: it is withdrawn


def _prefixes(octets: bytes, family: int) -> Iterator[str]:
    whole, make = (4, IPv4Address) if family == 4 else (16, IPv6Address)
    at = 0
    while at < len(octets):
        length = octets[at]
        size = (length + 7) // 8
        if length > whole * 8 or at + 1 + size > len(octets):
            raise ValueError("a prefix is cut off")
        address = make(octets[at + 1 : at + 1 + size].ljust(whole, b"\0"))
        yield str(ip_network((address, length), strict=False))
        at += 1 + size


def _attributes(octets: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 3 <= len(octets):
        is_long = octets[at] & _LONG_LENGTH
        size = struct.unpack_from("!H" if is_long else "!B", octets, at + 2)[0]
        begin = at + (4 if is_long else 3)
        yield octets[at + 1], octets[begin : begin + size]
        at = begin + size


def _unicast(family_and_kind: bytes) -> int:
    """4 or 6; 0: some other kind of route."""
    return {(1, 1): 4, (2, 1): 6}.get(struct.unpack("!HB", family_and_kind), 0)


def _of_update(body: bytes) -> Iterator[tuple[str, int, bool]]:
    """Prefix, family, whether it is announced."""
    (withdrawn,) = struct.unpack_from("!H", body)
    for prefix in _prefixes(body[2 : 2 + withdrawn], 4):
        yield prefix, 4, False
    at = 2 + withdrawn
    (size,) = struct.unpack_from("!H", body, at)
    for kind, value in _attributes(body[at + 2 : at + 2 + size]):
        family = _unicast(value[:3]) if kind in (_REACH, _UNREACH) else 0
        if not family:
            continue
        # Next hop and a reserved octet are before the prefixes.
        begin = 3 if kind == _UNREACH else 3 + 1 + value[3] + 1
        for prefix in _prefixes(value[begin:], family):
            yield prefix, family, kind == _REACH
    for prefix in _prefixes(body[at + 2 + size :], 4):
        yield prefix, 4, True


def _of_record(subtype: int, record: bytes) -> Iterator[tuple[str, int, int | None]]:
    as_octets = _AS_OCTETS[subtype]
    neighbor = int.from_bytes(record[:as_octets], "big")
    at = 2 * as_octets + 2
    (family,) = struct.unpack_from("!H", record, at)
    message = record[at + 2 + 2 * (4 if family == 1 else 16) :]
    size, kind = struct.unpack_from("!HB", message, 16)
    if kind != _UPDATE:
        return
    for prefix, of_family, announced in _of_update(message[19:size]):
        yield prefix, of_family, neighbor if announced else None


def read(path: Path) -> list[Change]:
    octets = path.read_bytes()
    if octets[:2] == b"\x1f\x8b":
        octets = gzip.decompress(octets)
    changes, at, first = [], 0, None
    while at + 12 <= len(octets):
        seconds, kind, subtype, size = struct.unpack_from("!IHHI", octets, at)
        record = octets[at + 12 : at + 12 + size]
        at += 12 + size
        if kind not in (_BGP4MP, _BGP4MP_ET) or subtype not in _AS_OCTETS:
            continue
        first = seconds if first is None else first
        try:
            changes += [
                Change(float(seconds - first), prefix, family, neighbor)
                for prefix, family, neighbor in _of_record(subtype, record[4 * (kind == _BGP4MP_ET) :])
            ]
        except (IndexError, ValueError, struct.error):
            continue
    return changes


def made_up(seconds: int = 900, each_second: int = 60, seed: int = 1) -> list[Change]:
    """As such files are: mostly some hundred prefixes that flap, now and then one in six of a burst."""
    numbers = random.Random(seed)
    changes = []
    for second in range(seconds):
        burst = 20 if numbers.random() < 0.01 else 1
        for _ in range(each_second * burst):
            number = numbers.randrange(300 if numbers.random() < 0.8 else 50_000)
            neighbor = None if numbers.random() < 0.06 else numbers.randrange(40)
            prefix = f"{IPv4Address((60 << 24) + number * 256)}/24"
            changes.append(Change(float(second), prefix, 4, neighbor))
    return changes
