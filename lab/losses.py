# SPDX-License-Identifier: Apache-2.0
"""What became of numbered flows together: how many of their datagrams were lost, and for how long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.numbered import Flow, Traffic
from lab.topology import Node


@dataclass(frozen=True)
class Loss:
    lost: int
    sent: int
    longest: float  # seconds of a flow, of datagrams lost in a row
    reordered: int

    def __str__(self) -> str:
        return f"{self.lost} of {self.sent} lost, at most {self.longest * 1000:.0f} ms of a flow"


def loss_of(flows: list[Flow], rate: float) -> Loss:
    """RATE: datagrams of each flow a second."""
    return Loss(
        sum(flow.lost for flow in flows),
        sum(flow.sent for flow in flows),
        max((flow.longest_gap for flow in flows), default=0) / rate,
        sum(flow.reordered for flow in flows),
    )


def loss_past(traffic: Traffic, nodes: Iterable[Node] = ()) -> Loss:
    """Of the flows that neither enter nor leave at these nodes."""
    numbers = {node.number for node in nodes}
    past = [flow for flow in traffic.flows if not {flow.source, flow.destination} & numbers]
    return loss_of(past, traffic.rate)
