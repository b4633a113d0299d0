# SPDX-License-Identifier: Apache-2.0
"""Flows take the direct fabric link or a relay; both happen, and both are counted."""

from __future__ import annotations

from lab import accounts
from lab.errors import CheckFailed
from lab.flows import spray
from lab.topology import Topology

_MOST_RELAYS = 15  # that a frame may pass


def both_paths_are_used(topology: Topology) -> str:
    flows, each = 128, 4
    before = accounts.baseline(topology)
    for number, (sender, receiver) in enumerate(topology.host_pairs):
        arrived = spray(sender, receiver, 6 if number % 2 else 4, flows, each)
        if arrived != flows * each:
            raise CheckFailed(
                f"{sender.name} to {receiver.name}: {arrived} of {flows * each} datagrams arrived"
            )
    after = accounts.await_balance(before, topology)
    direct, via_relay, relayed = (
        accounts.growth(before, after, "fabric", counter)
        for counter in ("direct", "via_relay", "relayed")
    )
    if direct == 0 or (len(topology.nodes) > 2 and via_relay == 0):
        raise CheckFailed(f"{direct} frames went direct, {via_relay} over a relay")
    _compare(topology, direct, via_relay, relayed)
    return f"{direct} frames direct, {via_relay} over a relay, {relayed} times passed on"


def _compare(topology: Topology, direct: int, via_relay: int, relayed: int) -> None:
    """In a mesh only frames sent to a relay are passed on; in a butterfly no two edge nodes meet."""
    sent, most = direct + via_relay, _MOST_RELAYS * (direct + via_relay)
    if topology.butterfly is None and via_relay != relayed:
        raise CheckFailed(f"{via_relay} frames were sent to a relay, relays passed {relayed} on")
    if topology.butterfly and not sent <= relayed <= most:
        raise CheckFailed(f"{sent} frames entered the fabric and were passed on {relayed} times")
