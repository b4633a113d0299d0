# SPDX-License-Identifier: Apache-2.0
"""One measurement in a lab of its own: brings it up, measures, takes it down, prints JSON.

From the checkout: `python3 -m lab.experiment.lab_measure --nodes 4 --mode direct`. Root. Exit codes as
`./dev lab`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time

from lab import lifecycle, processes, rackway
from lab.errors import LabError
from lab.experiment.parameters import MODES
from lab.iperf import gigabits
from lab.numbered import Flow, Traffic
from lab.program import exit_code
from lab.topology import Host, Node, Topology

_FLOWS = 4
_SETTLE_SECONDS = 1.0


def _parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lab_measure", description=__doc__)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--mode", choices=MODES, default="adaptive")
    parser.add_argument("--traffic", choices=("tcp", "datagrams"), default="tcp")
    parser.add_argument("--seconds", type=int, default=3, help="for each pair with tcp, else in all")
    parser.add_argument("--datagrams", type=float, default=50, help="a second of each flow")
    parser.add_argument("--dies", choices=("nothing", "node"), default="nothing", help="half-way")
    return parser.parse_args(words)


def _tcp(topology: Topology, seconds: int) -> dict[str, float]:
    pairs = itertools.combinations(topology.hosts, 2)
    rates = [gigabits(client, server, seconds) for client, server in pairs]
    return {"tcp_gbps": statistics.mean(rates), "tcp_gbps_least": min(rates)}


def _percent(flows: list[Flow], count: str) -> float:
    return 100 * sum(getattr(flow, count) for flow in flows) / sum(flow.sent for flow in flows)


def _datagrams(topology: Topology, arguments: argparse.Namespace) -> dict[str, float]:
    victim: Node | None = topology.nodes[-1] if arguments.dies == "node" else None
    with Traffic(topology.hosts, _FLOWS, arguments.datagrams) as traffic:
        time.sleep(arguments.seconds / 2)
        if victim:
            processes.kill(victim.name)
        time.sleep(arguments.seconds / 2)
    others = [flow for flow in traffic.flows if not victim or not _ends_at(flow, victim)]
    return {
        "lost_percent": _percent(traffic.flows, "lost"),
        "reordered_percent": _percent(traffic.flows, "reordered"),
        "silence_ms": 1000 * max(flow.longest_silence for flow in others),
        "bystanders_lost_percent": _percent(others, "lost"),
    }


def _ends_at(flow: Flow, node: Node) -> bool:
    return Host(node.number).number in (flow.source, flow.destination)


def _measure(arguments: argparse.Namespace) -> dict[str, float]:
    topology = Topology(arguments.nodes)
    with lifecycle.locked():
        lifecycle.require_root()
        if lifecycle.exists():
            raise LabError("there is a lab already, which would go: ./dev lab down")
        lifecycle.up(topology, say=lambda _: None)
        try:
            rackway.order("vlb", "mode", arguments.mode)
            time.sleep(_SETTLE_SECONDS)
            if arguments.traffic == "tcp":
                return _tcp(topology, arguments.seconds)
            return _datagrams(topology, arguments)
        finally:
            lifecycle.down()


def main(words: list[str]) -> int:
    arguments = _parse(words)

    def work() -> int:
        print(json.dumps(_measure(arguments)))
        return 0

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
