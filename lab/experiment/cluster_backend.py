# SPDX-License-Identifier: Apache-2.0
"""`bench_cluster run`: the product's journeys, FIB and frames over modelled cables, in virtual time."""

from __future__ import annotations

from lab.experiment import sim_backend
from lab.experiment.documents import Document

_NODES = range(2, 32)
_LARGEST_FRAME = 1518


class ClusterBackend:
    parameters = sim_backend.COURSE
    metrics = (*sim_backend.FOUND, "bystanders_lost_percent")
    programs = ("bench_cluster",)
    alone = False

    @staticmethod
    def fault(run: dict) -> str | None:
        if run["shape"] != "mesh" or run["nodes"] not in _NODES:
            return f"a cluster in one process is a mesh of {_NODES[0]} to {_NODES[-1]} nodes"
        if run["size"] != "imix" and run["size"] > _LARGEST_FRAME:
            return f"a cluster in one process has frames of at most {_LARGEST_FRAME} octets"
        return sim_backend.fault(run)

    @staticmethod
    def command(run: dict) -> tuple[list[str], Document | None]:
        options, document = sim_backend.words(run)
        return ["bench_cluster", "run", *options], document

    @staticmethod
    def found(report: dict, run: dict) -> dict[str, float]:
        sent, arrived = (report["bystanders"][which]["packets"] for which in ("sent", "arrived"))
        lost = {"bystanders_lost_percent": 100 * (1 - arrived / sent)} if sent else {}
        return {**sim_backend.figures(report, run), **lost}
