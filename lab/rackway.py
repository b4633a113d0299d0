# SPDX-License-Identifier: Apache-2.0
"""The product's own processes in the lab, and what its operator's command says about them."""

from __future__ import annotations

import json
import subprocess

from lab import keys, processes
from lab.commands import program, run
from lab.errors import LabError
from lab.topology import (
    CLUSTER_FILE,
    CONTROLLER_STATE,
    CONTROL_ENDPOINT,
    MANAGEMENT_NAMESPACE,
    MEMIF_DIRECTORY,
    Node,
    Topology,
    cluster_json,
)
from lab.waiting import wait_until

CONTROLLER = "controller"
_NODE_MEGABYTES = 64
_SHOW_SECONDS = 15.0


def start(topology: Topology) -> None:
    MEMIF_DIRECTORY.mkdir(parents=True, exist_ok=True)
    CLUSTER_FILE.write_text(cluster_json(topology))
    keys.make(topology)
    start_controller()
    for node in topology.nodes:
        start_node(node, topology.cores_of(node))


def start_controller() -> None:
    command = [
        str(program("rackway-controller")),
        *("--config", str(CLUSTER_FILE)),
        *("--state", str(CONTROLLER_STATE)),
        *keys.controller_options(),
    ]
    processes.start(CONTROLLER, MANAGEMENT_NAMESPACE, command)


def start_node(node: Node, cores: int = 1) -> None:
    command = [
        str(program("rackway-node")),
        *("--name", node.name),
        *("--controller", CONTROL_ENDPOINT),
        *("--state", str(node.state)),
        *keys.node_options(node),
        *("--memory", str(_NODE_MEGABYTES)),
        *("--cores", str(cores)),
    ]
    processes.start(node.name, node.namespace, command)


def process_names(topology: Topology) -> list[str]:
    return [CONTROLLER, *(node.name for node in topology.nodes)]


def bad_ends(topology: Topology) -> list[str]:
    """Which of the processes that have ended did not end as they should, by exit code 0."""
    ends = {name: processes.exit_code(name) for name in process_names(topology)}
    return [f"{name} ended with {code}" for name, code in ends.items() if code not in (None, 0)]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `rackway ARGUMENTS` as an operator would."""
    return run([str(program("rackway")), *arguments], timeout=_SHOW_SECONDS)


def order(*arguments: str) -> None:
    """Gives an order, such as `rackway vlb mode direct`."""
    done = command(*arguments)
    if done.returncode != 0:
        raise LabError(f"rackway {' '.join(arguments)}: {done.stderr.strip() or 'no message'}")


def show(table: str, name: str | None = None):
    """`rackway show TABLE [NAME] --json`: a list of rows, or one object for `cluster`."""
    done = command("show", table, *([name] if name else []), "--json")
    if done.returncode != 0:
        raise LabError(f"rackway show {table}: {done.stderr.strip() or 'no message'}")
    return json.loads(done.stdout)


def show_cluster() -> dict:
    """`rackway show cluster --json`, which is one object."""
    shown = show("cluster")
    return shown[0] if isinstance(shown, list) else shown


def why_not_in_sync(topology: Topology) -> str | None:
    """What keeps the nodes from all being at the cluster's epoch and digest; none when they are."""
    try:
        cluster, nodes = show_cluster(), show("nodes")
    except LabError as error:
        return str(error)
    if len(nodes) != len(topology.nodes):
        return f"{len(nodes)} of {len(topology.nodes)} nodes are known"
    for node in nodes:
        seen = (node["state"], node["in_sync"], node["epoch"], node["digest"])
        if seen != ("up", True, cluster["epoch"], cluster["digest"]):
            return f"node {node['name']} is {node['state']} at epoch {node['epoch']}"
    return None


def state_of(node: Node) -> str:
    """What the controller takes NODE to be: up, syncing or down."""
    return show("nodes", node.name)[0]["state"]


def await_state(node: Node, state: str, seconds: float = 10.0) -> float:
    def obstacle() -> str | None:
        seen = state_of(node)
        return None if seen == state else f"it is {seen}"

    return wait_until(f"{node.name} is known to be {state}", obstacle, seconds, interval=0.1)


def bgp_route_count(rows: list[dict]) -> int:
    return sum(row["protocol"] == "bgp" for row in rows)


def unresolved_bgp_route_count(rows: list[dict]) -> int:
    return sum(row["protocol"] == "bgp" and row["kind"] == "glean" for row in rows)
