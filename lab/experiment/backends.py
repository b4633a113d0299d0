# SPDX-License-Identifier: Apache-2.0
"""How a run is done: the command for it, and what its output says.

A backend's command prints JSON and is a function of the run alone, so that the same run of the same
programs need not be done twice.
"""

from __future__ import annotations

from typing import Protocol

from lab.experiment import cluster_backend, fluid_backend, lab_backend, plan_backend, sim_backend
from lab.experiment.documents import Document


class Backend(Protocol):
    parameters: tuple[str, ...]
    metrics: tuple[str, ...]
    programs: tuple[str, ...]  # of the build, that the outcome depends on
    alone: bool  # nothing else may run beside

    def fault(self, run: dict) -> str | None:
        """What does not go together in RUN."""

    def command(self, run: dict) -> tuple[list[str], Document | None]:
        """Its first word is one of `programs` or python3; the document is under documents/."""

    def found(self, report: dict, run: dict) -> dict[str, float]:
        """Some or all of `metrics`, of what the command printed."""


BACKENDS: dict[str, Backend] = {
    "sim": sim_backend.SimBackend(),
    "fluid": fluid_backend.FluidBackend(),
    "cluster": cluster_backend.ClusterBackend(),
    "lab": lab_backend.LabBackend(),
    "plan": plan_backend.PlanBackend(),
}
