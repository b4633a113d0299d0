# SPDX-License-Identifier: Apache-2.0
"""Floods of what nodes hand to the controller: BGP over the same port and forwarding do not notice.

The first host floods its port, where a BGP session with a hold time of three seconds lives. What
the kernel gets of it is bounded by class; of packets to hosts that do not answer it gets a few.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Iterator

from lab import bird, frr, rackway
from lab.commands import must
from lab.errors import CheckFailed
from lab.flood import EXPERIMENT, ICMP, UDP, Flood, frame
from lab.ping import Pinger, must_ping
from lab.topology import ROUTER_NAMESPACE, Host, Node, Topology
from lab.waiting import wait_until

_SECONDS = 6.0
_HOLD_SECONDS = 3
_SESSION_SECONDS = 30.0
_PING_SECONDS = 0.02
_LOSS = 0.02  # of the pings of others; this machine's processors are shared with the flood
_CLASS_RATE, _CLASS_BURST = 2_000, 500  # node/stage/punt.cc, the greatest of those flooded here
_FEW_RATE, _FEW_BURST = 3, 256  # of a dead host: node/unresolved_limiter.hh
_NEW_RATE, _NEW_BURST = 20, 40  # destinations of a sweep that the kernel gets to see
_SWEEP_ROUNDS = 36  # how often a sweep of 6 s comes by each, at 400,000 frames a second
_OTHER_RATE = 100  # BGP, ARP and the like, and echo requests of the check itself
_KERNEL_NEIGHBOURS = 512  # gc_thresh2, from where on the kernel drops live neighbours
_SUBNET = "10.9"  # a /16 of hosts that are not there


def _session(host: Host) -> dict:
    peer = host.address(4)
    return json.loads(frr.vtysh(f"show bgp neighbors {peer} json"))[peer]


def _not_up(host: Host, hold_seconds: int) -> str | None:
    session = _session(host)
    hold = session.get("bgpTimerHoldTimeMsecs")
    up = session["bgpState"] == "Established" and hold == hold_seconds * 1000
    return None if up else f"{session['bgpState']}, hold time {hold} ms"


def _await_hold_time(host: Host, seconds: int) -> None:
    bird.set_hold_time(host, seconds)
    wait_until(f"BGP with a hold time of {seconds} s", lambda: _not_up(host, seconds), _SESSION_SECONDS)


@contextlib.contextmanager
def _prepared(host: Host) -> Iterator[None]:
    subnet = [f"{_SUBNET}.0.1/16", "dev", Node(host.number).port]
    _await_hold_time(host, _HOLD_SECONDS)
    must(["ip", "-n", ROUTER_NAMESPACE, "address", "add", *subnet])
    try:
        yield
    finally:
        must(["ip", "-n", ROUTER_NAMESPACE, "address", "del", *subnet])
        _await_hold_time(host, bird.HOLD_SECONDS)


def _sweep(host: Host) -> list[bytes]:
    addresses = [f"{_SUBNET}.{n >> 8}.{n & 255}" for n in range(2, 65535)]
    random.Random(1).shuffle(addresses)
    return [frame(host, address, UDP) for address in addresses]


def _punted(host: Host) -> int:
    node = Node(host.number).name
    return sum(row["punted"] for row in rackway.show("ports") if row["node"] == node)


def _neighbours() -> int:
    return len(must(["ip", "-n", ROUTER_NAMESPACE, "neighbor"]).splitlines())


def _flood(topology: Topology, what: str, frames: list[bytes], most_punted: float) -> str:
    flooder, *others = topology.hosts
    pairs = [(others[0], others[-1]), (others[-1], others[0]), (flooder, others[-1])]
    for sender, receiver in pairs:
        must_ping(sender.namespace, receiver.address(4), count=2)
    established, punted = _session(flooder)["connectionsEstablished"], _punted(flooder)
    most_neighbours = 0
    with contextlib.ExitStack() as stack:
        pingers = [
            stack.enter_context(Pinger(sender.namespace, receiver.address(4), _PING_SECONDS))
            for sender, receiver in pairs[:2]
        ]
        with Flood(flooder, frames) as flood:
            until = time.monotonic() + _SECONDS
            while time.monotonic() < until:
                time.sleep(0.5)
                most_neighbours = max(most_neighbours, _neighbours())
        time.sleep(1)  # for what is still counted
    punted = _punted(flooder) - punted
    if _session(flooder)["connectionsEstablished"] != established or _not_up(flooder, _HOLD_SECONDS):
        raise CheckFailed(f"{what}, {flood.rate:,.0f} a second: the BGP session did not survive")
    for pinger in pingers:
        if pinger.result.lost > _LOSS * pinger.result.sent or not pinger.result.sent:
            raise CheckFailed(
                f"{what}, {flood.rate:,.0f} a second: {pinger.namespace} to {pinger.address} lost "
                f"{pinger.result.lost} of {pinger.result.sent}"
            )
    if punted > most_punted:
        raise CheckFailed(f"{what}: {punted} frames punted, expected {most_punted:.0f} at most")
    if most_neighbours >= _KERNEL_NEIGHBOURS:
        raise CheckFailed(f"{what}: the kernel has {most_neighbours} neighbours")
    return f"{what} {flood.rate / 1000:.0f}k/s, {punted} punted"


def floods_of_each_kind(topology: Topology) -> str:
    flooder, others = topology.hosts[0], topology.hosts[1:]
    by_class = (_SECONDS + 1) * (_CLASS_RATE + _OTHER_RATE) + _CLASS_BURST
    few = (_SECONDS + 1) * (_FEW_RATE + _OTHER_RATE) + _FEW_BURST
    swept = (_SECONDS + 1) * _NEW_RATE + _NEW_BURST
    of_sweep = swept * _SWEEP_ROUNDS + (_SECONDS + 1) * _OTHER_RATE
    own, dead = flooder.gateway(4), f"{_SUBNET}.0.99"
    with _prepared(flooder):
        return "; ".join(
            (
                _flood(topology, "pings", [frame(flooder, own, ICMP)], by_class),
                _flood(topology, "an unknown protocol", [frame(flooder, own, EXPERIMENT)], by_class),
                _flood(topology, "TTL 1", [frame(flooder, others[-1].address(4), UDP, 1)], by_class),
                _flood(topology, "a dead host", [frame(flooder, dead, UDP)], few),
                _flood(topology, "a sweep of a /16", _sweep(flooder), of_sweep),
            )
        )
