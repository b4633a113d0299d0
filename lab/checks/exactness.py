# SPDX-License-Identifier: Apache-2.0
"""Frames of every size arrive as they were sent, but for L2, TTL or hop limit, and checksum."""

from __future__ import annotations

from lab.frames import frames_of_every_size, send_and_compare
from lab.ping import must_ping
from lab.topology import Topology


def _every_size(topology: Topology, family: int) -> str:
    first, last = topology.hosts[0], topology.hosts[-1]
    sent = 0
    for sender, receiver in ((first, last), (last, first)):
        must_ping(sender.namespace, receiver.address(family), count=1)  # neighbours are resolved
        sent += send_and_compare(sender, receiver, frames_of_every_size(family))
    return f"{sent} frames of 60 to 1514 octets, plain and padded, both ways"


def ipv4_frames_of_every_size(topology: Topology) -> str:
    return _every_size(topology, 4)


def ipv6_frames_of_every_size(topology: Topology) -> str:
    return _every_size(topology, 6)
