# SPDX-License-Identifier: Apache-2.0
"""Flows take the direct fabric link or a relay, as the mode says and as nodes drain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def a_drained_node_relays_nothing(topology: Topology) -> str:
    """A node is drained under load without loss, then no path leads over it, and then some do."""
    if topology.butterfly is not None or len(topology.nodes) < 3:
        return "left out: it takes a mesh with a relay"
    drained = topology.nodes[-1]
    sender, receiver = topology.host_pairs[0]
    with ThreadPoolExecutor(1) as pool, _mode("valiant"), _drained(drained.name) as drain:
        load = pool.submit(spray, sender, receiver, 4, _FLOWS, _EACH_DURING_SWITCHES)
        drain()
        arrived = load.result()
        if arrived != _FLOWS * _EACH_DURING_SWITCHES:
            raise CheckFailed(f"{arrived} of {_FLOWS * _EACH_DURING_SWITCHES} datagrams arrived")
        relayed = _relayed_by(drained.name, topology)
        if relayed != 0:
            raise CheckFailed(f"{drained.name} is drained and relayed {relayed} frames")
    with _mode("valiant"):
        relayed = _relayed_by(drained.name, topology)
    if relayed == 0:
        raise CheckFailed(f"{drained.name} drains no more and relayed nothing")
    return f"{arrived} datagrams past it, 0 relayed while drained, {relayed} after"


def _relayed_by(node: str, topology: Topology) -> int:
    before = _relayed_so_far(node)
    _spray_all(topology)
    return _relayed_so_far(node) - before


def _relayed_so_far(node: str) -> int:
    return sum(row["relayed"] for row in rackway.show("fabric", node))


@contextmanager
def _drained(node: str) -> Iterator[Callable[[], None]]:
    """Gives what drains it; it is undrained in the end."""

    def order(word: str, wanted: bool) -> None:
        def who_is_late() -> str | None:
            ends = [row for row in rackway.show("fabric") if row["peer"] == node]
            return ", ".join(row["node"] for row in ends if row["peer_draining"] != wanted) or None

        rackway.order("node", word, node)
        wait_until(f"all know of {word} {node}", who_is_late, _SWITCH_SECONDS)

    try:
        yield lambda: order("drain", True)
    finally:
        order("undrain", False)


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
