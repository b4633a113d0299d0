# SPDX-License-Identifier: Apache-2.0
"""Many UDP flows from one host to another, every datagram counted on arrival."""

from __future__ import annotations

import contextlib
import socket
import time

from lab.namespaces import entered
from lab.topology import Host

_SO_RCVBUFFORCE = 33  # socket(7): the machine's bound does not count
_PORT = 40010
_FIRST_SOURCE_PORT = 41000
_PATIENCE = 2.0  # seconds for the last datagram to arrive
_PAUSE_EVERY = 64  # datagrams: what any receive ring on the way holds with ease


def spray(sender: Host, receiver: Host, family: int, flows: int = 128, each: int = 4) -> int:
    """Sends EACH datagrams of FLOWS flows, told apart by source port; returns how many arrived."""
    kind = socket.AF_INET if family == 4 else socket.AF_INET6
    with contextlib.ExitStack() as stack:
        with entered(receiver.namespace):
            sink = stack.enter_context(socket.socket(kind, socket.SOCK_DGRAM))
            # All that is sent waits there until the last has gone.
            sink.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 32 << 20)
            sink.bind((receiver.address(family), _PORT))
        sources = []
        with entered(sender.namespace):
            for flow in range(flows):
                source = stack.enter_context(socket.socket(kind, socket.SOCK_DGRAM))
                source.bind((sender.address(family), _FIRST_SOURCE_PORT + flow))
                sources.append(source)
        _send(sources, (receiver.address(family), _PORT), each)
        return _count(sink, flows * each)


def _send(sources: list[socket.socket], destination: tuple[str, int], each: int) -> None:
    for number in range(each):
        for place, source in enumerate(sources):
            source.sendto(number.to_bytes(4, "big") * 16, destination)
            if place % _PAUSE_EVERY == _PAUSE_EVERY - 1:
                time.sleep(0.002)


def _count(sink: socket.socket, expected: int) -> int:
    arrived = 0
    sink.settimeout(_PATIENCE)
    with contextlib.suppress(TimeoutError):
        while arrived < expected:
            sink.recv(2048)
            arrived += 1
    return arrived
