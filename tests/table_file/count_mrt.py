# SPDX-License-Identifier: Apache-2.0
"""Counts the RIBs of an MRT file by itself, to hold the reader in C++ against.

Prints one line: records, paths, different prefixes, and the sum of a hash over all
(prefix, peer index, path identifier, next hop).
"""

import gzip
import socket
import struct
import sys
import zlib

_FAMILY = {2: 4, 4: 16, 8: 4, 10: 16}  # subtype of TABLE_DUMP_V2: octets of an address


def _text(octets):
    return socket.inet_ntop(socket.AF_INET if len(octets) == 4 else socket.AF_INET6, octets)


def _attributes(octets):
    at = 0
    while at < len(octets):
        flags, kind = octets[at], octets[at + 1]
        size = 2 if flags & 0x10 else 1
        length = int.from_bytes(octets[at + 2 : at + 2 + size], "big")
        at += 2 + size
        yield kind, octets[at : at + length]
        at += length


def _next_hop(octets, width):
    found = None
    for kind, value in _attributes(octets):
        if kind == 3 and width == 4:
            return value
        if kind == 14:
            start = 3 if value[0] == 0 else 0
            found = value[start + 1 : start + 1 + min(value[start], 16)]
    return found


def _prefix(octets, length, width):
    number = int.from_bytes(octets.ljust(width, b"\0"), "big")
    bits = 8 * width
    return (number >> (bits - length) << (bits - length)).to_bytes(width, "big"), length


def _table_dump(subtype, body, peers):
    width = 4 if subtype == 1 else 16
    at = 4
    prefix = _prefix(body[at : at + width], body[at + width], width)
    at += width + 6
    peer = body[at : at + width + 2]
    (size,) = struct.unpack_from(">H", body, at + width + 2)
    start = at + width + 4
    index = peers.setdefault(peer, len(peers))
    yield prefix, index, 0, _next_hop(body[start : start + size], width)


def _rib(subtype, body):
    width = _FAMILY[subtype]
    length = body[4]
    at = 5 + (length + 7) // 8
    prefix = _prefix(body[5:at], length, width)
    (count,) = struct.unpack_from(">H", body, at)
    at += 2
    for _ in range(count):
        (peer,) = struct.unpack_from(">H", body, at)
        at += 6
        path = 0
        if subtype >= 8:
            (path,) = struct.unpack_from(">I", body, at)
            at += 4
        (size,) = struct.unpack_from(">H", body, at)
        yield prefix, peer, path, _next_hop(body[at + 2 : at + 2 + size], width)
        at += 2 + size


def _paths(kind, subtype, body, peers):
    if kind == 12 and subtype in (1, 2):
        return _table_dump(subtype, body, peers)
    if kind == 13 and subtype in _FAMILY:
        return _rib(subtype, body)
    return ()


def main(name):
    with open(name, "rb") as file:
        octets = file.read()
    if octets[:2] == b"\x1f\x8b":
        octets = gzip.decompress(octets)
    at = records = paths = total = 0
    prefixes, peers = set(), {}
    while at + 12 <= len(octets):
        _, kind, subtype, length = struct.unpack_from(">IHHI", octets, at)
        body = octets[at + 12 : at + 12 + length]
        at += 12 + length
        records += 1
        for prefix, peer, path, hop in _paths(kind, subtype, body, peers):
            if hop is None or not any(hop):
                continue
            paths += 1
            prefixes.add(prefix)
            text = f"{_text(prefix[0])}/{prefix[1]} {peer} {path} {_text(hop)}"
            total += zlib.crc32(text.encode())
    print(records, paths, len(prefixes), total)


if __name__ == "__main__":
    main(sys.argv[1])
