# SPDX-License-Identifier: Apache-2.0
"""Bringing the lab up and taking it down, whatever state it is in.

The file OWNER is written before anything is made and removed last: while it is there, everything
with the lab's names is the lab's. A lock on this folder keeps two of these from working at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from lab import bird, frr, namespaces, prefixes, processes, rackway
from lab.commands import program
from lab.errors import LabError
from lab.topology import (
    API_SOCKET,
    LAB_DIRECTORY,
    MEMIF_DIRECTORY,
    RUN_DIRECTORY,
    Topology,
    butterfly_named,
    every_namespace,
)
from lab.waiting import wait_until

OWNER = LAB_DIRECTORY / "owner"
_TUN = Path("/dev/net/tun")
_TOOLS = ("ip", "ethtool", "sysctl", "bird", "birdc", "vtysh", "iperf3", "traceroute", "ping", "ss")
_PROGRAMS = ("rackway", "rackway-controller", "rackway-node")
_CABLES, _SWITCHED = "cables", "switched"  # in OWNER
_PORTS_SECONDS = 20.0
_SYNC_SECONDS = 30.0
_BGP_SECONDS = 40.0


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """At most one process on this machine is inside; leaves no file behind."""
    folder = os.open(Path(__file__).parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise LabError("another lab command is at work; wait for its end") from error
    finally:
        os.close(folder)


def exists() -> bool:
    """There is a lab, up or half up."""
    return OWNER.exists()


def running() -> Topology | None:
    """The lab that is up (or half up), none when there is no lab. MTU and uRPF are not recorded."""
    try:
        size, fabric, shape = OWNER.read_text().split()
        return Topology(
            int(size), butterfly=butterfly_named(shape), switched=fabric == _SWITCHED
        )
    except FileNotFoundError:
        return None
    except ValueError:
        return Topology()


def _record(topology: Topology) -> None:
    fabric = _SWITCHED if topology.switched else _CABLES
    shape = topology.butterfly.name if topology.butterfly else "mesh"
    OWNER.write_text(f"{topology.size} {fabric} {shape}\n")


def require_root() -> None:
    if os.geteuid() != 0:
        raise LabError("the lab makes network namespaces and needs root: sudo ./dev lab")


def check_machine() -> None:
    """Refuses, with one clear line, a machine on which the lab can not be brought up."""
    require_root()
    if not _TUN.is_char_device():
        raise LabError(f"{_TUN} is missing, and the router's ports are TAPs: modprobe tun")
    if not exists():
        _check_nothing_foreign()


def _check_programs() -> None:
    for tool in _TOOLS:
        if shutil.which(tool) is None:
            raise LabError(f"{tool} is not installed: ./dev deps")
    for name in _PROGRAMS:
        if not program(name).is_file():
            raise LabError(f"{program(name)} is not built: ./dev build")


def _check_nothing_foreign() -> None:
    foreign = namespaces.existing(every_namespace())
    if foreign:
        raise LabError(
            f"namespace {foreign[0]} exists and is not the lab's ({OWNER} is missing): "
            f"ip netns delete {foreign[0]}, or ./dev lab down --force"
        )
    if API_SOCKET.exists():
        raise LabError(f"{API_SOCKET} exists: stop the controller that uses it, or remove it")


def up(topology: Topology, say=print) -> None:
    """Brings TOPOLOGY up and waits until it has converged; on any failure takes it down again."""
    check_machine()
    _check_programs()
    if exists():
        say("taking down what is left of an earlier lab")
        down()
    try:
        _build(topology, say)
    except BaseException:
        down()
        raise


def _build(topology: Topology, say) -> None:
    LAB_DIRECTORY.mkdir(parents=True, exist_ok=True)
    _record(topology)
    say(f"network: {len(topology.namespaces)} namespaces")
    namespaces.create(topology)
    say(f"cluster: controller and {len(topology.nodes)} nodes")
    rackway.start(topology)
    await_ports(topology)
    namespaces.configure_ports(topology)
    say("routing: FRR in the router, BIRD in " + ", ".join(h.name for h in topology.bgp_hosts))
    frr.start(topology)
    bird.start(topology)
    await_converged(topology)


def await_ports(topology: Topology) -> None:
    def obstacle() -> str | None:
        _check_alive(rackway.process_names(topology))
        missing = namespaces.missing_ports(topology)
        return f"no TAP {missing[0]}" if missing else None

    wait_until("the router's ports", obstacle, _PORTS_SECONDS)


def _check_alive(names: list[str]) -> None:
    for name in names:
        if processes.running(name) is None:
            raise LabError(f"{name} ended; its last words:\n{processes.log_tail(name)}")


def process_names(topology: Topology) -> list[str]:
    """Every process that has to run."""
    birds = [bird.process_name(host) for host in topology.bgp_hosts]
    return [*rackway.process_names(topology), *frr.DAEMON_NAMES, *birds]


def await_in_sync(topology: Topology, seconds: float = _SYNC_SECONDS) -> float:
    """Waits until all nodes have the cluster's epoch and digest."""
    return wait_until("nodes in sync", lambda: rackway.why_not_in_sync(topology), seconds)


