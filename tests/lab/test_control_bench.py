# SPDX-License-Identifier: Apache-2.0
"""`./dev bench control` without a lab: files of updates, and what a replay writes of them."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from lab.control_bench import replay, tables, updates_file
from lab.control_bench.updates_file import Change

_MESSAGE, _MESSAGE_AS4 = 1, 4
_BGP4MP, _BGP4MP_ET = 16, 17


def _update(withdrawn: bytes = b"", attributes: bytes = b"", announced: bytes = b"") -> bytes:
    body = struct.pack("!H", len(withdrawn)) + withdrawn
    body += struct.pack("!H", len(attributes)) + attributes + announced
    return b"\xff" * 16 + struct.pack("!HB", 19 + len(body), 2) + body


def _record(second: int, message: bytes, kind: int = _BGP4MP, subtype: int = _MESSAGE) -> bytes:
    numbers = "!HHHH" if subtype == _MESSAGE else "!IIHH"
    body = struct.pack(numbers, 7, 65000, 0, 1) + bytes(8) + message
    if kind == _BGP4MP_ET:
        body = struct.pack("!I", 999_999) + body
    return struct.pack("!IHHI", second, kind, subtype, len(body)) + body


_TEN_8 = b"\x08\x0a"
_A_24 = b"\x18\xc6\x33\x64"  # 198.51.100.0/24
_REACH_V6 = bytes.fromhex("800e1e 0002 01 10 20010db8000000000000000000000001 00 40 20010db800010002")
_UNREACH_V6 = bytes.fromhex("900f0008 0002 01 20 20010db8")


def _read(tmp_path: Path, *records: bytes, packed: bool = False) -> list[Change]:
    file = tmp_path / "updates"
    file.write_bytes(gzip.compress(b"".join(records)) if packed else b"".join(records))
    return updates_file.read(file)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", [_BGP4MP, _BGP4MP_ET])
@pytest.mark.parametrize("subtype", [_MESSAGE, _MESSAGE_AS4])
def test_withdrawals_come_before_announcements(tmp_path, packed, kind, subtype) -> None:
    record = _record(5, _update(_TEN_8, b"", _A_24), kind, subtype)
    assert _read(tmp_path, record, packed=packed) == [
        Change(0.0, "10.0.0.0/8", 4, None),
        Change(0.0, "198.51.100.0/24", 4, 7),
    ]


def test_ipv6_is_in_attributes(tmp_path) -> None:
    records = [_record(5, _update(attributes=_REACH_V6)), _record(8, _update(attributes=_UNREACH_V6))]
    assert _read(tmp_path, *records) == [
        Change(0.0, "2001:db8:1:2::/64", 6, 7),
        Change(3.0, "2001:db8::/32", 6, None),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        _record(5, _update(announced=b"\x21\x0a\x00\x00\x00\x00")),  # a prefix of 33 bits
        _record(5, _update(announced=b"\x18\xc6\x33")),  # cut off
        _record(5, b"\xff" * 16),
        _record(5, b"\xff" * 16 + struct.pack("!HB", 19, 4)),  # a keepalive
        struct.pack("!IHHI", 5, 13, 2, 4) + b"rib!",  # of another kind
    ],
    ids=("long prefix", "cut prefix", "no message", "keepalive", "other record"),
)
def test_what_is_broken_or_something_else_is_passed_over(tmp_path, broken) -> None:
    good = _record(6, _update(announced=_TEN_8))
    changes = _read(tmp_path, broken, good, good[:-1])
    assert [change.prefix for change in changes] == ["10.0.0.0/8"]


def test_an_empty_file_has_no_changes(tmp_path) -> None:
    assert _read(tmp_path) == []


def test_a_replay_is_in_order_with_a_mark_behind_each_tenth_of_a_second() -> None:
    changes = [
        Change(0.0, "10.0.0.0/8", 4, 1),
        Change(0.0, "10.0.0.0/8", 4, None),
        Change(6.0, "2001:db8::/32", 6, 2),  # 60 times as fast
    ]
    assert replay.pieces(changes) == [
        "route replace 10.0.0.0/8 via 10.0.2.2\n"
        "route del 10.0.0.0/8\n"
        "route add 198.18.0.0/32 via 10.0.1.2\n",
        "route replace 2001:db8::/32 via 2001:db8:3::2\n"
        "route add 198.18.0.1/32 via 10.0.2.2\n",
    ]  # fmt: skip


def test_made_up_updates_are_the_same_each_time_and_in_order() -> None:
    changes = updates_file.made_up(seconds=30)
    assert changes == updates_file.made_up(seconds=30)
    assert [change.at for change in changes] == sorted(change.at for change in changes)
    assert {change.neighbor is None for change in changes} == {True, False}


def test_made_up_tables_have_as_many_prefixes_as_asked_for() -> None:
    for family in (4, 6):
        prefixes = [prefix for prefix, _ in tables.made_up(family, 1000)]
        assert len(set(prefixes)) == 1000
