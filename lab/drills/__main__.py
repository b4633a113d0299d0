# SPDX-License-Identifier: Apache-2.0
"""`rackway lab drill`, `./dev lab drill`: arguments in, exit code out.

Exit codes: 0 all as expected, 1 something was not, 2 bad arguments, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from lab import lifecycle
from lab.drills import runner
from lab.drills.catalogue import CATALOGUE, Drill, named
from lab.program import OneLineParser, exit_code
from lab.table import render

_ABOUT = """\
Plays drills: something fails in a lab under numbered traffic, and a table tells how many packets
were lost, how long it took until all was well, and whether that is as expected. It replaces a lab
that is up. The short form of all takes about three minutes, the long one about twenty.
"""


def _parse(words: list[str]) -> argparse.Namespace:
    parser = OneLineParser(
        prog="rackway lab drill",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a drill, or how the names of some begin"
    )
    parser.add_argument("--list", action="store_true", help="say which there are, play none")
    parser.add_argument(
        "--long",
        action="store_true",
        default=os.environ.get("RACKWAY_LONG_DRILLS") == "1",
        help="longer, with more updates and rounds (also by RACKWAY_LONG_DRILLS=1)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there as well")
    # Only looks whether it would be refused; ./dev asks before it builds.
    parser.add_argument("--preflight", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    for name in arguments.names:
        if not named([name]):
            parser.error(f"no drill begins with {name}; see --list")
    return arguments


def _list() -> int:
    rows = [(drill.name, drill.what, str(drill.limits)) for drill in CATALOGUE]
    print(render(("drill", "what fails", "expected"), rows))
    return 0


def play(drills: list[Drill], long: bool, json_file: Path | None, **labs) -> int:
    """LABS: how they come up and go down, if not as usual."""
    rows = list(runner.play_all(drills, long, lambda text: print(text, flush=True), **labs))
    print(runner.table(rows))
    if json_file:
        runner.write_json(rows, json_file)
    return 0 if all(row.as_expected for row in rows) else 1


def main(words: list[str]) -> int:
    arguments = _parse(words)
    if arguments.list and not arguments.preflight:
        return _list()

    def work() -> int:
        with lifecycle.locked():
            lifecycle.check_machine()
            if arguments.preflight:
                return 0
            return play(named(arguments.names), arguments.long, arguments.json)

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
