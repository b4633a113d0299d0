# SPDX-License-Identifier: Apache-2.0
"""`./dev bench control`: how fast routes get from the controller's sources onto all nodes of a lab."""

from __future__ import annotations

import argparse
import lzma
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from tempfile import TemporaryDirectory

from lab import bench, lifecycle, processes, rackway
from lab.api import Api
from lab.commands import in_namespace
from lab.errors import LabError
from lab.topology import ROUTER_NAMESPACE, Host, Topology

_IPV4, _IPV6, _BEHIND = 1_033_283, 220_681, 500_000
_VIA = "192.168.77.77"  # of no link: by a route of its own
_COVER = "192.168.77.0/24"
_HOSTS = [Host(number) for number in (1, 2, 3, 4)]
_CHANGES, _MOVES = 300, 21
_SECONDS = 60.0
# Of 20 prefixes in a row, by length: about as the Internet's.
_LENGTHS = (24,) * 12 + (23, 23, 22, 22, 22, 21, 20, 19)


def _made_up(family: int, count: int) -> Iterator[tuple[str, int]]:
    """Prefixes in a row, with a number for the next hop."""
    at = 0
    for number in range(count):
        length = _LENGTHS[number % len(_LENGTHS)]
        size = 1 << (32 - length)
        at = (at + size - 1) // size * size
        if family == 4:
            yield f"{IPv4Address((16 << 24) + at)}/{length}", number
        else:
            yield f"{IPv6Address((0x2A << 120) + (at << 80))}/{length + 16}", number
        at += size


def _real(path: Path) -> Iterator[tuple[str, int]]:
    with lzma.open(path, "rt") as file:
        for line in file:
            prefix, _, hop = line.rstrip().partition(" ")
            yield prefix, int(hop)


def _table(family: int, count: int) -> Iterator[tuple[str, int]]:
    data = os.environ.get("RACKWAY_DATA")
    path = Path(data or "", "tables", f"ipv{family}-{count}.txt.xz")
    return _real(path) if data and path.exists() else _made_up(family, count)


def _write_tables(folder: Path) -> tuple[tuple[Path, str], tuple[Path, str]]:
    """A full table to the neighbours, and one of which all routes are via one next hop; each with
    its last prefix."""
    full, behind = folder / "full.csv", folder / "behind.csv"
    with full.open("w") as file:
        for family, count in ((4, _IPV4), (6, _IPV6)):
            hops = [host.address(family) for host in _HOSTS]
            for prefix, number in _table(family, count):
                file.write(f"{prefix},{hops[number % len(hops)]}\n")
                last = prefix
    with behind.open("w") as file:
        for prefix, _ in _made_up(4, _BEHIND):
            file.write(f"{prefix},{_VIA}\n")
            last_behind = prefix
    return (full, last), (behind, last_behind)


class _Controller:
    """What is done to it, and how long that takes until all nodes have it."""

    def __init__(self) -> None:
        self.api = Api()

    def await_all(self, is_there: Callable[[], bool], started: float) -> float:
        """Seconds from STARTED until that is so and all nodes have it."""
        while not (is_there() and self.api.epoch_of_all() is not None):
            if time.monotonic() - started > _SECONDS:
                raise LabError(f"the nodes do not have it after {_SECONDS:g} s")
        return time.monotonic() - started

    def has(self, prefix: str) -> bool:
        try:
            return bool(self.api.ask(show="routes", name=prefix))
        except LabError:
            return False

    def import_table(self, table: Path, last: str) -> float:
        """LAST: the prefix of its last line."""
        started = time.monotonic()
        done = rackway.command("route", "import", str(table))
        if done.returncode != 0:
            raise LabError(f"import: {done.stderr.strip()}")
        return self.await_all(lambda: self.has(last), started)

    def withdraw_all(self, last: str) -> float:
        started = time.monotonic()
        self.api.ask(order="route-del-imported")
        return self.await_all(lambda: not self.has(last), started)

    def octets(self) -> int:
        """Of memory."""
        pid = processes.running(rackway.CONTROLLER)
        fields = Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()
        return int(fields[0]) * 1024

    def change_one(self, ip: subprocess.Popen, number: int) -> float:
        """A route of the kernel, from the change on."""
        host = _HOSTS[number % len(_HOSTS)].address(4)
        started = time.monotonic()
        ip.stdin.write(f"route replace 198.18.0.0/24 via {host}\n")
        ip.stdin.flush()

        def is_there() -> bool:
            try:
                row = self.api.ask(show="routes", name="198.18.0.0/24")[0]
            except LabError:  # not yet
                return False
            return [hop["address"] for hop in row["next_hops"]] == [host]

        return self.await_all(is_there, started)

    def move_next_hop(self, number: int, prefix: str) -> float:
        host = _HOSTS[number % len(_HOSTS)].address(4)
        started = time.monotonic()
        self.api.ask(order="route-add", name=_COVER, target=host)

        def is_there() -> bool:
            hops = self.api.ask(show="routes", name=prefix)[0]["next_hops"]
            return [hop["address"] for hop in hops] == [host]

        return self.await_all(is_there, started)


def _changes(controller: _Controller) -> list[float]:
    command = in_namespace(ROUTER_NAMESPACE, ["ip", "-batch", "-"])
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as ip:
        try:
            times = [controller.change_one(ip, number) for number in range(_CHANGES)]
        finally:
            ip.stdin.write("route del 198.18.0.0/24\n")
    return times


def _percentile(times: list[float], percent: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * percent / 100))]


def measure(folder: Path) -> list[dict]:
    full, behind = _write_tables(folder)
    controller = _Controller()
    octets = controller.octets()
    rows = []
    took = controller.import_table(*full)
    count = _IPV4 + _IPV6
    rows.append(bench.row("import to committed on all nodes", count / took, "routes/s", above=400_000))
    each = (controller.octets() - octets) / count
    rows.append(bench.row("the controller's memory for it", each, "octets a route", below=400))
    took = controller.withdraw_all(full[1])
    rows.append(bench.row("withdrawn on all nodes", count / took, "routes/s"))
    times = _changes(controller)
    rows.append(
        bench.row("a kernel route changes, median", statistics.median(times) * 1000, "ms")
    )
    rows.append(bench.row("the same, p99", _percentile(times, 99) * 1000, "ms", below=20))
    controller.api.ask(order="route-add", name=_COVER, target=_HOSTS[0].address(4))
    controller.import_table(*behind)
    first = next(_made_up(4, 1))[0]
    moves = [controller.move_next_hop(number, first) for number in range(1, _MOVES)]
    name = f"a next hop under {_BEHIND:,} routes moves"
    rows.append(bench.row(f"{name}, median", statistics.median(moves) * 1000, "ms"))
    rows.append(bench.row("the same, longest", max(moves) * 1000, "ms", below=50))
    controller.withdraw_all(behind[1])
    controller.api.ask(order="route-del", name=_COVER)
    controller.api.close()
    return rows


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev bench control", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--preflight", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    try:
        lifecycle.check_machine()
        if arguments.preflight:
            return 0
        with lifecycle.locked(), TemporaryDirectory() as folder:
            lifecycle.up(Topology(len(_HOSTS)), say=lambda _: None)
            try:
                found = measure(Path(folder))
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
