# SPDX-License-Identifier: Apache-2.0
"""The sums of the accounting check find each kind of missing packet. Needs no running lab."""

from __future__ import annotations

import copy

import pytest

from lab.accounts import Accounts, Baseline, differences, faults, growth
from lab.topology import Topology

_PLAN = Topology(2)


def _row(**counters: int) -> dict:
    return {name: 0 for name in ("received", "sent", "punted", "dropped", "transmitted",
                                 "direct", "via_relay", "relayed")} | counters


def _nothing_yet() -> Accounts:
    return Accounts(
        {"n1-p0": _row(), "n2-p0": _row()},
        {("n1", "n2"): _row(), ("n2", "n1"): _row()},
        {"h1": {"sent": 3, "received": 1}, "h2": {"sent": 0, "received": 4}},
    )


def _baseline() -> Baseline:
    return Baseline(_nothing_yet(), differences(_nothing_yet(), _PLAN))


def _ten_packets() -> Accounts:
    """Host 1 sent ten: six reached host 2, three went to the router, one was dropped."""
    return Accounts(
        {
            "n1-p0": _row(received=10, sent=6, punted=3, dropped=1),
            "n2-p0": _row(transmitted=6),
        },
        {("n1", "n2"): _row(transmitted=6, direct=6), ("n2", "n1"): _row(received=6, sent=6)},
        {"h1": {"sent": 13, "received": 1}, "h2": {"sent": 0, "received": 10}},
    )


def test_balanced_accounts_have_no_fault() -> None:
    assert faults(_baseline(), _ten_packets(), _PLAN) == []
    assert growth(_baseline(), _ten_packets(), "fabric", "direct") == 6


@pytest.mark.parametrize(
    ("table", "key", "counter", "text"),
    [
        ("ports", "n1-p0", "dropped", "n1-p0: received 10 = 11 + -1 missing"),
        ("ports", "n2-p0", "transmitted", "n2-p0 transmitted, h2 received: 1 missing"),
        ("fabric", ("n2", "n1"), "sent", "n2 from n1: received 6 = 7 + -1 missing"),
        ("fabric", ("n1", "n2"), "relayed", "n1 to n2: transmitted 6, its parts 7"),
        ("hosts", "h1", "sent", "h1 sent, n1-p0 received: 1 missing"),
        ("hosts", "h1", "received", "n1-p0 transmitted, h1 received: -1 missing"),
    ],
)
def test_one_packet_too_many_is_found(table: str, key: object, counter: str, text: str) -> None:
    after = copy.deepcopy(_ten_packets())
    getattr(after, table)[key][counter] += 1
    assert faults(_baseline(), after, _PLAN) == [text]


def test_packet_lost_on_a_fabric_link_is_found() -> None:
    after = copy.deepcopy(_ten_packets())
    after.fabric["n2", "n1"] |= {"received": 5, "sent": 5}
    assert faults(_baseline(), after, _PLAN) == ["n1 transmitted to n2, received there: 1 missing"]
