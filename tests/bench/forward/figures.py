# SPDX-License-Identifier: Apache-2.0
"""What was measured, and how it stands to what it is compared with."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from tests.bench.forward import works as w
from tests.bench.forward.start import Outcome


@dataclass
class Figure:
    work: str
    program: str
    starts: list[Outcome] = field(default_factory=list)

    @property
    def cycles(self) -> float:
        return statistics.median(start.cycles for start in self.starts)

    @property
    def mpps(self) -> float:
        return statistics.median(start.mpps for start in self.starts)

    @property
    def spread(self) -> tuple[float, float]:
        cycles = [start.cycles for start in self.starts]
        return min(cycles), max(cycles)


class Figures:
    def __init__(self) -> None:
        self._by_name: dict[tuple[str, str], Figure] = {}

    def add(self, work: str, program: str, outcome: Outcome) -> None:
        self._by_name.setdefault((work, program), Figure(work, program)).starts.append(outcome)

    def all(self) -> list[Figure]:
        return list(self._by_name.values())

    def find(self, work: str, program: str) -> Figure | None:
        return self._by_name.get((work, program))

    def added(self, figure: Figure) -> float | None:
        """Cycles over what the same ports cost testpmd, which does nothing with packets."""
        pcap = w.VIA_PCAP if figure.program.endswith(w.VIA_PCAP) else ""
        harness = self.find(figure.work, w.IO + pcap)
        return figure.cycles - harness.cycles if harness else None


# Cycles a packet of the best of these peers, times this: at most.
_RATIOS = (
    ("W1", (w.LPM,), 1.05),
    ("W2", (w.LPM, w.FIB, w.FIB_512), 0.75),
    ("W3", (w.LPM, w.FIB, w.FIB_512), 0.6),
)
# Cycles a packet over another program of the same work: at most.
_DIFFERENCES = (
    ("W4", w.TO_FABRIC, w.LOCAL, 8),
    ("W4", w.HALF, w.LOCAL, 8),
    ("W5", w.OURS, w.IO, 12),
    ("W6", w.OURS, w.IO, 14),
)

# Of a mesh of 4 whose traffic is the worst for it, which is when half of the packets take a relay:
# what a node alone needs for a packet, of what the cluster's nodes need together. At least.
_RELAYED, _EFFICIENCY = 0.5, 0.52

# Share of the rate at rest that is kept: at least.
_KEPT, _KEPT_BOUND = (w.LOADING, w.UPDATES), 0.9


def comparisons(figures: Figures) -> list[dict]:
    """Rows of the format of all benches; ratios against peers are of cycles: less is better."""
    rows = []
    for work, peers, bound in _RATIOS:
        ours = figures.find(work, w.OURS)
        there = [f for f in (figures.find(work, name) for name in peers) if f]
        if ours and there:
            best = min(there, key=lambda figure: figure.cycles)
            ratio = ours.cycles / best.cycles
            rows.append(_row(f"{work} {w.OURS}", ours.cycles, best.program, ratio, f"<= {bound}",
                             ratio <= bound))
    for work, name, base, bound in _DIFFERENCES:
        ours, peer = figures.find(work, name), figures.find(work, base)
        if ours and peer:
            over = ours.cycles - peer.cycles
            rows.append(_row(f"{work} {name}, added", over, peer.program, None,
                             f"<= {bound} cycles", over <= bound))
    rows += _efficiency(figures)
    rest = figures.find("W8", w.AT_REST)
    for name in (*_KEPT, w.NEIGHBOR) if rest else ():
        kept = figures.find("W8", name).mpps / rest.mpps
        target = f">= {_KEPT_BOUND}" if name in _KEPT else None
        rows.append({"name": f"W8 {name}", "value": figures.find("W8", name).mpps, "unit": "Mpps",
                     "peer": rest.program, "ratio": kept, "target": target,
                     "met": kept >= _KEPT_BOUND if target else None})
    return rows


def _efficiency(figures: Figures) -> list[dict]:
    alone, ingress = (figures.find("W4", name) for name in (w.LOCAL, w.TO_FABRIC))
    relay, egress = (figures.find(work, w.OURS) for work in ("W5", "W6"))
    if not (alone and ingress and relay and egress):
        return []
    whole = ingress.cycles + _RELAYED * relay.cycles + egress.cycles
    share = alone.cycles / whole
    return [_row("W4 + W5 / 2 + W6, a mesh of 4", whole, alone.program, share,
                 f">= {_EFFICIENCY}", share >= _EFFICIENCY)]


def _row(name, value, peer, ratio, target, met) -> dict:
    return {"name": name, "value": value, "unit": "cycles", "peer": peer, "ratio": ratio,
            "target": target, "met": met}
