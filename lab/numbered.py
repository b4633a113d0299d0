# SPDX-License-Identifier: Apache-2.0
"""Numbered datagrams between all pairs of hosts at a steady rate, for drills: who lost how many.

Run in a host's namespace, this file is its generator and sink in one (`python3 -m lab.numbered`):
every datagram says which flow it is of, its number there, and when it was sent, by the clock that
all hosts of a machine share. It works until its standard input ends, waits for what is on its way,
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

from lab.errors import LabError
from lab.topology import Host, Topology

_PORT = 40020
_FIRST_SOURCE_PORT = 42000
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


class _Generator:
    def __init__(self, own: Host, peers: list[Host], flows: int) -> None:
        self._flows = []  # socket, destination, head
        self.sent = 0  # of each flow
        for family in (4, 6):
            kind = socket.AF_INET if family == 4 else socket.AF_INET6
            for index in range(flows):
                source = socket.socket(kind, socket.SOCK_DGRAM)
                source.bind((own.address(family), _FIRST_SOURCE_PORT + index))
                source.setblocking(False)
                for peer in peers:
                    head = (own.number, peer.number, family, index)
                    self._flows.append((source, (peer.address(family), _PORT), head))

    def send_round(self) -> None:
        for source, destination, head in self._flows:
            datagram = _DATAGRAM.pack(*head, self.sent, time.monotonic_ns())
            try:
                source.sendto(datagram, destination)
            except OSError:  # an ICMP error about an earlier one, or no buffer: that one is lost
                continue
        self.sent += 1


def _open_sinks(own: Host) -> list[socket.socket]:
    sinks = []
    for family, kind in ((4, socket.AF_INET), (6, socket.AF_INET6)):
        sink = socket.socket(kind, socket.SOCK_DGRAM)
        sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        sink.bind((own.address(family), _PORT))
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
    own, flows, rate = Host(int(arguments[0])), int(arguments[1]), float(arguments[2])
    peers = [Host(int(number)) for number in arguments[3:]]
    sinks, generator = _open_sinks(own), _Generator(own, peers, flows)
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
    """Datagrams from every host to every other one, from entering the context until leaving it."""

    def __init__(self, hosts: list[Host], flows: int = 4, rate: float = 50.0) -> None:
        self._hosts, self._flows, self.rate = hosts, flows, rate
        self._programs: dict[Host, subprocess.Popen[str]] = {}
        self.flows: list[Flow] = []  # when it is over

    def __enter__(self) -> Traffic:
        for host in self._hosts:
            peers = [str(peer.number) for peer in self._hosts if peer != host]
            command = [sys.executable, "-m", "lab.numbered", str(host.number), str(self._flows)]
            self._programs[host] = subprocess.Popen(
                ["ip", "netns", "exec", host.namespace, *command, str(self.rate), *peers],
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

    def __exit__(self, *fault: object) -> None:
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
        return json.loads(out)

    def _end_all(self) -> None:
        for program in self._programs.values():
            if program.poll() is None:
                program.kill()
            program.wait()

    @property
    def expected(self) -> int:
        """How many flows there are."""
        return len(self._hosts) * (len(self._hosts) - 1) * 2 * self._flows


if __name__ == "__main__":
    main(sys.argv[1:])
