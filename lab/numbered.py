# SPDX-License-Identifier: Apache-2.0
"""Numbered datagrams between all pairs of hosts at a steady rate, for drills: who lost how many.

Run in a host's namespace, this file is its generator and sink in one (`python3 -m lab.numbered`):
every datagram says which flow it is of, its number there, and when it was sent, by the clock that
all hosts of a machine share. A flow is to the address of a host, or to one in a prefix that a host
announces by BGP. It works until its standard input ends, waits for what is on its way,
and writes what it has sent and received as JSON. Traffic is the drill's side of it: one such program
for each host.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from lab import prefixes
from lab.commands import in_namespace
from lab.errors import LabError
from lab.topology import Host

_PORT = 40020
_FIRST_SOURCE_PORT = 42000
_LEARNT = 128  # and more: the index of a flow over a route that BGP has learnt
_KINDS = {4: socket.AF_INET, 6: socket.AF_INET6}  # by family
_SO_RCVBUFFORCE = 33
_DATAGRAM = struct.Struct("!BBBBIQ")  # from, to, family, flow, number, when it was sent in ns
_LATE_SECONDS = 0.5  # for what is on its way
_START_SECONDS = 20.0


@dataclass(frozen=True)
class Flow:
    """What became of a flow."""

    source: int  # number of a host
    destination: int
    family: int
    index: int
    sent: int
    received: int
    longest_gap: int  # datagrams lost in a row
    reordered: int  # that came after one with a higher number
    longest_silence: float  # seconds between the sendings of two that arrived, others lost between

    @property
    def lost(self) -> int:
        return self.sent - self.received

    @property
    def is_learnt(self) -> bool:
        """It goes over a route of BGP."""
        return self.index >= _LEARNT


class Sink:
    """What has arrived of one flow."""

    def __init__(self) -> None:
        self.received = self.reordered = self.longest_gap = 0
        self.next = 0
        self.last_sent = 0
        self.longest_silence = 0

    def take(self, number: int, sent: int) -> None:
        self.received += 1
        if number < self.next:
            self.reordered += 1
            return
        if number > self.next:
            self.longest_gap = max(self.longest_gap, number - self.next)
            self.longest_silence = max(self.longest_silence, sent - self.last_sent)
        self.next, self.last_sent = number + 1, sent


def _learnt_addresses(peers: list[Host], family: int) -> dict[Host, str]:
    return {
        peer: next(a for a in prefixes.living_addresses(peer.number) if (":" in a) == (family == 6))
        for peer in peers
        if peer.speaks_bgp
    }


class _Generator:
    def __init__(self, own: Host, peers: list[Host], flows: int, learnt: int) -> None:
        self._flows = []  # socket, destination, head
        self.sent = 0  # of each flow
        for family in (4, 6):
            for index in range(flows):
                self._add(own, family, index, {peer: peer.address(family) for peer in peers})
            for index in range(learnt):
                self._add(own, family, _LEARNT + index, _learnt_addresses(peers, family))

    def _add(self, own: Host, family: int, index: int, to: dict[Host, str]) -> None:
        source = socket.socket(_KINDS[family], socket.SOCK_DGRAM)
        source.bind((own.address(family), _FIRST_SOURCE_PORT + index))
        source.setblocking(False)
        for peer, address in to.items():
            head = (own.number, peer.number, family, index)
            self._flows.append((source, (address, _PORT), head))

    def send_round(self) -> None:
        for source, destination, head in self._flows:
            datagram = _DATAGRAM.pack(*head, self.sent, time.monotonic_ns())
            try:
                source.sendto(datagram, destination)
            except OSError:  # an ICMP error about an earlier one, or no buffer: that one is lost
                continue
        self.sent += 1


def _open_sinks() -> list[socket.socket]:
    sinks = []
    for kind in _KINDS.values():
        sink = socket.socket(kind, socket.SOCK_DGRAM)
        sink.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 4 << 20)
        if kind == socket.AF_INET6:
            sink.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sink.bind(("", _PORT))
        sink.setblocking(False)
        sinks.append(sink)
    return sinks


def _drain(sinks: list[socket.socket], arrived: dict[tuple, Sink], seconds: float) -> bool:
    """Takes in what comes within SECONDS; true when standard input has ended."""
    ready, _, _ = select.select([*sinks, sys.stdin], [], [], max(0.0, seconds))
    for sink in sinks:
        if sink not in ready:
            continue
        try:
            while True:
                *head, number, sent = _DATAGRAM.unpack(sink.recv(64))
                arrived.setdefault(tuple(head), Sink()).take(number, sent)
        except BlockingIOError:
            pass
    return sys.stdin in ready and not sys.stdin.read(1)


def main(arguments: list[str]) -> None:
    own, flows, learnt = Host(int(arguments[0])), int(arguments[1]), int(arguments[2])
    rate, peers = float(arguments[3]), [Host(int(number)) for number in arguments[4:]]
    sinks, generator = _open_sinks(), _Generator(own, peers, flows, learnt)
    arrived: dict[tuple, Sink] = {}
    print("ready", flush=True)
    sys.stdin.readline()  # all others are ready, too
    ended, due = False, time.monotonic()
    while not ended:
        if time.monotonic() >= due:
            generator.send_round()
            due = max(due + 1 / rate, time.monotonic())  # what was not sent in time is not made up for
        ended = _drain(sinks, arrived, due - time.monotonic())
    deadline = time.monotonic() + _LATE_SECONDS
    while time.monotonic() < deadline:
        select.select(sinks, [], [], max(0.0, deadline - time.monotonic()))
        _drain(sinks, arrived, 0.0)
    rows = [[*head, vars(sink)] for head, sink in arrived.items()]
    json.dump({"sent": generator.sent, "arrived": rows}, sys.stdout)


class Traffic:
    """Datagrams from every host to every other one, from entering the context until leaving it.
    LEARNT: so many flows more, of each family, to what each host announces by BGP."""

    def __init__(
        self, hosts: list[Host], flows: int = 4, rate: float = 50.0, learnt: int = 0
    ) -> None:
        self._hosts, self._flows, self.rate, self._learnt = hosts, flows, rate, learnt
        self._programs: dict[Host, subprocess.Popen[str]] = {}
        self.flows: list[Flow] = []  # when it is over

    def __enter__(self) -> Traffic:
        for host in self._hosts:
            peers = [str(peer.number) for peer in self._hosts if peer != host]
            numbers = [str(number) for number in (host.number, self._flows, self._learnt, self.rate)]
            command = [sys.executable, "-m", "lab.numbered", *numbers, *peers]
            self._programs[host] = subprocess.Popen(
                in_namespace(host.namespace, command),
                cwd=Path(__file__).resolve().parents[1],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        for host, program in self._programs.items():
            if program.stdout.readline() != "ready\n":
                self._end_all()
                raise LabError(f"the generator of {host.name} does not start")
        for program in self._programs.values():
            program.stdin.write("\n")
            program.stdin.flush()
        return self

    def __exit__(self, fault: object, *_: object) -> None:
        if fault is not None:  # which says more than what flows there were
            self._end_all()
            return
        # All stop sending before any stops listening.
        for program in self._programs.values():
            program.stdin.close()
            program.stdin = None
        try:
            told = {host: self._result(program) for host, program in self._programs.items()}
        finally:
            self._end_all()
        for host, result in told.items():
            for source, destination, family, index, sink in result["arrived"]:
                sent = told[Host(source)]["sent"]
                gap = max(sink["longest_gap"], sent - sink["next"])
                self.flows.append(
                    Flow(source, destination, family, index, sent, sink["received"], gap,
                         sink["reordered"], sink["longest_silence"] / 1e9)
                )

    @staticmethod
    def _result(program: subprocess.Popen[str]) -> dict:
        out, _ = program.communicate(timeout=_START_SECONDS)
        if program.returncode != 0:
            raise LabError(f"a generator ended with {program.returncode}")
        return json.loads(out)

    def _end_all(self) -> None:
        for program in self._programs.values():
            if program.poll() is None:
                program.kill()
            program.wait()

    @property
    def expected(self) -> int:
        """How many flows there are."""
        speakers = sum(host.speaks_bgp for host in self._hosts)
        of_each_host = len(self._hosts) * self._flows + speakers * self._learnt
        return (len(self._hosts) - 1) * 2 * of_each_host


if __name__ == "__main__":
    main(sys.argv[1:])
