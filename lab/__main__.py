# SPDX-License-Identifier: Apache-2.0
"""`python3 -m lab`, usually as `./dev lab`: arguments in, exit code out.

Exit codes: 0 all is well, 1 something does not work, 2 bad arguments, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lab import bench, lifecycle, rackway, report
from lab.checks.catalogue import run_all
from lab.drills import __main__ as drills
from lab.errors import LabError
from lab.measure import measure
from lab.program import OneLineParser, exit_code
from lab.topology import (
    DEFAULT_MTU,
    DEFAULT_NODES,
    MAX_MTU,
    MAX_NODES,
    MIN_MTU,
    MIN_NODES,
    Butterfly,
    Topology,
    butterfly_named,
)

_EXAMPLES = """\
commands:
  up       bring the lab up and show that it works (the default)
  down     remove every trace of it
  status   show the lab that is up
  bench    measure in a lab of its own, against the targets
  drill    make things fail under traffic and tell what it cost (drill --help)

examples:
  ./dev lab                 bring up four nodes, show them at work, leave them running
  ./dev lab --check         bring up, run every check, take down, exit 0 or 1
  ./dev lab --nodes 3
  ./dev lab --mtu 9000      jumbo frames, at every port and over the fabric
  ./dev lab --topology butterfly-2x2
                            four nodes with hosts, and four that only relay
  ./dev lab --fabric switch every fabric link through a switch
  ./dev lab --routes fpm    FRR's routes from zebra itself, not from the kernel
  ./dev lab down
"""


def _node_count(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if not MIN_NODES <= number <= MAX_NODES:
        raise argparse.ArgumentTypeError(f"{text} is not a number from {MIN_NODES} to {MAX_NODES}")
    return number


def _mtu(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if not MIN_MTU <= number <= MAX_MTU:
        raise argparse.ArgumentTypeError(f"{text} is not a number from {MIN_MTU} to {MAX_MTU}")
    return number


def _shape(text: str) -> Butterfly | None:
    shape = butterfly_named(text)
    if shape is None and text != "mesh":
        raise argparse.ArgumentTypeError(f"{text} is neither mesh nor butterfly-2x2, -2x3, -3x2")
    return shape


def _parse(words: list[str]) -> argparse.Namespace:
    parser = OneLineParser(
        prog="./dev lab",
        description="A cluster of several nodes on this machine, with hosts and routing daemons.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_EXAMPLES,
    )
    parser.add_argument(
        "command", nargs="?", default="up", choices=("up", "down", "status", "bench", "drill")
    )
    parser.add_argument("--nodes", type=_node_count, metavar="N")
    parser.add_argument(
        "--mtu", type=_mtu, default=DEFAULT_MTU, metavar="OCTETS", help="up: of all ports"
    )
    parser.add_argument(
        "--topology", type=_shape, metavar="SHAPE", help="up: mesh, butterfly-2x2, butterfly-2x3 …"
    )
    parser.add_argument(
        "--fabric", choices=("cable", "switch"), default="cable", help="up: what links are made of"
    )
    parser.add_argument(
        "--routes",
        choices=("netlink", "fpm"),
        default="netlink",
        help="up: from where the controller has FRR's",
    )
    parser.add_argument("--check", action="store_true", help="run all checks, then take it down")
    parser.add_argument("--force", action="store_true", help="down: names of others go as well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="bench: write the figures there")
    # Only looks whether `up` would be refused; ./dev asks before it builds.
    parser.add_argument("--preflight", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    for option, command in (("check", "up"), ("force", "down"), ("json", "bench")):
        if getattr(arguments, option) and arguments.command != command:
            parser.error(f"--{option} goes with {command}, not with {arguments.command}")
    defaults = {"mtu": DEFAULT_MTU, "topology": None, "fabric": "cable", "routes": "netlink"}
    for option, default in defaults.items():
        if getattr(arguments, option) != default and arguments.command != "up":
            parser.error(f"--{option} goes with up, not with {arguments.command}")
    if arguments.topology and arguments.nodes is not None:
        parser.error(f"--nodes goes with a mesh; {arguments.topology.name} has its own number")
    return arguments


def _say(text: str) -> None:
    print(text, flush=True)


def _topology(arguments: argparse.Namespace) -> Topology:
    shape = arguments.topology
    return Topology(
        shape.edge_nodes if shape else arguments.nodes or DEFAULT_NODES,
        arguments.mtu,
        butterfly=shape,
        switched=arguments.fabric == "switch",
        fpm=arguments.routes == "fpm",
    )


def _up(arguments: argparse.Namespace) -> int:
    topology = _topology(arguments)
    lifecycle.up(topology, _say)
    if arguments.check:
        return _check(topology)
    _say("measuring\n")
    measured = measure(topology)
    _say(report.state() + "\n\n" + report.measurements(topology, measured) + "\n")
    for fault in measured.faults:
        _say(f"NOT WORKING: {fault}")
    _say(report.what_next())
    return 1 if measured.faults else 0


def _check(topology: Topology) -> int:
    failed = 0
    try:
        _say(report.state() + "\n\nChecks")
        for outcome in run_all(topology):
            _say(report.outcome(outcome))
            failed += not outcome.passed
        measured = measure(topology)
        _say("\n" + report.measurements(topology, measured) + "\n")
    finally:
        lifecycle.down()
    faults = measured.faults + rackway.bad_ends(topology)
    for fault in faults:
        _say(f"NOT WORKING: {fault}")
    failed += len(faults)
    _say("the lab works" if failed == 0 else f"{failed} things do not work")
    return 1 if failed else 0


def _down(arguments: argparse.Namespace) -> int:
    _say("the lab is gone" if lifecycle.down(arguments.force) else "there is no lab")
    return 0


def _status(_: argparse.Namespace) -> int:
    lifecycle.require_root()
    topology = lifecycle.running()
    if topology is None:
        raise LabError("there is no lab; ./dev lab brings one up")
    _say(report.processes_table(topology) + "\n")
    _say(report.state())
    return 0


def _bench(arguments: argparse.Namespace) -> int:
    topology = Topology(arguments.nodes or DEFAULT_NODES)
    lifecycle.up(topology, _say)
    try:
        measured = measure(topology, tcp_seconds=3, idle_seconds=10)
    finally:
        lifecycle.down()
    found = bench.rows(measured)
    _say(bench.text(found))
    if arguments.json:
        bench.write_json(found, arguments.json)
    return 1 if measured.faults else 0


_COMMANDS = {"up": _up, "down": _down, "status": _status, "bench": _bench}


def main(words: list[str]) -> int:
    if "drill" in words[:2]:  # ./dev puts --preflight before it
        words.remove("drill")
        return drills.main(words)
    arguments = _parse(words)

    def work() -> int:
        with lifecycle.locked():
            if arguments.preflight:
                lifecycle.check_machine()
                return 0
            return _COMMANDS[arguments.command](arguments)

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
