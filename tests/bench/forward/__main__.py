# SPDX-License-Identifier: Apache-2.0
"""`./dev bench forward`: what a packet costs one core of this router, beside DPDK's own programs.

Every program is started several times, in turn with the others; each start is measured in windows
after a warm-up. Exit codes: 0 measured, 1 not, 2 bad arguments, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.forward import huge_pages, report
from tests.bench.forward.faults import BenchFault
from tests.bench.forward.figures import Figures
from tests.bench.forward.peers import build_l3fwd
from tests.bench.forward.start import Place, measure
from tests.bench.forward.works import WORK_KEYS, WORKS, Program, Work

_PAGES = 1100  # for l3fwd with room for full tables of both families
_WINDOW, _WARM_UP = 0.05, 0.3
_STARTS, _SECONDS = 5, 1.0
_QUICK_STARTS, _QUICK_SECONDS = 2, 0.5


class _OneLineParser(argparse.ArgumentParser):
    def error(self, message: str):
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _works(text: str) -> list[Work]:
    keys = text.upper().split(",")
    for key in keys:
        if key not in WORK_KEYS:
            raise argparse.ArgumentTypeError(f"there is no {key}; there are {', '.join(WORK_KEYS)}")
    return [work for work in WORKS if work.key in keys]


def _number(least: float, most: float, of=int):
    def parse(text: str):
        try:
            number = of(text)
        except ValueError:
            number = None
        if number is None or not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text} is not a number from {least} to {most}")
        return number
    return parse


def _core(text: str) -> int:
    usable = os.sched_getaffinity(0)
    if not text.isdigit() or int(text) not in usable:
        raise argparse.ArgumentTypeError(f"there is no core {text} that this process may use")
    return int(text)


def _parse(words: list[str]) -> argparse.Namespace:
    parser = _OneLineParser(
        prog="./dev bench forward",
        description="What a packet costs one core of this router, beside l3fwd and testpmd of DPDK "
        "on the same ports in memory. Needs root, two cores, and once the network, to fetch DPDK's "
        "example source.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="works:\n" + "\n".join(f"  {work.key}  {work.text}" for work in WORKS),
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--work", type=_works, default=list(WORKS), metavar="W1,W2",
                        help="only these")
    parser.add_argument("--starts", type=_number(1, 100), metavar="N",
                        help=f"of every program; else {_STARTS}")
    parser.add_argument("--seconds", type=_number(0.1, 600, float), metavar="S",
                        help=f"to measure of each start; else {_SECONDS:g}")
    parser.add_argument("--core", type=_core, default=max(os.sched_getaffinity(0)), metavar="N",
                        help="to measure on; else the last")
    parser.add_argument("--table", choices=("real", "generated"),
                        default="real" if os.environ.get("RACKWAY_DATA") else "generated",
                        help="full tables of RACKWAY_DATA, or made up; else real where they are")
    parser.add_argument("--quick", action="store_true",
                        help=f"{_QUICK_STARTS} starts of {_QUICK_SECONDS:g} s, and without what loads "
                        "for minutes")
    # Only looks at the arguments; ./dev asks before it builds.
    parser.add_argument("--preflight", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    arguments.starts = arguments.starts or (_QUICK_STARTS if arguments.quick else _STARTS)
    arguments.seconds = arguments.seconds or (_QUICK_SECONDS if arguments.quick else _SECONDS)
    if arguments.table == "real" and not os.environ.get("RACKWAY_DATA"):
        parser.error("--table real needs RACKWAY_DATA, a folder with tables/ in it")
    return arguments


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _write_inputs(bin_folder: Path, folder: Path, arguments: argparse.Namespace) -> None:
    names = sorted({name for work in arguments.work for name in work.inputs})
    done = subprocess.run([str(bin_folder / "forward_tables"), str(folder), arguments.table, *names],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise BenchFault(done.stderr.strip())


def _is_due(program: Program, start: int, quick: bool) -> bool:
    return not program.loads_for_minutes or (start == 0 and not quick)


def _measure_all(arguments: argparse.Namespace, place: Place) -> tuple[Figures, list[str]]:
    figures, notes = Figures(), []
    for work in arguments.work:
        for start in range(arguments.starts):
            _say(f"{work.key}: start {start + 1} of {arguments.starts}")
            for program in work.programs:
                if _is_due(program, start, arguments.quick):
                    figures.add(work.key, program.name, measure(program, place))
        for program in work.programs:
            if program.loads_for_minutes:
                notes.append(f"{work.key} {program.name} loads for minutes: "
                             + ("left out" if arguments.quick else "one start"))
    disturbed = sum(start.disturbed for figure in figures.all() for start in figure.starts)
    windows = sum(len(figure.starts) for figure in figures.all()) * place.windows
    notes.append(f"{disturbed} of {windows} windows left out, in which another thread had the core")
    return figures, notes


def _run(arguments: argparse.Namespace) -> None:
    cores = os.sched_getaffinity(0)
    if os.geteuid() != 0:
        raise BenchFault("not root: it reserves hugepages and starts a node")
    if len(cores) < 2:
        raise BenchFault("needs a second core, for everything that is not measured")
    build = Path(os.environ["RACKWAY_BUILD_DIR"])
    l3fwd = build_l3fwd(build / "dpdk-examples", _say)
    os.sched_setaffinity(0, cores - {arguments.core})
    with tempfile.TemporaryDirectory(prefix="rackway-bench-") as name, \
            huge_pages.reserved(_PAGES):
        _write_inputs(build / "bin", Path(name), arguments)
        place = Place(build / "bin", l3fwd, Path(name), arguments.core,
                      frozenset(cores - {arguments.core}), _WINDOW,
                      max(1, round(arguments.seconds / _WINDOW)), _WARM_UP)
        figures, notes = _measure_all(arguments, place)
    notes.insert(0, f"full tables: {arguments.table}; core {arguments.core}; medians of "
                 f"{arguments.starts} starts of {arguments.seconds:g} s")
    print(report.text(figures, notes))
    if arguments.json:
        setup = {"table": arguments.table, "core": arguments.core, "starts": arguments.starts,
                 "seconds": arguments.seconds}
        report.write_json(figures, notes, setup, arguments.json)


def _stop(*_) -> None:
    raise KeyboardInterrupt


def main() -> int:
    arguments = _parse(sys.argv[1:])
    if arguments.preflight:
        return 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        _run(arguments)
    except BenchFault as fault:
        _say(f"bench forward: {fault}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
