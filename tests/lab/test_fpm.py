# SPDX-License-Identifier: Apache-2.0
"""FRR's routes from zebra itself (FPM), in a lab of its own: they come, are forwarded by, are withdrawn,
and outlive zebra and the controller without a packet lost. It replaces the lab of the other tests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from lab import bird, frr, lifecycle, prefixes, processes, rackway
from lab.checks.reach import must_ping
from lab.ping import Pinger
from lab.topology import Topology
from lab.waiting import wait_until

_TOPOLOGY = Topology(3, fpm=True)
_FIRST, _SECOND, _THIRD = _TOPOLOGY.hosts
_SECONDS = 30.0
_SETTLE_SECONDS = 60.0  # FRR's daemons find each other in ten, and twenty are quiet
_PING_SECONDS = 0.05
_OF_ONE_HOST = prefixes.IPV4_COUNT


@pytest.fixture(scope="module", autouse=True)
def _lab() -> Iterator[None]:
    lifecycle.down(force=True)
    with lifecycle.locked():
        lifecycle.up(_TOPOLOGY, say=lambda _: None)
    yield
    with lifecycle.locked():
        lifecycle.down()


def _source(name: str = "fpm") -> dict:
    return next(row for row in rackway.show("sources") if row["source"] == name)


def _await_source(what: str, seconds: float = _SECONDS, **wanted: object) -> None:
    def obstacle() -> str | None:
        row = _source()
        other = {key: row[key] for key, value in wanted.items() if row[key] != value}
        return f"{other}" if other else None

    wait_until(what, obstacle, seconds)


@contextlib.contextmanager
def _nothing_lost() -> Iterator[None]:
    """To addresses that only BGP of host 1 knows, in both families, and between hosts."""
    addresses = [*prefixes.living_addresses(_FIRST.number)[::2], _FIRST.address(6)]
    for address in addresses:
        must_ping(_THIRD.namespace, address, count=2)
    with contextlib.ExitStack() as stack:
        pingers = [
            stack.enter_context(Pinger(_THIRD.namespace, address, _PING_SECONDS))
            for address in addresses
        ]
        yield
    for pinger in pingers:
        assert pinger.result.sent > 0
        assert pinger.result.lost == 0, f"{pinger.address}: {pinger.result}"


def test_bgp_routes_come_from_zebra_alone() -> None:
    row = _source()
    expected = lifecycle.expected_bgp_routes(_TOPOLOGY)
    assert (row["state"], row["routes"], row["waiting"]) == ("connected", expected, 0)
    assert row["malformed"] == 0 and row["next_hop_objects"] > 0
    rows = rackway.show("rib", str(prefixes.ipv4_prefixes(1)[0]))
    assert [(r["source"], r["origin"], r["distance"], r["state"]) for r in rows] == [
        ("fpm", "bgp", 20, "used")
    ]
    for host in (_FIRST, _SECOND):
        for address in prefixes.living_addresses(host.number):
            must_ping(_THIRD.namespace, address, count=1)


def test_withdrawn_routes_go_and_come_again() -> None:
    with _nothing_lost():
        bird.control(_SECOND, f"disable {bird.origin(4)}")
        everything = lifecycle.expected_bgp_routes(_TOPOLOGY)
        lifecycle.await_bgp_routes(_TOPOLOGY, everything - _OF_ONE_HOST)
        bird.control(_SECOND, f"enable {bird.origin(4)}")
        lifecycle.await_bgp_routes(_TOPOLOGY, everything)
    _await_source("routes", stale=0, waiting=0)


def _start_daemons() -> None:
    """As watchfrr does: bgpd of FRR 8.4 does not tell its routes to another zebra."""
    frr.start_daemon("zebra")
    _await_source("zebra is back", state="connected")
    processes.kill("bgpd")
    frr.start_daemon("bgpd")


def test_zebra_dies_and_what_was_withdrawn_meanwhile_goes() -> None:
    everything = lifecycle.expected_bgp_routes(_TOPOLOGY)
    with _nothing_lost():
        processes.kill("zebra")
        _await_source("routes are stale", state="waiting for zebra", stale=everything)
        bird.control(_SECOND, f"disable {bird.origin(4)}")
        _start_daemons()
        lifecycle.await_bgp_routes(_TOPOLOGY, everything - _OF_ONE_HOST, _SETTLE_SECONDS)
        _await_source("nothing is stale", stale=0, waiting=0, routes=everything - _OF_ONE_HOST)
        bird.control(_SECOND, f"enable {bird.origin(4)}")
        lifecycle.await_bgp_routes(_TOPOLOGY, everything)
    events = [row["event"] for row in rackway.show("events") if row["seen_by"] == "controller"]
    assert any(event.endswith(f"its {everything} routes are kept") for event in events)


def test_the_controller_dies_and_zebra_tells_the_new_one() -> None:
    everything = lifecycle.expected_bgp_routes(_TOPOLOGY)
    with _nothing_lost():
        processes.kill(rackway.CONTROLLER)
        rackway.start_controller()
        lifecycle.await_in_sync(_TOPOLOGY)
        _await_source("zebra tells all", state="connected", routes=everything)

        def obstacle() -> str | None:
            return None if rackway.show_cluster()["settled"] else "not settled"

        wait_until("the controller settles", obstacle, _SETTLE_SECONDS)
        lifecycle.await_bgp_routes(_TOPOLOGY, everything)
    assert not any(row["stale"] for row in rackway.show("routes"))
