# SPDX-License-Identifier: Apache-2.0
"""Every packet accounted for: the cluster's counters and the hosts' own, added up.

Of what a port received, each frame was sent on, punted or dropped. What one node transmitted on a
fabric link, the other received. What a host sent, its port received, and the other way round: not
from the beginning, but since a baseline.

The counters are not read at one moment, nodes report them a little late, and the routing daemons
never rest. So a baseline is what most of many readings agree on, and a balance is asked for until
it holds or time is up.
"""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import dataclass

from lab import rackway
from lab.commands import must
from lab.errors import CheckFailed, LabError
from lab.topology import Node, Topology
from lab.waiting import wait_until

_SETTLE_SECONDS = 10.0
_BASELINE_SECONDS = 3.0  # several times what nodes keep their counters to themselves
_READING_SECONDS = 0.1


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


def _unbalanced(place: str, row: dict) -> list[str]:
    parts = row["sent"] + row["punted"] + row["dropped"]
    if row["received"] == parts:
        return []
    return [f"{place}: received {row['received']} = {parts} + {row['received'] - parts} missing"]


def differences(accounts: Accounts, topology: Topology) -> dict[str, int]:
    """What was counted on one side of each cable less what was counted on the other."""
    found = {}
    for (node, peer), row in accounts.fabric.items():
        there = accounts.fabric[peer, node]["received"]
        found[f"{node} transmitted to {peer}, received there"] = row["transmitted"] - there
    for host in topology.hosts:
        port = Node(host.number).port
        here, there = accounts.hosts[host.name], accounts.ports[port]
        found[f"{host.name} sent, {port} received"] = here["sent"] - there["received"]
        found[f"{port} transmitted, {host.name} received"] = there["transmitted"] - here["received"]
    return found


@dataclass(frozen=True)
class Baseline:
    """A moment to compare later ones with; until then no node may restart."""

    accounts: Accounts
    differences: dict[str, int]


def baseline(topology: Topology) -> Baseline:
    readings: dict[str, list[int]] = {}
    deadline = time.monotonic() + _BASELINE_SECONDS
    while True:
        latest = take(topology)
        for name, value in differences(latest, topology).items():
            readings.setdefault(name, []).append(value)
        if time.monotonic() > deadline:
            return Baseline(latest, {name: statistics.mode(seen) for name, seen in readings.items()})
        time.sleep(_READING_SECONDS)


def faults(before: Baseline, after: Accounts, topology: Topology) -> list[str]:
    """Everything in AFTER that does not add up."""
    found = [fault for name, row in after.ports.items() for fault in _unbalanced(name, row)]
    for (node, peer), row in after.fabric.items():
        found += _unbalanced(f"{node} from {peer}", row)
        parts = row["direct"] + row["via_relay"] + row["relayed"]
        if row["transmitted"] != parts:
            found.append(f"{node} to {peer}: transmitted {row['transmitted']}, its parts {parts}")
    for name, value in differences(after, topology).items():
        missing = value - before.differences[name]
        if missing:
            found.append(f"{name}: {missing} missing")
    return found


def await_balance(before: Baseline, topology: Topology) -> Accounts:
    """Waits until nothing is missing since BEFORE; the balanced counters."""
    latest = before.accounts

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


def growth(before: Baseline, after: Accounts, table: str, counter: str) -> int:
    """By how much COUNTER has grown, summed up over TABLE, which is `ports` or `fabric`."""
    earlier = getattr(before.accounts, table)
    return sum(row[counter] - earlier[key][counter] for key, row in getattr(after, table).items())
