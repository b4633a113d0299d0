# SPDX-License-Identifier: Apache-2.0
"""Hand-made frames sent from one host to another, compared octet for octet on arrival.

Raw packet sockets see frames as they are on the wire. What may change on the way is L2, TTL or
hop limit (minus one) and the IPv4 header checksum; everything else, padding included, has to
arrive as it left.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass

from lab.errors import CheckFailed
from lab.namespaces import entered
from lab.topology import Host, Node

_ETHERTYPE = {4: 0x0800, 6: 0x86DD}
_UDP = 17
_NO_NEXT_HEADER = 59
_DISCARD_PORT = 40009
_SOURCE_PORT, _FLOWS = 40100, 61  # many flows, so that frames take direct and relayed paths
_TTL = 64
_BATCH = 16
_PATIENCE = 3.0  # seconds for a batch to arrive
_ETHERNET_OCTETS = 14


@dataclass(frozen=True)
class Frame:
    """A frame of SIZE octets whose IP packet is PADDING octets shorter than the frame allows."""

    family: int
    size: int
    padding: int = 0

    def __str__(self) -> str:
        padded = f" with {self.padding} octets of padding" if self.padding else ""
        return f"IPv{self.family} frame of {self.size} octets{padded}"


def _octets(count: int, seed: int) -> bytes:
    """COUNT octets that differ with SEED, so that a swapped or stale frame is noticed."""
    return bytes((seed * 7 + i * 13 + (i >> 8)) & 0xFF for i in range(count))


def internet_checksum(data: bytes) -> int:
    """RFC 1071."""
    padded = data + b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _ipv4_header(length: int, ttl: int, seed: int, source: str, destination: str) -> bytes:
    def header(checksum: int) -> bytes:
        return struct.pack(
            "!BBHHHBBH4s4s",
            *(0x45, 0x48, length, seed & 0xFFFF, 0x4000, ttl, _UDP, checksum),
            ipaddress.ip_address(source).packed,
            ipaddress.ip_address(destination).packed,
        )

    return header(internet_checksum(header(0)))


def _ipv6_header(
    payload: int, next_header: int, ttl: int, seed: int, source: str, destination: str
) -> bytes:
    word = 0x6A000000 | (seed & 0xFFFFF)  # version 6, a traffic class, a flow label
    return struct.pack(
        "!IHBB16s16s",
        *(word, payload, next_header, ttl),
        ipaddress.ip_address(source).packed,
        ipaddress.ip_address(destination).packed,
    )


def _udp(source: str, destination: str, payload: bytes, seed: int) -> bytes:
    """A UDP datagram with a true checksum (RFC 768, RFC 8200 8.1)."""
    length = 8 + len(payload)
    header = struct.pack("!HHHH", _SOURCE_PORT + seed % _FLOWS, _DISCARD_PORT, length, 0)
    pseudo = ipaddress.ip_address(source).packed + ipaddress.ip_address(destination).packed
    pseudo += struct.pack("!II", length, _UDP)
    checksum = internet_checksum(pseudo + header + payload) or 0xFFFF
    return header[:6] + struct.pack("!H", checksum) + payload


def packet(frame: Frame, seed: int, ttl: int, source: str, destination: str) -> bytes:
    """What follows the Ethernet header of FRAME: the IP packet and its padding."""
    length = frame.size - _ETHERNET_OCTETS - frame.padding
    if frame.family == 4:
        body = _udp(source, destination, _octets(length - 28, seed), seed)
        ip = _ipv4_header(length, ttl, seed, source, destination) + body
    else:
        # The smallest frames have no room for UDP; they carry octets that nobody interprets.
        udp = length >= 48
        data = _octets(length - (48 if udp else 40), seed)
        body = _udp(source, destination, data, seed) if udp else data
        next_header = _UDP if udp else _NO_NEXT_HEADER
        ip = _ipv6_header(len(body), next_header, ttl, seed, source, destination) + body
    return ip + _octets(frame.padding, seed + 1)


def frames_of_every_size(family: int, smallest: int = 60, largest: int = 1514) -> list[Frame]:
    """One frame of each size, and a padded one of each size that has room for padding."""
    shortest = _ETHERNET_OCTETS + (28 if family == 4 else 40)
    plain = [Frame(family, size) for size in range(smallest, largest + 1)]
    padded = [
        Frame(family, size, 1 + size % (size - shortest))
        for size in range(max(smallest, shortest + 2), largest + 1)
    ]
    return plain + padded


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


@contextlib.contextmanager
def _sockets(sender: Host, receiver: Host, family: int) -> Iterator[tuple[socket.socket, ...]]:
    with contextlib.ExitStack() as stack:
        opened = []
        for host in (sender, receiver):
            with entered(host.namespace):
                raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
                stack.enter_context(raw)
                raw.bind(("eth0", _ETHERTYPE[family] if host is receiver else 0))
                opened.append(raw)
        with entered(receiver.namespace):  # so that the receiver's kernel has no reason to answer
            kind = socket.AF_INET if family == 4 else socket.AF_INET6
            quiet = stack.enter_context(socket.socket(kind, socket.SOCK_DGRAM))
            quiet.bind((receiver.address(family), _DISCARD_PORT))
        opened[1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        yield tuple(opened)


def _arrivals(raw: socket.socket, wanted: set[bytes]) -> list[bytes]:
    """Received frames until all WANTED have come or patience is at its end."""
    missing, strangers = set(wanted), []
    deadline = time.monotonic() + _PATIENCE
    while missing and time.monotonic() < deadline:
        raw.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            received = raw.recv(4096)
        except TimeoutError:
            break
        if received in missing:
            missing.discard(received)
        else:
            strangers.append(received)
    wanted.intersection_update(missing)
    return strangers


def send_and_compare(sender: Host, receiver: Host, frames: list[Frame]) -> int:
    """Sends FRAMES from SENDER to RECEIVER; every one has to arrive as it should. Their number."""
    family = frames[0].family
    source, destination = sender.address(family), receiver.address(family)
    in_header = _mac(Node(sender.number).port_mac) + _mac(sender.mac)
    out_header = _mac(receiver.mac) + _mac(Node(receiver.number).port_mac)
    ethertype = struct.pack("!H", _ETHERTYPE[family])
    with _sockets(sender, receiver, family) as (outgoing, incoming):
        for start in range(0, len(frames), _BATCH):
            expected = {}
            for seed, frame in enumerate(frames[start : start + _BATCH], start):
                sent = packet(frame, seed, _TTL, source, destination)
                arriving = packet(frame, seed, _TTL - 1, source, destination)
                expected[out_header + ethertype + arriving] = frame
                outgoing.send(in_header + ethertype + sent)
            missing = set(expected)
            strangers = _arrivals(incoming, missing)
            if missing:
                raise CheckFailed(_describe(sender, receiver, expected, missing, strangers))
    return len(frames)


def _describe(
    sender: Host,
    receiver: Host,
    expected: dict[bytes, Frame],
    missing: set[bytes],
    strangers: list[bytes],
) -> str:
    octets = next(arriving for arriving in expected if arriving in missing)
    text = (
        f"{sender.name} to {receiver.name}: {len(missing)} of {len(expected)} did not arrive as "
        f"they should, the first an {expected[octets]}"
    )
    alike = [other for other in strangers if abs(len(other) - len(octets)) <= 64]
    if not alike:
        return text
    other = min(alike, key=lambda seen: sum(a != b for a, b in zip(seen, octets)))
    differ = [i for i, (a, b) in enumerate(zip(other, octets)) if a != b]
    where = f"octet {differ[0]}" if differ else "the end"
    return f"{text}; {len(other)} octets came instead and differ from {where} on"
