# SPDX-License-Identifier: Apache-2.0
"""What is done to the controller of the lab that is up, and how long that takes until all nodes have it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from lab import processes, rackway
from lab.api import Api
from lab.commands import in_namespace
from lab.errors import LabError
from lab.topology import ROUTER_NAMESPACE, Host

HOSTS = [Host(number) for number in (1, 2, 3, 4)]
_SECONDS = 120.0


def gateway(number: int, family: int) -> str:
    return HOSTS[number % len(HOSTS)].address(family)


def octets_of(process: str) -> int:
    """Of memory, as the kernel counts it."""
    fields = Path(f"/proc/{processes.running(process)}/status").read_text().split("VmRSS:")[1].split()
    return int(fields[0]) * 1024


def busy_seconds(process: str) -> float:
    """Of all its threads so far; to 10 ms."""
    fields = Path(f"/proc/{processes.running(process)}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def ip_batch() -> subprocess.Popen:
    """`ip` in the router, which does what is written to it."""
    command = in_namespace(ROUTER_NAMESPACE, ["ip", "-force", "-batch", "-"])
    return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


class Cluster:
    def __init__(self) -> None:
        self.api = Api()

    def close(self) -> None:
        self.api.close()

    def await_all(
        self, is_there: Callable[[], bool], started: float, in_sync: bool = True
    ) -> float:
        """Seconds from STARTED until that is so and (IN_SYNC) nothing else is on its way to a node."""
        while not (is_there() and (not in_sync or self.api.epoch_of_all() is not None)):
            if time.monotonic() - started > _SECONDS:
                raise LabError(f"the nodes do not have it after {_SECONDS:g} s")
        return time.monotonic() - started

    def await_there(self, is_there: Callable[[], bool]) -> None:
        self.await_all(is_there, time.monotonic(), in_sync=False)

    def row(self, prefix: str) -> dict | None:
        """Of `show routes`."""
        try:
            return (self.api.ask(show="routes", name=prefix) or [None])[0]
        except LabError:
            return None

    def has(self, prefix: str) -> bool:
        return self.row(prefix) is not None

    def leads_to(self, prefix: str, address: str) -> bool:
        row = self.row(prefix)
        return row is not None and [hop["address"] for hop in row["next_hops"]] == [address]

    def all_took(self, prefix: str) -> bool:
        """Every node has that route as it is now, whatever else is on its way."""
        try:
            row = self.api.ask(show="explain", name=prefix)[0]
        except LabError:
            return False
        return all(node["took"] is not None for node in row.get("nodes", [{"took": None}]))

    def import_table(self, table: Path, last: str) -> float:
        """LAST: the prefix of its last line."""
        started = time.monotonic()
        done = rackway.command("route", "import", str(table))
        if done.returncode != 0:
            raise LabError(f"import: {done.stderr.strip()}")
        return self.await_all(lambda: self.has(last), started)

    def withdraw_imported(self, last: str) -> float:
        started = time.monotonic()
        self.api.ask(order="route-del-imported")
        return self.await_all(lambda: not self.has(last), started)

    def kernel_source(self) -> dict:
        return next(row for row in self.api.ask(show="sources") if row["source"] == "kernel")
