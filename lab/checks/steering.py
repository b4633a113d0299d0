# SPDX-License-Identifier: Apache-2.0
"""Flows take the direct fabric link or a relay, as the mode says and as nodes drain."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from lab import accounts, rackway
from lab.errors import CheckFailed
from lab.flows import spray
from lab.topology import Topology
from lab.waiting import wait_until

_MODES = ("adaptive", "direct", "direct-vlb", "valiant")
_USUAL = "adaptive"
_SWITCH_SECONDS = 5.0
_FLOWS, _EACH = 128, 4
_EACH_DURING_SWITCHES = 100

_MOST_RELAYS = 15  # that a frame may pass


def both_paths_are_used(topology: Topology) -> str:
    with _mode("valiant"):
        direct, via_relay, relayed = _spray_all(topology)
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


def modes_switch_without_loss(topology: Topology) -> str:
    """Every flow keeps arriving while the mode changes, and then takes the paths of the mode."""
    sender, receiver = topology.host_pairs[0]
    with ThreadPoolExecutor(1) as pool, _mode(_USUAL):
        load = pool.submit(spray, sender, receiver, 4, _FLOWS, _EACH_DURING_SWITCHES)
        for mode in _MODES * 2:
            _switch(mode)
        arrived = load.result()
        if arrived != _FLOWS * _EACH_DURING_SWITCHES:
            raise CheckFailed(f"{arrived} of {_FLOWS * _EACH_DURING_SWITCHES} datagrams arrived")
        _switch("direct")
        direct, via_relay, _ = _spray_all(topology)
        if via_relay != 0:
            raise CheckFailed(f"in mode direct {via_relay} frames took a relay")
    return f"{2 * len(_MODES)} switches, {arrived} datagrams past them; then {direct} direct"


@contextmanager
def _mode(mode: str) -> Iterator[None]:
    _switch(mode)
    try:
        yield
    finally:
        _switch(_USUAL)


def _switch(mode: str) -> None:
    def who_is_late() -> str | None:
        late = [row["name"] for row in rackway.show("nodes") if row["vlb_mode"] != mode]
        return ", ".join(late) or None

    rackway.order("vlb", "mode", mode)
    wait_until(f"all nodes steer in mode {mode}", who_is_late, _SWITCH_SECONDS)


def _spray_all(topology: Topology) -> tuple[int, int, int]:
    """Many flows between all hosts; how many frames went direct, over a relay, were passed on."""
    before = accounts.baseline(topology)
    for number, (sender, receiver) in enumerate(topology.host_pairs):
        arrived = spray(sender, receiver, 6 if number % 2 else 4, _FLOWS, _EACH)
        if arrived != _FLOWS * _EACH:
            raise CheckFailed(
                f"{sender.name} to {receiver.name}: {arrived} of {_FLOWS * _EACH} datagrams arrived"
            )
    after = accounts.await_balance(before, topology)
    direct, via_relay, relayed = (
        accounts.growth(before, after, "fabric", counter)
        for counter in ("direct", "via_relay", "relayed")
    )
    return direct, via_relay, relayed
