# SPDX-License-Identifier: Apache-2.0
"""How fast routes get from the controller's sources onto all nodes of a lab."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from lab import bench, lifecycle
from lab.control_bench import flood, imports, replay
from lab.control_bench.cluster import HOSTS, Cluster
from lab.errors import LabError
from lab.topology import Topology

_PARTS: dict[str, Callable[[Cluster, Path], list[dict]]] = {
    "import": imports.full_table,
    "change": lambda cluster, _: imports.one_route(cluster),
    "next-hop": imports.next_hop,
    "replay": lambda cluster, _: replay.updates(cluster),
    "netlink": lambda cluster, _: flood.kernel_table(cluster),
}


def _measure(parts: list[str], folder: Path) -> list[dict]:
    cluster = Cluster()
    rows = [row for part in parts for row in _PARTS[part](cluster, folder)]
    cluster.close()
    return rows


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev bench control", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(_PARTS)}; all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--preflight", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    unknown = [part for part in arguments.parts if part not in _PARTS]
    if unknown:
        parser.error(f"no part '{unknown[0]}'; there are {', '.join(_PARTS)}")
    try:
        lifecycle.check_machine()
        if arguments.preflight:
            return 0
        with lifecycle.locked(), TemporaryDirectory() as folder:
            lifecycle.up(Topology(len(HOSTS)), say=lambda _: None)
            try:
                found = _measure(arguments.parts or list(_PARTS), Path(folder))
            finally:
                lifecycle.down()
    except LabError as error:
        print(f"bench control: {error}", file=sys.stderr)
        return 1
    print(bench.text(found))
    if arguments.json:
        bench.write_json(found, arguments.json, "control")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
