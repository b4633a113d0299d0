# SPDX-License-Identifier: Apache-2.0
"""Routes from BGP, from the kernel and from the cluster document reach all nodes, and leave them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from lab import bird, prefixes, rackway
from lab.commands import must
from lab.errors import CheckFailed
from lab.lifecycle import await_bgp_routes, await_in_sync, expected_bgp_routes
from lab.ping import must_ping, ping
from lab.topology import (
    BLACKHOLE_IPV4,
    BLACKHOLE_IPV6,
    ROUTER_NAMESPACE,
    STATIC_IPV4,
    STATIC_IPV4_HOST,
    STATIC_IPV6,
    STATIC_IPV6_HOST,
    Host,
    Topology,
)
from lab.waiting import wait_until

_ROUTE_SECONDS = 10.0
# What the kernel is told: prefix and an address in it, which the last host then owns.
_KERNEL_ROUTES = {4: ("198.51.100.0/24", "198.51.100.1"), 6: ("2001:db8:51::/48", "2001:db8:51::1")}


def _must_not_answer(sender: Host, address: str) -> None:
    if ping(sender.namespace, address, count=2).received:
        raise CheckFailed(f"{address} answers {sender.name} though no route leads there")


def bgp_routes_carry_traffic(topology: Topology) -> str:
    addresses = [
        (host, address)
        for host in topology.bgp_hosts
        for address in prefixes.living_addresses(host.number)
    ]
    for owner, address in addresses:
        for sender in topology.hosts:
            if sender != owner:
                must_ping(sender.namespace, address, count=2)
    return f"{len(addresses)} learnt addresses answer from {topology.size - 1} hosts each"


def _kinds() -> dict[str, tuple[str, str]]:
    return {row["prefix"]: (row["kind"], row["protocol"]) for row in rackway.show("routes")}


def static_routes_work(topology: Topology) -> str:
    expected = {BLACKHOLE_IPV4: "blackhole", BLACKHOLE_IPV6: "blackhole"}
    if topology.has_static_routes:
        expected |= {STATIC_IPV4: "forward", STATIC_IPV6: "forward"}
    seen = _kinds()
    for prefix, kind in expected.items():
        if seen.get(prefix) != (kind, "rackway"):
            raise CheckFailed(f"route {prefix}: expected {kind} rackway, saw {seen.get(prefix)}")
    for sender in topology.hosts:
        _must_not_answer(sender, BLACKHOLE_IPV4.replace("0/24", "1"))
        if topology.has_static_routes and not sender.answers_static_routes:
            must_ping(sender.namespace, STATIC_IPV4_HOST, count=2)
            must_ping(sender.namespace, STATIC_IPV6_HOST, count=2)
    return ", ".join(expected)


def _await_route(prefix: str, present: bool) -> None:
    def obstacle() -> str | None:
        return None if (prefix in _kinds()) == present else f"{prefix} is {not present}"

    wait_until(f"route {prefix} {'there' if present else 'gone'}", obstacle, _ROUTE_SECONDS)


@contextlib.contextmanager
def _kernel_route(family: int, owner: Host) -> Iterator[str]:
    """A route that an operator adds with `ip` inside the block, to an address of OWNER."""
    prefix, address = _KERNEL_ROUTES[family]
    route = [f"-{family}", "-n", ROUTER_NAMESPACE, "route"]
    must(["ip", "-n", owner.namespace, "address", "replace", address, "dev", "lo"])
    must(["ip", *route, "replace", prefix, "via", owner.address(family)])
    try:
        yield address
    finally:
        must(["ip", *route, "del", prefix])


def kernel_route_comes_and_goes(topology: Topology) -> str:
    owner, senders = topology.hosts[-1], topology.hosts[:-1]
    took = []
    for family, (prefix, address) in _KERNEL_ROUTES.items():
        before = rackway.show_cluster()
        with _kernel_route(family, owner):
            _await_route(prefix, present=True)
            took.append(await_in_sync(topology))
            if rackway.show_cluster()["epoch"] <= before["epoch"]:
                raise CheckFailed(f"{prefix} came without a new epoch")
            for sender in senders:
                must_ping(sender.namespace, address, count=2)
        _await_route(prefix, present=False)
        took.append(await_in_sync(topology))
        for sender in senders:
            _must_not_answer(sender, address)
        _compare_digests(before, rackway.show_cluster(), f"{prefix} was added and removed")
    return "one epoch on all nodes, digests as before when removed"


def _compare_digests(before: dict, after: dict, story: str) -> None:
    if after["digest"] != before["digest"]:
        raise CheckFailed(f"{story}, and the digest is {after['digest']}, not {before['digest']}")


def bgp_withdrawal_and_return(topology: Topology) -> str:
    host, sender = topology.bgp_hosts[0], topology.hosts[-1]
    address = prefixes.living_addresses(host.number)[0]
    full = expected_bgp_routes(topology)
    bird.control(host, f"disable {bird.origin(4)}")
    try:
        gone = await_bgp_routes(topology, full - prefixes.IPV4_COUNT)
        _must_not_answer(sender, address)
    finally:
        bird.control(host, f"enable {bird.origin(4)}")
    back = await_bgp_routes(topology, full)
    must_ping(sender.namespace, address, count=2)
    return f"{prefixes.IPV4_COUNT} routes gone in {gone:.1f} s, back in {back:.1f} s"
