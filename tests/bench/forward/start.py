# SPDX-License-Identifier: Apache-2.0
"""One start of one program: run it until its packets have been counted, see that it kept them, end it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench.forward.faults import BenchFault
from tests.bench.forward.peers import L3fwd
from tests.bench.forward.works import Program

PORTS = 4
BUFFERS = 8576  # what l3fwd makes for four ports; the others are told to
_PREFIX = f"rackway-bench-{os.getpid()}"
_RUNTIME_FOLDER = Path("/var/run/dpdk") / _PREFIX  # DPDK makes it and leaves it
_UNDISTURBED = 0.98  # of a window, that the thread had the core
_UPDATES = 9500  # a second, of the 10,000 asked for, at the least
_MOST_UNDER_WAY = 1024  # packets received, not yet sent, when counters are read


@dataclass(frozen=True)
class Place:
    """Where programs run and what they take."""

    bin: Path
    l3fwd: L3fwd
    folder: Path  # tables, packets, results
    core: int
    other_cores: frozenset[int]
    window: float
    windows: int
    warm_up: float


@dataclass(frozen=True)
class Outcome:
    cycles: float  # a packet, median of the windows
    mpps: float
    disturbed: int  # windows left out


def measure(program: Program, place: Place) -> Outcome:
    result = place.folder / "result.json"
    result.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "RACKWAY_PACKETS": str(place.folder / f"{program.packets}.packets"),
        "RACKWAY_RESULT": str(result),
        "RACKWAY_WARM_UP": str(place.warm_up),
        "RACKWAY_WINDOW": str(place.window),
        "RACKWAY_WINDOWS": str(place.windows),
    }
    if program.kind != "node":
        environment["LD_PRELOAD"] = str(place.bin / "packet_source.so")
    log = place.folder / "log"
    with log.open("w") as output:
        child = subprocess.Popen(
            _command(program, place), env=environment, stdin=subprocess.PIPE, stdout=output,
            stderr=subprocess.STDOUT, cwd=place.folder,
            preexec_fn=lambda: os.sched_setaffinity(0, place.other_cores | {place.core}))
        try:
            _wait_for(result, child, program, place, log)
            _end(child, program)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
            child.stdin.close()
            shutil.rmtree(_RUNTIME_FOLDER, ignore_errors=True)
    return _judge(program, json.loads(result.read_text()), log)


def _command(program: Program, place: Place) -> list[str]:
    if program.kind == "node":
        name = "forward_node_static" if program.static else "forward_node"
        return [str(place.bin / name), "--duty", program.duty, "--core", str(place.core),
                "--buffers", str(BUFFERS), "--beside", program.beside,
                *(["--table", f"{program.table}.table"] if program.table else []),
                *(["--pcap", f"{program.table}.pcap"] if program.pcap else [])]
    eal = ["--in-memory", "--no-pci", "--no-telemetry", "--file-prefix", _PREFIX, *_devices(program)]
    if program.simd_bits:
        eal.append(f"--force-max-simd-bitwidth={program.simd_bits}")
    if program.kind == "testpmd":
        return ["dpdk-testpmd", *eal, "--lcores", f"0@{min(place.other_cores)},1@{place.core}", "--",
                f"--forward-mode={program.duty}", "--nb-cores=1", "--burst=32", "--mbcache=256",
                f"--total-num-mbufs={BUFFERS}", "--auto-start", "--no-flush-rx"]
    ipv6 = program.table == "full6"
    tables = ("none.ipv4", f"{program.table}.table") if ipv6 else (f"{program.table}.table",
                                                                  "none.ipv6")
    queues = ",".join(f"({port},0,0)" for port in range(PORTS))
    roomy = program.table != "few"
    return [str(place.l3fwd.roomy if roomy else place.l3fwd.plain), *eal,
            "--lcores", f"0@{place.core}", "--", "-p", hex((1 << PORTS) - 1),
            f"--config={queues}", f"--lookup={program.duty}",
            f"--rule_ipv4={tables[0]}", f"--rule_ipv6={tables[1]}"]


def _devices(program: Program) -> list[str]:
    words = []
    for port in range(PORTS):
        source = ("net_pcap{},rx_pcap=few.pcap,infinite_rx=1" if program.pcap
                  else "net_null{},size=64").format(port)
        words += ["--vdev", source]
    return words


def _wait_for(result: Path, child: subprocess.Popen, program: Program, place: Place,
              log: Path) -> None:
    patience = 900 if program.loads_for_minutes else 120
    until = time.monotonic() + patience + place.warm_up + place.window * place.windows
    while not result.exists():
        if child.poll() is not None:
            raise BenchFault(f"{program.name} ended with code {child.returncode} before it was measured: "
                             f"{_tail(log)}")
        if time.monotonic() > until:
            raise BenchFault(f"{program.name} did not forward: {_tail(log)}")
        time.sleep(0.02)


def _end(child: subprocess.Popen, program: Program) -> None:
    if program.kind == "testpmd":
        child.stdin.close()
    elif program.kind == "l3fwd":
        child.send_signal(signal.SIGTERM)
    try:
        code = child.wait(timeout=30)
    except subprocess.TimeoutExpired:
        raise BenchFault(f"{program.name} does not end") from None
    if code != 0:
        raise BenchFault(f"{program.name} ended with code {code}")


def _tail(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return " / ".join(lines[-3:]) if lines else "it said nothing"


def _judge(program: Program, result: dict, log: Path) -> Outcome:
    _check_kept(program, result, log)
    windows = result["windows"]
    hz = result["hz"]
    good = [w for w in windows if w["cpu_seconds"] * hz >= _UNDISTURBED * w["cycles"]]
    cycles = statistics.median(w["cycles"] / w["packets"] for w in good or windows)
    return Outcome(cycles, hz / cycles / 1e6, len(windows) - len(good))


def _check_kept(program: Program, result: dict, log: Path) -> None:
    """One packet received is one packet sent: nobody wins by dropping."""
    if program.keeps_all and abs(result["received"] - result["sent"]) > _MOST_UNDER_WAY:
        raise BenchFault(f"{program.name} received {result['received']} packets and sent "
                         f"{result['sent']}: {_tail(log)}")
    if program.kind != "node" or program.duty == "bare":
        return
    own = json.loads(log.read_text().splitlines()[-1])
    if own["received"] != own["sent"] + own["punted"] + sum(own["dropped"].values()):
        raise BenchFault(f"{program.name} lost packets: {own}")
    if program.beside == "updates" and own["changes_a_second"] < _UPDATES:
        raise BenchFault(f"only {own['changes_a_second']:.0f} updates a second were applied")
    if program.beside == "loading" and own["changes_a_second"] == 0:
        raise BenchFault("no full table was loaded in the time; measure for longer")
    if set(own["dropped"]) - (set() if program.keeps_all else {"punt_policed"}):
        raise BenchFault(f"{program.name} dropped packets: {own}")
