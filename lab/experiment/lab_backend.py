# SPDX-License-Identifier: Apache-2.0
"""A lab of its own for each run (lab_measure.py): real processes, real time, one at a time, as root."""

from __future__ import annotations

from lab.experiment.documents import Document
from lab.topology import MAX_NODES, MIN_NODES

_OPTIONS = {
    "nodes": "--nodes",
    "mode": "--mode",
    "traffic": "--traffic",
    "seconds": "--seconds",
    "datagrams": "--datagrams",
    "dies": "--dies",
}


class LabBackend:
    # Here the seed is only the number of the repetition.
    parameters = (*_OPTIONS, "seed")
    metrics = (
        "tcp_gbps", "tcp_gbps_least", "lost_percent", "reordered_percent", "silence_ms",
        "bystanders_lost_percent",
    )  # fmt: skip
    programs = ("rackway", "rackway-controller", "rackway-node")
    alone = True

    @staticmethod
    def fault(run: dict) -> str | None:
        if not MIN_NODES <= run["nodes"] <= MAX_NODES:
            return f"a lab has {MIN_NODES} to {MAX_NODES} nodes"
        if run["dies"] == "node" and run["traffic"] != "datagrams":
            return "what is lost when a node dies is measured with datagrams"
        if run["dies"] == "node" and run["nodes"] < 3:
            return "when a node dies two others have to be left"
        return None

    @staticmethod
    def command(run: dict) -> tuple[list[str], Document | None]:
        options = [word for name in _OPTIONS for word in (_OPTIONS[name], f"{run[name]}")]
        return ["python3", "-m", "lab.experiment.lab_measure", *options], None

    @staticmethod
    def found(report: dict, run: dict) -> dict[str, float]:
        return report
