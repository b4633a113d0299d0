# SPDX-License-Identifier: Apache-2.0
"""`rackway plan --transitions`: how many servers so many external ports need."""

from __future__ import annotations

from lab.experiment.documents import Document


class PlanBackend:
    parameters = ("ports", "server", "port_rate", "cables")
    metrics = ("servers",)
    programs = ("rackway",)
    alone = False

    @staticmethod
    def fault(run: dict) -> str | None:
        return None

    @staticmethod
    def command(run: dict) -> tuple[list[str], Document | None]:
        wish = ["--ports", f"{run['ports']}", "--rate", run["port_rate"], "--server", run["server"]]
        cables = ["--cables", f"{run['cables']}"]
        return ["rackway", "plan", "--transitions", *wish, *cables, "--json"], None

    @staticmethod
    def found(report: dict, run: dict) -> dict[str, float]:
        """No figure where no cluster of such servers has so many ports."""
        point = report["transitions"][0]["points"][0]
        return {} if point["servers"] is None else {"servers": point["servers"]}
