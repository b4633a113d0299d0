# SPDX-License-Identifier: Apache-2.0
"""One running lab for all end-to-end tests.

It replaces a lab that is up, and goes when the tests have ended. With RACKWAY_KEEP_LAB=1 a lab that
is up is used as it is and stays, which is quicker while writing a check.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab import lifecycle  # noqa: E402
from lab.topology import Topology  # noqa: E402


@pytest.fixture(scope="session")
def topology() -> Iterator[Topology]:
    """The plan of a lab that is up and has converged."""
    keep = os.environ.get("RACKWAY_KEEP_LAB") == "1"
    kept = lifecycle.running() if keep else None
    plan = kept or Topology()
    if kept is None:
        with lifecycle.locked():
            lifecycle.up(plan, say=lambda _: None)
    yield plan
    if not keep:
        with lifecycle.locked():
            lifecycle.down()


_LAST = (
    "test_cores.py",
    "test_drills.py",
    "test_experiment.py",
    "test_fabric_cuts.py",
    "test_fabric_graphs.py",
    "test_fpm.py",
    "test_jumbo_and_urpf.py",
    "test_lifecycle.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes the shared lab down comes last."""
    items.sort(key=lambda item: item.path.name in _LAST)
