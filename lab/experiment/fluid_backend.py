# SPDX-License-Identifier: Apache-2.0
"""`rackway sim --fluid`: rates in the place of packets, in equilibrium; for the largest clusters."""

from __future__ import annotations

from lab.experiment import sim_backend
from lab.experiment.documents import Document


class FluidBackend:
    parameters = (
        "nodes", "shape", "port_rate", "link_rate", "matrix", "load", "size", "mode", "failure", "seed",
    )  # fmt: skip
    metrics = (
        "cable_gbps", "goodput_percent", "lost_percent", "straight_percent", "link_mean_percent",
        "link_fullest_percent", "settled",
    )  # fmt: skip
    programs = ("rackway",)
    alone = False

    fault = staticmethod(sim_backend.fault)

    @staticmethod
    def command(run: dict) -> tuple[list[str], Document | None]:
        options, document = sim_backend.words(run)
        return ["rackway", "sim", *options, "--fluid"], document

    @staticmethod
    def found(report: dict, run: dict) -> dict[str, float]:
        links = [link["load"] for link in report["links"]]
        return {
            "cable_gbps": report["arrived"] / 1e9,
            "goodput_percent": report["goodput"] * 100,
            "lost_percent": (1 - report["goodput"]) * 100,
            "straight_percent": report["straight"] * 100,
            "link_mean_percent": 100 * sum(links) / max(1, len(links)),
            "link_fullest_percent": 100 * max(links, default=0),
            "settled": int(report["settled"]),
        }
