# SPDX-License-Identifier: Apache-2.0
"""The lab's checks, each as a test: the same as `./dev lab --check` runs."""

from __future__ import annotations

import pytest

from lab.checks.catalogue import CATALOGUE, Check
from lab.errors import CheckFailed, LabError
from lab.topology import Topology


def _name(check: Check) -> str:
    return check.title.replace(" ", "_")


@pytest.mark.parametrize("check", CATALOGUE, ids=_name)
def test_lab(check: Check, topology: Topology) -> None:
    try:
        print(check.function(topology))
    except (CheckFailed, LabError) as error:
        pytest.fail(f"{check}: {error}", pytrace=False)
