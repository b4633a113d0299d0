# SPDX-License-Identifier: Apache-2.0
"""Many changes of the kernel's routes, by `ip -batch`, and whether the FIB is what the kernel has.

Update J of N prefixes is of prefix J mod N, and each time leads to another of the gateways.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from ipaddress import IPv4Address

from lab import rackway
from lab.commands import in_namespace, must
from lab.errors import LabError
from lab.topology import ROUTER_NAMESPACE

_FIRST = int(IPv4Address("198.18.0.0"))  # RFC 2544: for benchmarks
MOST_PREFIXES = 1 << 13  # of 28 bits in 198.18.0.0/15
_CHUNK_SECONDS = 0.05
_BATCH = ["ip", "-batch", "-"]
_BATCH_SECONDS = 120.0
_RACKWAY_PROTOCOL = "82"  # of the document's routes, which the controller itself puts there


def prefix(number: int) -> str:
    return f"{IPv4Address(_FIRST + 16 * number)}/28"


def replaced(count: int, prefixes: int, gateways: list[str]) -> Iterator[str]:
    """COUNT updates of PREFIXES prefixes."""
    for number in range(count):
        rounds, place = divmod(number, prefixes)
        yield f"route replace {prefix(place)} via {gateways[(place + rounds) % len(gateways)]}\n"


def burst(prefixes: int, gateways: list[str]) -> Iterator[str]:
    """All are added, every second one moves, every third one goes."""
    yield from replaced(prefixes, prefixes, gateways)
    for number in range(0, prefixes, 2):
        yield f"route replace {prefix(number)} via {gateways[(number + 1) % len(gateways)]}\n"
    for number in range(0, prefixes, 3):
        yield f"route del {prefix(number)}\n"


def withdrawn(prefixes: int, but_every: int | None = None) -> Iterator[str]:
    """All go; BUT_EVERY: those that are gone already."""
    for number in range(prefixes):
        if not but_every or number % but_every:
            yield f"route del {prefix(number)}\n"


def give(lines: Iterator[str]) -> None:
    """At once, as fast as the kernel takes them."""
    must(in_namespace(ROUTER_NAMESPACE, _BATCH), stdin="".join(lines), timeout=_BATCH_SECONDS)


class Stream:
    """LINES at a steady pace, in the background, from entering the context until they are through."""

    def __init__(self, lines: Iterator[str], rate: float) -> None:
        self._lines, self._chunk = lines, max(1, round(rate * _CHUNK_SECONDS))
        self._thread = threading.Thread(target=self._feed)

    def __enter__(self) -> Stream:
        self._ip = subprocess.Popen(
            in_namespace(ROUTER_NAMESPACE, _BATCH),
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._thread.start()
        return self

    def _feed(self) -> None:
        due = time.monotonic()
        try:
            while chunk := [line for _, line in zip(range(self._chunk), self._lines)]:
                self._ip.stdin.write("".join(chunk))
                self._ip.stdin.flush()
                due += _CHUNK_SECONDS
                time.sleep(max(0.0, due - time.monotonic()))
        except BrokenPipeError:  # what it says is read in the end
            pass

    def wait(self) -> None:
        self._thread.join()
        _, said = self._ip.communicate(timeout=_BATCH_SECONDS)
        if self._ip.returncode != 0:
            raise LabError(f"ip -batch: {said.strip()}")

    def __exit__(self, fault: object, *_: object) -> None:
        if fault is not None:
            self._ip.kill()
        self._thread.join()
        self._ip.wait()


def _of_kernel(family: int) -> dict[str, list[str]]:
    """Gateways by prefix, of the main table's routes that have some."""
    command = ["ip", f"-{family}", "-n", ROUTER_NAMESPACE, "-N", "-j", "route", "show"]
    found = {}
    for row in json.loads(must([*command, "table", "main"])):
        hops = row.get("nexthops") or [row]
        gateways = sorted(hop.get("gateway") or hop["via"]["host"] for hop in hops
                          if "gateway" in hop or "via" in hop)
        if gateways and row.get("protocol") != _RACKWAY_PROTOCOL:
            length = "" if "/" in row["dst"] else f"/{32 if family == 4 else 128}"
            found[row["dst"] + length] = gateways
    return found


def _of_fib(kernel: dict[str, list[str]]) -> dict[str, list[str]]:
    """Next hops by prefix, of routes that a source of the kernel's names; and of those in KERNEL."""
    others = ("", "neighbor", "rackway", "added", "imported")
    return {
        row["prefix"]: sorted(hop["address"] for hop in row["next_hops"])
        for row in rackway.show("routes")
        if row["kind"] == "forward" and (row["protocol"] not in others or row["prefix"] in kernel)
    }


def not_as_kernel() -> str | None:
    """Where the FIB is not what the kernel's main table says; none when it is equal."""
    kernel = _of_kernel(4) | _of_kernel(6)
    fib = _of_fib(kernel)
    wrong = [key for key in kernel.keys() | fib.keys() if kernel.get(key) != fib.get(key)]
    if not wrong:
        return None
    one = min(wrong)
    return f"{len(wrong)} routes differ, e.g. {one}: kernel {kernel.get(one)}, FIB {fib.get(one)}"
