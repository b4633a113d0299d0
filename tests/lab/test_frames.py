# SPDX-License-Identifier: Apache-2.0
"""The hand-made frames themselves, against the RFCs' sums."""

from __future__ import annotations

import struct

import pytest

from lab.frames import Frame, frames_of_every_size, internet_checksum, packet


def test_checksum_of_rfc_1071() -> None:
    # RFC 1071 section 3: the sum of these octets is ddf2.
    assert internet_checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2


def test_checksum_of_an_odd_number_of_octets() -> None:
    assert internet_checksum(b"\x01") == 0xFFFF - 0x0100


@pytest.mark.parametrize("family", (4, 6))
def test_every_size_is_there_once_plain_and_mostly_once_padded(family: int) -> None:
    frames = frames_of_every_size(family)
    plain = [frame.size for frame in frames if not frame.padding]
    padded = [frame.size for frame in frames if frame.padding]
    assert plain == list(range(60, 1515))
    assert padded == list(range(60, 1515))


def test_ipv4_packets_are_well_formed() -> None:
    for frame in frames_of_every_size(4):
        made = packet(frame, 7, 64, "10.0.1.2", "10.0.2.2")
        assert len(made) == frame.size - 14, frame
        assert internet_checksum(made[:20]) == 0, frame
        length = struct.unpack_from("!H", made, 2)[0]
        assert length == len(made) - frame.padding, frame
        pseudo = made[12:20] + struct.pack("!HH", 17, length - 20)
        assert internet_checksum(pseudo + made[20:length]) == 0, frame


def test_ipv6_packets_are_well_formed() -> None:
    for frame in frames_of_every_size(6):
        made = packet(frame, 7, 64, "2001:db8:1::2", "2001:db8:2::2")
        assert len(made) == frame.size - 14, frame
        payload, next_header = struct.unpack_from("!HB", made, 4)
        assert payload + 40 == len(made) - frame.padding, frame
        assert (next_header == 17) == (payload >= 8), frame
        if next_header == 17:
            pseudo = made[8:40] + struct.pack("!II", payload, 17)
            assert internet_checksum(pseudo + made[40 : 40 + payload]) == 0, frame


def test_only_ttl_and_checksum_change_with_the_ttl() -> None:
    before = packet(Frame(4, 100), 7, 64, "10.0.1.2", "10.0.2.2")
    after = packet(Frame(4, 100), 7, 63, "10.0.1.2", "10.0.2.2")
    assert [i for i, (a, b) in enumerate(zip(before, after)) if a != b] == [8, 10]
