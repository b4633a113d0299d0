# SPDX-License-Identifier: Apache-2.0
"""Every packet accounted for: the cluster's counters and the hosts' own, added up.

Of what a port received, each frame was sent on, punted or dropped. What one node transmitted on a
fabric link, the other received. What a host sent, its port received, and the other way round. The
counters are not read at one moment, so a balance is asked for until it holds or time is up.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from lab import rackway
from lab.commands import must
from lab.errors import CheckFailed, LabError
from lab.topology import Node, Topology
from lab.waiting import wait_until

_SETTLE_SECONDS = 10.0
_REST_SECONDS = 20.0
_QUIET_SECONDS = 0.6  # longer than nodes keep their counters to themselves


@dataclass(frozen=True)
class Accounts:
    """The counters at about one moment."""

    ports: dict[str, dict]  # by port name
    fabric: dict[tuple[str, str], dict]  # by (node, peer)
    hosts: dict[str, dict]  # by host name: the kernel's counters of eth0


def _host_counters(namespace: str) -> dict:
    shown = json.loads(must(["ip", "-n", namespace, "-s", "-j", "link", "show", "eth0"]))
    counters = shown[0].get("stats64") or shown[0]["stats"]
    return {"sent": counters["tx"]["packets"], "received": counters["rx"]["packets"]}


def take(topology: Topology) -> Accounts:
    return Accounts(
        {row["name"]: row for row in rackway.show("ports")},
        {(row["node"], row["peer"]): row for row in rackway.show("fabric")},
        {host.name: _host_counters(host.namespace) for host in topology.hosts},
    )


def take_at_rest(topology: Topology) -> Accounts:
    """The counters of a moment between packets, to compare later ones with."""
    latest = take(topology)

    def obstacle() -> str | None:
        nonlocal latest
        earlier, latest = latest, take(topology)
        return None if earlier == latest else "packets come and go"

    wait_until("counters at rest", obstacle, _REST_SECONDS, interval=_QUIET_SECONDS)
    return latest


def _unbalanced(place: str, row: dict) -> list[str]:
    parts = row["sent"] + row["punted"] + row["dropped"]
    if row["received"] == parts:
        return []
    return [f"{place}: received {row['received']} = {parts} + {row['received'] - parts} missing"]


def _differ(what: str, left: int, other: str, right: int) -> list[str]:
    return [] if left == right else [f"{what} {left}, {other} {right}"]


def _links(before: Accounts, after: Accounts) -> list[str]:
    faults = []
    for (node, peer), row in after.fabric.items():
        parts = row["direct"] + row["via_relay"] + row["relayed"]
        faults += _differ(f"{node} to {peer}: transmitted", row["transmitted"], "parts", parts)
        sent = row["transmitted"] - before.fabric[node, peer]["transmitted"]
        got = after.fabric[peer, node]["received"] - before.fabric[peer, node]["received"]
        faults += _differ(f"{node} to {peer}: transmitted", sent, "received there", got)
    return faults


def _edges(before: Accounts, after: Accounts, topology: Topology) -> list[str]:
    faults = []
    for host in topology.hosts:
        port = Node(host.number).port

        def change(side: dict, counter: str, earlier: dict) -> int:
            return side[counter] - earlier[counter]

        here, there = after.hosts[host.name], after.ports[port]
        here_before, there_before = before.hosts[host.name], before.ports[port]
        faults += _differ(
            f"{host.name} sent",
            change(here, "sent", here_before),
            f"{port} received",
            change(there, "received", there_before),
        )
        faults += _differ(
            f"{port} transmitted",
            change(there, "transmitted", there_before),
            f"{host.name} received",
            change(here, "received", here_before),
        )
    return faults


def faults(before: Accounts, after: Accounts, topology: Topology) -> list[str]:
    """Everything that does not add up; between BEFORE and AFTER no node may have restarted."""
    found = [fault for name, row in after.ports.items() for fault in _unbalanced(name, row)]
    for (node, peer), row in after.fabric.items():
        found += _unbalanced(f"{node} from {peer}", row)
    return found + _links(before, after) + _edges(before, after, topology)


def await_balance(before: Accounts, topology: Topology) -> Accounts:
    """Waits until nothing is missing since BEFORE; the balanced counters."""
    latest = before

    def obstacle() -> str | None:
        nonlocal latest
        latest = take(topology)
        found = faults(before, latest, topology)
        return "; ".join(found[:4]) if found else None

    try:
        wait_until("accounts balance", obstacle, _SETTLE_SECONDS, interval=0.3)
    except LabError as error:
        raise CheckFailed(str(error)) from error
    return latest


def total(after: Accounts, before: Accounts, counter: str) -> int:
    """By how much COUNTER of all fabric ends together has grown."""
    return sum(row[counter] - before.fabric[key][counter] for key, row in after.fabric.items())
