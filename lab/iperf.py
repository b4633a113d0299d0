# SPDX-License-Identifier: Apache-2.0
"""iperf3: TCP throughput from one host to another."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator

from lab.commands import in_namespace, run
from lab.errors import CheckFailed
from lab.topology import Host
from lab.waiting import wait_until

_PORT = 5201


def gigabits(client: Host, server: Host, seconds: int = 1, family: int = 4) -> float:
    """Gb/s that SERVER received from CLIENT over TCP."""
    address = server.address(family)
    with _server(server, address):
        command = ["iperf3", "-c", address, "-p", str(_PORT), "-t", str(seconds), "--json"]
        done = run(
            in_namespace(client.namespace, [*command, "--connect-timeout", "3000"]),
            timeout=seconds + 20,
        )
    try:
        return json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"] / 1e9
    except (json.JSONDecodeError, KeyError) as error:
        said = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise CheckFailed(f"iperf3 {client.name} to {address}: {' '.join(said)}") from error


@contextlib.contextmanager
def _server(host: Host, address: str) -> Iterator[None]:
    command = ["iperf3", "-s", "-1", "-B", address, "-p", str(_PORT)]
    process = subprocess.Popen(
        in_namespace(host.namespace, command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until("iperf3 server", lambda: _not_listening(host), 5, interval=0.02)
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)


def _not_listening(host: Host) -> str | None:
    listing = run(in_namespace(host.namespace, ["ss", "-Hltn", f"sport = :{_PORT}"])).stdout
    return None if listing.strip() else "not listening"
