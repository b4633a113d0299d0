# SPDX-License-Identifier: Apache-2.0
"""Where a drill plays: a lab, what may be lost in it, and what was found to be.

A drill has traffic() around its fault and recovering() around the wait for its end; the scene judges.
Flows are of two kinds: *stable* ones, whose routes and ports the fault has no claim to, and others.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lab import rackway, recovery
from lab.lifecycle import await_in_sync
from lab.losses import Loss, loss_of
from lab.numbered import Flow, Traffic
from lab.topology import Node, Topology
from lab.waiting import wait_until

_FLOWS, _LEARNT = 2, 2
_AROUND_SECONDS = 0.7  # of traffic before the fault, and after its end
_NOTHING = Loss(0, 0, 0.0, 0)


@dataclass(frozen=True)
class Limits:
    """What a drill may cost."""

    recovery: float  # seconds
    gap: float = 0.0  # seconds of a stable flow; 0: no packet
    outage: float | None = None  # seconds of any other flow; none: there are no others

    def __str__(self) -> str:
        stable = f"<= {self.gap * 1000:.0f} ms of a flow" if self.gap else "none lost"
        others = "" if self.outage is None else f", others <= {self.outage:g} s"
        return f"{stable}{others}, back in {self.recovery:g} s"


def at(node: Node) -> Callable[[Flow], bool]:
    """Flows that enter or leave at NODE are not stable when it fails."""
    return lambda flow: node.number in (flow.source, flow.destination)


def learnt(flow: Flow) -> bool:
    """Flows over routes of BGP are not stable when these are withdrawn."""
    return flow.is_learnt


def _never(_: Flow) -> bool:
    return False


def _sum(a: Loss, b: Loss) -> Loss:
    return Loss(
        a.lost + b.lost, a.sent + b.sent, max(a.longest, b.longest), a.reordered + b.reordered
    )


class Scene:
    def __init__(self, topology: Topology, limits: Limits, long: bool = False) -> None:
        self.topology, self.limits, self.long = topology, limits, long
        self.stable = self.others = _NOTHING
        self.recovery: float | None = None  # seconds; the longest of several
        self.notes: list[str] = []
        self.faults: list[str] = []

    def pick(self, short, long):
        """The one for the form that is played."""
        return long if self.long else short

    def expect(self, good: bool, fault: str) -> None:
        if not good:
            self.faults.append(fault)

    @contextlib.contextmanager
    def traffic(self, unstable: Callable[[Flow], bool] = _never) -> Iterator[None]:
        with Traffic(self.topology.hosts, _FLOWS, learnt=_LEARNT) as traffic:
            time.sleep(_AROUND_SECONDS)
            yield
            time.sleep(_AROUND_SECONDS)
        self.judge(traffic, unstable)

    def judge(self, traffic: Traffic, unstable: Callable[[Flow], bool]) -> None:
        """Of traffic that is over."""
        stable = loss_of([flow for flow in traffic.flows if not unstable(flow)], traffic.rate)
        others = loss_of([flow for flow in traffic.flows if unstable(flow)], traffic.rate)
        silent = traffic.expected - len(traffic.flows)
        self.expect(silent == 0, f"nothing arrived of {silent} flows")
        # One datagram more: a fault does not wait for the moment between two.
        allowed = self.limits.gap + 1 / traffic.rate
        fine = stable.longest <= allowed if self.limits.gap else stable.lost == 0
        self.expect(fine, f"stable routes: {stable}")
        outage = self.limits.outage or 0.0
        self.expect(others.longest <= outage, f"others: {others}")
        self.stable, self.others = _sum(self.stable, stable), _sum(self.others, others)

    @contextlib.contextmanager
    def recovering(self) -> Iterator[None]:
        """From when what failed is mended or started again, until what is waited for inside."""
        started = time.monotonic()
        yield
        took = time.monotonic() - started
        limit = self.limits.recovery
        self.expect(took <= limit, f"back after {took:.1f} s, not {limit:g}")
        self.recovery = max(took, self.recovery or 0.0)

    def await_as(self, before: recovery.Routes) -> None:
        """Until everything is up, the nodes agree, and the routes are those of BEFORE."""
        wait_until(
            "all is as before",
            lambda: recovery.not_as_before(self.topology, before),
            2 * self.limits.recovery,
            interval=0.1,
        )

    def await_one_digest(self) -> str:
        """Until all nodes have the cluster's epoch and digest; what that is."""
        await_in_sync(self.topology, 2 * self.limits.recovery)
        return rackway.show_cluster()["digest"]
