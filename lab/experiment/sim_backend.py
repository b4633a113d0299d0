# SPDX-License-Identifier: Apache-2.0
"""`rackway sim`: models of nodes around the real steering, in virtual time."""

from __future__ import annotations

from lab.experiment import documents
from lab.experiment.values import Fault

FOLDER = "documents"
_PREAMBLE_AND_GAP = 20  # octets of a cable's time, each frame

COURSE = (
    "nodes", "shape", "port_rate", "link_rate", "matrix", "load", "size", "flows", "flows_per_pair",
    "mode", "flowlets", "hello_ms", "failure", "warm_up_ms", "time_ms", "seed",
)  # fmt: skip
_COSTS = ("ingress_ns", "relay_ns", "egress_ns")

FOUND = (
    "cable_gbps", "gbps", "gbps_per_node", "mpps", "goodput_percent", "lost_percent", "outage_ms",
    "straight_percent", "reordered_percent", "reordering_extent_999", "latency_50_us",
    "latency_99_us", "latency_999_us", "link_mean_percent", "link_fullest_percent",
    "queue_largest_kib", "packets", "dropped_node_busy", "dropped_no_path", "dropped_link_down",
    "dropped_link_full", "dropped_port_full", "dropped_hops_spent",
)  # fmt: skip

_OPTIONS = {
    "matrix": "--matrix",
    "load": "--load",
    "size": "--sizes",
    "flows": "--flows",
    "flows_per_pair": "--flows-per-pair",
    "mode": "--mode",
    "hello_ms": "--hello",
    "warm_up_ms": "--warm-up",
    "time_ms": "--time",
    "seed": "--seed",
    "ingress_ns": "--ingress-ns",
    "relay_ns": "--relay-ns",
    "egress_ns": "--egress-ns",
}


def fault(run: dict) -> str | None:
    """What does not go together; also for the cluster in one process."""
    flowlets = run.get("flowlets", "on")
    found = documents.fault(run["shape"], run["nodes"], run["link_rate"], flowlets)
    if found or run["failure"] == "none":
        return found
    butterfly = documents.butterfly_of(run["shape"])
    nodes = run["nodes"] + (butterfly.relays if butterfly else 0)
    names = {f"n{number + 1}" for number in range(nodes)}
    for words in [*run["failure"]["fail"], *run["failure"].get("repair", [])]:
        for name in Fault.read(words).ends:
            if name not in names:
                return f"{words} names {name}, and there are {nodes} nodes, n1 to n{nodes}"
    return None


def _cluster(run: dict) -> tuple[list[str], documents.Document | None]:
    flowlets = run.get("flowlets", "on")
    fabric = (run["shape"], run["nodes"], run["port_rate"], run["link_rate"])
    if documents.is_needed(run["nodes"], flowlets):
        document = documents.document(*fabric, flowlets)
        return [f"{FOLDER}/{document.name}"], document
    shape = f"mesh:{run['nodes']}" if run["shape"] == "mesh" else run["shape"].replace("-", ":")
    rates = ["--port-rate", run["port_rate"], "--link-rate", documents.rate_of_links(*fabric[1:])]
    return ["--shape", shape, *rates], None


def words(run: dict) -> tuple[list[str], documents.Document | None]:
    """What and how, as `rackway sim` and the cluster in one process take it."""
    found, document = _cluster(run)
    for name, option in _OPTIONS.items():
        if name in run:
            found += [option, f"{run[name]}"]
    if run["failure"] != "none":
        for option in ("fail", "repair"):
            for what in run["failure"].get(option, []):
                found += [f"--{option}", what]
    return [*found, "--json"], document


def figures(report: dict, run: dict) -> dict[str, float]:
    """FOUND, of the report of either program."""
    arrived = report["arrived"]
    seconds = run["time_ms"] / 1000
    gbps = arrived["octets"] * 8 / seconds / 1e9
    lost = 1 - report["goodput"]
    links = [link["load"] for link in report["links"]]
    queues = [link["largest_queue_octets"] for link in report["links"]]
    on_cable = arrived["octets"] + _PREAMBLE_AND_GAP * arrived["packets"]
    return {
        "cable_gbps": on_cable * 8 / seconds / 1e9,
        "gbps": gbps,
        "gbps_per_node": gbps / run["nodes"],
        "mpps": arrived["packets"] / seconds / 1e6,
        "goodput_percent": report["goodput"] * 100,
        "lost_percent": lost * 100,
        "outage_ms": lost * run["time_ms"],
        "straight_percent": report["straight"] * 100,
        "reordered_percent": report["reordered"] * 100,
        "reordering_extent_999": report["reordering_extent"]["99.9"],
        "latency_50_us": report["latency_us"]["50"],
        "latency_99_us": report["latency_us"]["99"],
        "latency_999_us": report["latency_us"]["99.9"],
        "link_mean_percent": 100 * sum(links) / max(1, len(links)),
        "link_fullest_percent": 100 * max(links, default=0),
        "queue_largest_kib": max(queues, default=0) / 1024,
        "packets": arrived["packets"],
        **{f"dropped_{cause}": count for cause, count in report["dropped"].items()},
    }


class SimBackend:
    parameters = COURSE + _COSTS
    metrics = (*FOUND, "core_use_percent", "events")
    programs = ("rackway",)
    alone = False

    fault = staticmethod(fault)

    @staticmethod
    def command(run: dict) -> tuple[list[str], documents.Document | None]:
        options, document = words(run)
        return ["rackway", "sim", *options], document

    @staticmethod
    def found(report: dict, run: dict) -> dict[str, float]:
        return {
            **figures(report, run),
            "core_use_percent": 100 * max(report["core_use"]),
            "events": report["events"],
        }