def expected_bgp_routes(topology: Topology) -> int:
    return len(topology.bgp_hosts) * (prefixes.IPV4_COUNT + prefixes.IPV6_COUNT)


def await_bgp_routes(topology: Topology, expected: int, seconds: float = _BGP_SECONDS) -> float:
    """Waits until the cluster has exactly EXPECTED routes learnt by BGP, on all nodes."""

    def obstacle() -> str | None:
        have = rackway.bgp_route_count(rackway.show("routes"))
        return None if have == expected else f"{have} of {expected} BGP routes"

    waited = wait_until("BGP routes", obstacle, seconds)
    return waited + await_in_sync(topology)


def _unresolved_bgp_routes() -> str | None:
    count = rackway.unresolved_bgp_route_count(rackway.show("routes"))
    return f"the next hops of {count} routes have no link-layer address yet" if count else None


def await_converged(topology: Topology) -> None:
    """Waits until every process runs, all BGP routes are there and lead on, and all nodes agree."""
    try:
        await_in_sync(topology)
        await_bgp_routes(topology, expected_bgp_routes(topology))
        wait_until("resolved next hops", _unresolved_bgp_routes, _BGP_SECONDS)
        await_in_sync(topology)
    except LabError as error:
        _check_alive(process_names(topology))
        raise LabError(f"{error}; the controller's last words:\n"
                       f"{processes.log_tail(rackway.CONTROLLER)}") from error
    _check_alive(process_names(topology))


def down(force: bool = False) -> bool:
    """Removes every trace of the lab; false when there was none. FORCE: owned or not."""
    require_root()
    if not exists() and not force:
        _refuse_foreign()
        return False
    _end_processes()
    for name in every_namespace():
        namespaces.delete(name)
    _remove_files()
    return True


def _refuse_foreign() -> None:
    foreign = namespaces.existing(every_namespace())
    if foreign:
        raise LabError(
            f"namespace {foreign[0]} is not the lab's ({OWNER} is missing): "
            "./dev lab down --force removes it all the same"
        )


def _end_processes() -> None:
    known = [processes.running(name) for name in processes.recorded()]
    inside = [pid for name in every_namespace() for pid in namespaces.process_ids(name)]
    ours = {pid for pid in [*known, *inside] if pid is not None}
    processes.end(sorted(ours - {os.getpid()}))


def _remove_files() -> None:
    shutil.rmtree(MEMIF_DIRECTORY, ignore_errors=True)
    API_SOCKET.unlink(missing_ok=True)
    OWNER.unlink(missing_ok=True)
    shutil.rmtree(LAB_DIRECTORY, ignore_errors=True)
    with contextlib.suppress(OSError):  # not empty: somebody else's files stay
        RUN_DIRECTORY.rmdir()
