# SPDX-License-Identifier: Apache-2.0
"""The lab's tables for people."""

from __future__ import annotations

from collections.abc import Callable

from lab import frr, processes, rackway
from lab.checks.catalogue import Outcome
from lab.checks.idle import IDLE_CPU_PERCENT
from lab.lifecycle import process_names
from lab.measure import Measurements
from lab.table import render
from lab.topology import Host, Topology


def state() -> str:
    """Cluster, nodes and BGP sessions as they are now."""
    cluster = rackway.show_cluster()
    title = (
        f"Cluster {cluster['name']}: epoch {cluster['epoch']}, digest {cluster['digest']}, "
        f"{cluster['nodes_in_sync']} of {cluster['nodes']} nodes in sync,\n"
        f"  {cluster['ipv4_routes']} IPv4 and {cluster['ipv6_routes']} IPv6 routes"
    )
    return "\n\n".join([title, _nodes(), _sessions()])


def _nodes() -> str:
    rows = [
        (row["name"], row["state"], row["epoch"], row["digest"], "yes" if row["in_sync"] else "NO")
        for row in rackway.show("nodes")
    ]
    return "Nodes\n" + render(("node", "state", "epoch", "digest", "in sync"), rows)


def _sessions() -> str:
    rows = [
        (row["peer"], f"AS{row['as']}", f"IPv{row['family']}", row["state"], row["prefixes"])
        for row in frr.bgp_sessions()
    ]
    return "BGP sessions of the router\n" + render(
        ("neighbour", "AS", "family", "state", "prefixes"), rows
    )


def processes_table(topology: Topology) -> str:
    rows = [(name, processes.running(name) or "ended") for name in process_names(topology)]
    return "Processes\n" + render(("process", "pid"), rows)


def _matrix(topology: Topology, cell: Callable[[Host, Host], str]) -> str:
    rows = [
        (sender.name, *("" if sender == to else cell(sender, to) for to in topology.hosts))
        for sender in topology.hosts
    ]
    return render(("from \\ to", *(host.name for host in topology.hosts)), rows)


def _milliseconds(value: float | None) -> str:
    return "lost" if value is None else f"{value:.3f}"


def measurements(topology: Topology, measured: Measurements) -> str:
    def ping_cell(sender: Host, receiver: Host) -> str:
        both = (measured.ping_ms[sender, receiver, family] for family in (4, 6))
        return " / ".join(map(_milliseconds, both))

    def tcp_cell(sender: Host, receiver: Host) -> str:
        rate = measured.gigabits.get((sender, receiver))
        return "" if rate is None else f"{rate:.2f}"

    parts = [
        "Ping, median ms, IPv4 / IPv6\n" + _matrix(topology, ping_cell),
        "Traceroute, hops\n" + _matrix(topology, lambda a, b: str(measured.hops[a, b])),
        "TCP by iperf3, Gb/s\n" + _matrix(topology, tcp_cell),
        _accounts(measured),
        f"Idle: {measured.idle_cpu_percent:.1f}% of one core for the controller and all nodes "
        f"(target < {IDLE_CPU_PERCENT:g}%)",
    ]
    return "\n\n".join(parts)


def _accounts(measured: Measurements) -> str:
    if measured.accounts is None:
        return "Packets: the counters do not add up, see below"
    counters = ("received", "sent", "punted", "dropped", "transmitted")
    rows = [
        (name, *(row[counter] for counter in counters))
        for name, row in measured.accounts.ports.items()
    ]
    return "Packets, all accounted for (received = sent + punted + dropped)\n" + render(
        ("port", *counters), rows
    )


def outcome(result: Outcome) -> str:
    word = "ok    " if result.passed else "FAILED"
    return f"  {word}  {str(result.check):<34}  {result.seconds:5.1f} s  {result.text}"


def what_next() -> str:
    show = rackway.program("rackway")
    return "\n".join(
        [
            "Try next:",
            f"  {show} show cluster",
            f"  {show} show routes 100.64.0.1",
            "  ip netns exec rw-h1 traceroute -n 10.0.2.2",
            "  ip netns exec rw-h1 iperf3 -s -D -1 && ip netns exec rw-h2 iperf3 -c 10.0.1.2",
            "  ip netns exec rackway ip route add 198.51.100.0/24 via 10.0.1.2",
            f"  vtysh --vty_socket {frr.DIRECTORY} --config_dir {frr.DIRECTORY} "
            "-c 'show bgp summary'",
            "Take it down:",
            "  ./dev lab down",
        ]
    )
