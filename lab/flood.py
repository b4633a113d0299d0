# SPDX-License-Identifier: Apache-2.0
"""Frames as fast as this machine sends them, bounded in time: for what must hold under a flood.

One system call a batch (sendmmsg on a packet socket that bypasses the queueing discipline). The
frames are made before; a flood goes through them again and again.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import ipaddress
import os
import socket
import struct
import threading
import time

from lab.errors import LabError
from lab.frames import internet_checksum
from lab.namespaces import entered
from lab.topology import Host, Node

ICMP, UDP, EXPERIMENT = 1, 17, 253  # RFC 3692: nobody's protocol

_BATCH = 256
_PAYLOAD_OCTETS = 26  # an Ethernet frame of 60
_SOL_PACKET, _PACKET_QDISC_BYPASS = 263, 20
_LIMIT_SECONDS = 30.0
_BUSY = (errno.EAGAIN, errno.ENOBUFS)  # the device


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("octets", ctypes.c_size_t)]


class _Message(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_void_p),
        ("name_octets", ctypes.c_uint32),
        ("vectors", ctypes.POINTER(_Vector)),
        ("vector_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_octets", ctypes.c_size_t),
        ("flags", ctypes.c_int),
        ("sent_octets", ctypes.c_uint),
    ]


_sendmmsg = ctypes.CDLL(None, use_errno=True).sendmmsg


def _payload(protocol: int) -> bytes:
    if protocol == ICMP:
        echo = struct.pack("!BBHHH", 8, 0, 0, 7, 1) + bytes(_PAYLOAD_OCTETS - 8)
        return echo[:2] + struct.pack("!H", internet_checksum(echo)) + echo[4:]
    if protocol == UDP:
        return struct.pack("!HHHH", 40200, 40201, _PAYLOAD_OCTETS, 0) + bytes(_PAYLOAD_OCTETS - 8)
    return bytes(_PAYLOAD_OCTETS)


def frame(host: Host, destination: str, protocol: int, ttl: int = 64) -> bytes:
    """An IPv4 packet from HOST to its router, for DESTINATION."""
    macs = bytes.fromhex((Node(host.number).port_mac + host.mac).replace(":", ""))
    addresses = [ipaddress.ip_address(text).packed for text in (host.address(4), destination)]
    payload = _payload(protocol)

    def header(checksum: int) -> bytes:
        size = 20 + len(payload)
        return struct.pack("!BBHHHBBH4s4s", 0x45, 0, size, 7, 0, ttl, protocol, checksum, *addresses)

    return macs + b"\x08\x00" + header(internet_checksum(header(0))) + payload


class Flood:
    """Sends FRAMES from HOST for as long as the block lasts; `sent` and `seconds` after it."""

    def __init__(self, host: Host, frames: list[bytes]) -> None:
        self.sent = 0
        self.seconds = 0.0
        self._fault: LabError | None = None
        self._stop = threading.Event()
        with entered(host.namespace):
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self._socket.bind(("eth0", 0))
        self._socket.setsockopt(_SOL_PACKET, _PACKET_QDISC_BYPASS, 1)
        self._messages = self._made(frames)
        self._thread = threading.Thread(target=self._run)

    @property
    def rate(self) -> float:
        return self.sent / self.seconds

    def _made(self, frames: list[bytes]) -> ctypes.Array:
        frames = frames * -(-2 * _BATCH // len(frames))
        self._kept = []  # what the messages point at
        messages = (_Message * len(frames))()
        for message, octets in zip(messages, frames):
            buffer = ctypes.create_string_buffer(octets, len(octets))
            vector = _Vector(ctypes.addressof(buffer), len(octets))
            self._kept.append((buffer, vector))
            message.vectors, message.vector_count = ctypes.pointer(vector), 1
        return messages

    def _run(self) -> None:
        # Batches begin at another frame in each round: what polices the flood must not meet the
        # same frames at the head of each batch.
        started = time.monotonic()
        at = 0
        while not self._stop.is_set() and time.monotonic() - started < _LIMIT_SECONDS:
            batch = ctypes.byref(self._messages, at * ctypes.sizeof(_Message))
            done = _sendmmsg(self._socket.fileno(), batch, _BATCH, 0)
            if done > 0:
                self.sent += done
            elif ctypes.get_errno() not in _BUSY:
                self._fault = LabError(f"can not send: {os.strerror(ctypes.get_errno())}")
                break
            at = (at + _BATCH) % (len(self._messages) - _BATCH + 1)
        self.seconds = time.monotonic() - started

    def __enter__(self) -> Flood:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        with contextlib.closing(self._socket):
            if self._fault:
                raise self._fault
