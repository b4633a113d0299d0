# SPDX-License-Identifier: Apache-2.0
"""Crashes: a node's and the controller's. The rest goes on, and what returns fits in again."""

from __future__ import annotations

import contextlib
import itertools
import time
from concurrent.futures import ThreadPoolExecutor

from lab import processes, prefixes, rackway, recovery
from lab.checks import errors, operator
from lab.checks.reach import ping_between_all_hosts
from lab.commands import must
from lab.errors import CheckFailed
from lab.flows import spray
from lab.iperf import gigabits
from lab.lifecycle import await_bgp_routes, await_in_sync, expected_bgp_routes
from lab.ping import Pinger, must_ping
from lab.topology import Host, Topology
from lab.waiting import wait_until

_RETURN_SECONDS = 30.0
_SESSION_SECONDS = 30.0
_BGP_HOLD_SECONDS = 9.0
_SETTLED_SECONDS = 70.0
_PING_SECONDS = 0.01
_LOSS_SECONDS = 2.0
_FLOWS = 128
_LOAD_SECONDS = 12
_DEATHS_EACH = 3


def node_dies_and_returns(topology: Topology) -> str:
    victim, others = topology.nodes[-1], topology.hosts[:-1]
    with Pinger(others[0].namespace, others[-1].address(4), _PING_SECONDS) as pinger:
        time.sleep(0.5)
        processes.kill(victim.name)
        try:
            detected = rackway.await_state(victim, "down")
            _others_go_on(others)
        finally:
            rackway.start_node(victim)
        returned = await_in_sync(topology, _RETURN_SECONDS)
    lost = pinger.result.lost
    if lost * _PING_SECONDS > _LOSS_SECONDS:
        raise CheckFailed(f"{lost} of {pinger.result.sent} pings past the dead node were lost")
    ping_between_all_hosts(topology)
    return (
        f"{lost} of {pinger.result.sent} pings of others lost, seen after {detected:.1f} s, "
        f"back in sync after {returned:.1f} s"
    )


def nodes_die_under_load(topology: Topology) -> str:
    """One after the other and again, while TCP between the others keeps every link busy."""
    sender, receiver = topology.hosts[:2]
    victims = topology.nodes[2:]
    boots = _boots()
    with ThreadPoolExecutor(1) as pool:
        load = pool.submit(gigabits, sender, receiver, _LOAD_SECONDS)
        for victim in victims * _DEATHS_EACH:
            processes.kill(victim.name)
            time.sleep(0.5)
            rackway.start_node(victim)
            await_in_sync(topology, _RETURN_SECONDS)
        rate = load.result()
    died = [node for node in topology.nodes[:2] if _boots()[node.name] != boots[node.name]]
    if died:
        raise CheckFailed(f"{died[0].name} died with its peer")
    wait_until("all fabric links are up", recovery.links_not_up, _RETURN_SECONDS)
    ping_between_all_hosts(topology)
    return f"{len(victims) * _DEATHS_EACH} deaths during {rate:.2f} Gb/s past them"


def _boots() -> dict[str, str]:
    return {row["name"]: row["boot_id"] for row in rackway.show("nodes")}


def _others_go_on(others: list[Host]) -> None:
    """Many flows between all hosts that are left: none may be steered over the dead node."""
    for sender, receiver in itertools.permutations(others, 2):
        for family in (4, 6):
            must_ping(sender.namespace, receiver.address(family), count=2)
            arrived = spray(sender, receiver, family, _FLOWS, each=1)
            if arrived != _FLOWS:
                raise CheckFailed(
                    f"{sender.name} to {receiver.name} past the dead node: {arrived} of {_FLOWS} "
                    f"IPv{family} flows arrive"
                )


def controller_dies_and_returns(topology: Topology) -> str:
    """Away for longer than BGP waits; neighbours forget the router, and packets are too big."""
    before = recovery.routes()
    with contextlib.ExitStack() as stack:
        sender, receiver = stack.enter_context(errors.small_port(topology))
        pingers = [stack.enter_context(pinger) for pinger in _pingers(topology)]
        time.sleep(0.5)
        processes.kill(rackway.CONTROLLER)
        try:
            operator.absent_controller_is_named()
            _forget_the_router(topology)
            time.sleep(_BGP_HOLD_SECONDS + 2)
            errors.expect_errors_and_fragments(topology, sender, receiver)
        finally:
            rackway.start_controller()
        _await_as_before(topology)
        time.sleep(1)
    other = recovery.other_routes(before)
    if other:
        raise CheckFailed(f"after the restart {other}")
    for pinger in pingers:
        if pinger.result.lost or not pinger.result.sent:
            raise CheckFailed(
                f"{pinger.namespace} to {pinger.address}: {pinger.result.lost} of "
                f"{pinger.result.sent} lost while the controller was away"
            )
    return f"{sum(p.result.sent for p in pingers)} pings on their way, none lost; same routes"


def _forget_the_router(topology: Topology) -> None:
    for host in topology.hosts:
        must(["ip", "-n", host.namespace, "neighbor", "flush", "dev", "eth0"])


def _await_as_before(topology: Topology) -> None:
    await_in_sync(topology, _RETURN_SECONDS)
    await_bgp_routes(topology, expected_bgp_routes(topology))
    wait_until("the controller settles", recovery.not_settled, _SETTLED_SECONDS)
    wait_until("BGP returns", lambda: recovery.sessions_not_up(topology), _SESSION_SECONDS)


def _pingers(topology: Topology) -> list[Pinger]:
    """Host to host in both families, and to addresses that only BGP knows."""
    first, last = topology.hosts[0], topology.hosts[-1]
    pairs = [(first, last.address(4)), (last, first.address(6))]
    pairs += [(last, address) for address in prefixes.living_addresses(1)[::2]]
    for sender, address in pairs:
        must_ping(sender.namespace, address, count=2)
    return [Pinger(sender.namespace, address, _PING_SECONDS * 2) for sender, address in pairs]
