# SPDX-License-Identifier: Apache-2.0
"""The operator's command: tables, JSON, and errors that name what is wrong."""

from __future__ import annotations

import json

from lab import rackway
from lab.errors import CheckFailed
from lab.topology import STATIC_IPV4, STATIC_IPV4_HOST, Topology

TABLES = ("cluster", "nodes", "ports", "fabric", "routes", "adjacencies", "drops", "events")


def every_table(topology: Topology) -> str:
    for table in TABLES:
        _check_text(table)
        _check_json(table)
    if topology.has_static_routes:
        for name in (STATIC_IPV4, STATIC_IPV4_HOST):
            shown = rackway.show("routes", name)
            if [row["prefix"] for row in shown] != [STATIC_IPV4]:
                raise CheckFailed(f"rackway show routes {name}: {shown}")
    return " ".join(TABLES)


def _check_text(table: str) -> None:
    done = rackway.command("show", table)
    if done.returncode != 0 or done.stderr:
        raise CheckFailed(f"rackway show {table}: exit {done.returncode}, {done.stderr.strip()}")
    if not done.stdout.strip():
        raise CheckFailed(f"rackway show {table} prints nothing")


def _check_json(table: str) -> None:
    done = rackway.command("show", table, "--json")
    if done.returncode != 0 or done.stderr:
        raise CheckFailed(
            f"rackway show {table} --json: exit {done.returncode}, {done.stderr.strip()}"
        )
    shape = dict if table == "cluster" else list
    if not isinstance(json.loads(done.stdout), shape):
        raise CheckFailed(f"rackway show {table} --json is not a {shape.__name__}")


def unknown_objects_are_named(_: Topology) -> str:
    unknown = {
        "nodes": "n99",
        "ports": "n99-p7",
        "fabric": "n99",
        "adjacencies": "n99",
        "drops": "n99",
        "events": "n99",
        "routes": "233.252.0.0/24",
    }
    for table, name in unknown.items():
        done = rackway.command("show", table, name)
        if done.returncode != 1 or name not in done.stderr or done.stdout:
            raise CheckFailed(
                f"rackway show {table} {name}: exit {done.returncode}, "
                f"stdout {done.stdout!r}, stderr {done.stderr!r}"
            )
    return f"{len(unknown)} tables"


def absent_controller_is_named() -> None:
    """Only while the controller is away."""
    done = rackway.command("show", "cluster")
    if done.returncode != 1 or "controller" not in done.stderr or done.stdout:
        raise CheckFailed(
            f"rackway show without a controller: exit {done.returncode}, stderr {done.stderr!r}"
        )
