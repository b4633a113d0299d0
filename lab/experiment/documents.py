# SPDX-License-Identifier: Apache-2.0
"""Cluster documents of fabrics of equal nodes, n1 to nN, each with one external port."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
import re
from dataclasses import dataclass

from lab.experiment.parameters import LINKS_OF_2R_N
from lab.experiment.values import flowlet_gap, megabits
from lab.topology import Butterfly

_SHAPE = re.compile(r"butterfly-(\d)x(\d)")
_MOST_OCTETS = 16 << 20  # that a cluster document may have
_OCTETS_OF_A_LINK = 80
_MOST_NODES = 64  # of a document when it does not take one


@dataclass(frozen=True)
class Document:
    """TEXT, to be found under NAME, which has a digest of it."""

    name: str
    text: str


def butterfly_of(shape: str) -> Butterfly | None:
    match = _SHAPE.fullmatch(shape)
    return Butterfly(int(match[1]), int(match[2])) if match else None


def is_needed(nodes: int, flowlets: str) -> bool:
    """Large regular fabrics do without, but then flowlets are as by default."""
    return nodes <= _MOST_NODES or flowlets != "on"


def fault(shape: str, nodes: int, link_rate: str, flowlets: str) -> str | None:
    """Why there is no such fabric."""
    butterfly = butterfly_of(shape)
    if butterfly is None:
        links = nodes * (nodes - 1) // 2
        too_large = is_needed(nodes, flowlets) and links * _OCTETS_OF_A_LINK > _MOST_OCTETS
        return f"the document of a mesh of {nodes} nodes is too large" if too_large else None
    if butterfly.edge_nodes != nodes:
        return f"a {shape} has {butterfly.edge_nodes} nodes with ports, not {nodes}"
    if link_rate == LINKS_OF_2R_N:
        return f"a {shape} has no links of 2r/N; link_rate has to be a rate"
    return None


@functools.lru_cache(maxsize=16)
def document(shape: str, nodes: int, port_rate: str, link_rate: str, flowlets: str) -> Document:
    butterfly = butterfly_of(shape)
    relays = butterfly.relays if butterfly else 0
    ends = butterfly.links if butterfly else itertools.combinations(range(nodes), 2)
    rate = rate_of_links(nodes, port_rate, link_rate)
    used = [0] * (nodes + relays)
    text = json.dumps(
        {
            "name": "experiment",
            "nodes": [_node(number, port_rate) for number in range(nodes)]
            + [{"name": f"n{nodes + relay + 1}"} for relay in range(relays)],
            "fabric": {"links": [_link(a, b, rate, used) for a, b in ends]},
            "vlb": {"flowlet_gap_us": list(flowlet_gap(flowlets))},
        },
        separators=(",", ":"),
    )
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return Document(f"{shape}-{nodes}-{digest}.json", text + "\n")


def rate_of_links(nodes: int, port_rate: str, link_rate: str) -> str:
    """A document's rates are whole Mb/s; what 2r/N has beyond that is rounded up."""
    if link_rate != LINKS_OF_2R_N:
        return link_rate
    return f"{math.ceil(2 * megabits(port_rate) / nodes)}M"


def _node(number: int, port_rate: str) -> dict:
    return {"name": f"n{number + 1}", "ports": [{"name": "p0", "device": "d0", "rate": port_rate}]}


def _link(a: int, b: int, rate: str, used: list[int]) -> dict:
    for end in (a, b):
        used[end] += 1
    return {
        "between": [f"n{a + 1}", f"n{b + 1}"],
        "devices": [f"d{used[a]}", f"d{used[b]}"],
        "rate": rate,
    }
