# SPDX-License-Identifier: Apache-2.0
"""What nodes say themselves of packets that can not go on, and the fragments they cut.

One port gets a smaller MTU than the rest, so that packets to its host, which come in at another
node, are too big there. All of it holds while the controller is away, too.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from lab import rackway
from lab.checks.reach import cluster_is_one_hop
from lab.commands import in_namespace, must, run
from lab.errors import CheckFailed
from lab.lifecycle import await_in_sync
from lab.ping import must_ping
from lab.topology import ROUTER_NAMESPACE, Host, Node, Topology
from lab.waiting import wait_until

_SMALL_MTU = 1280
_USUAL_MTU = 1500
_FULL_FRAME = {4: _USUAL_MTU - 28, 6: _USUAL_MTU - 48}  # octets of ping's data
_TOO_BIG = {4: "Frag needed and DF set", 6: "Packet too big"}
_EPOCH_SECONDS = 10.0
_COUNTED_SECONDS = 5.0
_MAY_BE_CUT = ("-M", "dont")
_FRAGMENTED = 3000  # octets of ping's data, more than a frame has


def _mtus_other_than(mtu: int, port: str) -> str | None:
    rows = [row for row in rackway.show("adjacencies") if row["port"] == port]
    wrong = [f"{row['next_hop']} has {row['mtu']}" for row in rows if row["mtu"] != mtu]
    return ", ".join(wrong) or (None if rows else "no neighbour")


def _set_mtu(topology: Topology, port: str, mtu: int) -> None:
    must(["ip", "-n", ROUTER_NAMESPACE, "link", "set", port, "mtu", str(mtu)])
    wait_until(f"{port} has MTU {mtu}", lambda: _mtus_other_than(mtu, port), _EPOCH_SECONDS)
    await_in_sync(topology, _EPOCH_SECONDS)


def _forget_path_mtus(host: Host) -> None:
    for family in ("-4", "-6"):
        must(["ip", family, "-n", host.namespace, "route", "flush", "cache"])


@contextlib.contextmanager
def small_port(topology: Topology) -> Iterator[tuple[Host, Host]]:
    """A sender, and a receiver behind another node's port that takes less than the sender's."""
    sender, receiver = topology.hosts[0], topology.hosts[-1]
    port = Node(receiver.number).port
    for family in (4, 6):
        must_ping(sender.namespace, receiver.address(family), count=2)  # both are resolved
    _set_mtu(topology, port, _SMALL_MTU)
    try:
        yield sender, receiver
    finally:
        _set_mtu(topology, port, _USUAL_MTU)
        _forget_path_mtus(sender)


def _expect_too_big(sender: Host, receiver: Host, family: int) -> None:
    """The first packet of full size is refused by the router, which names the MTU."""
    _forget_path_mtus(sender)
    options = ["-n", "-c1", "-W1", "-Mdo", "-s", str(_FULL_FRAME[family])]
    done = run(in_namespace(sender.namespace, ["ping", *options, receiver.address(family)]))
    line = rf"^From (\S+) icmp_seq=1 {_TOO_BIG[family]}.*mtu ?= ?(\d+)"
    said = re.search(line, done.stdout, re.MULTILINE)
    wanted = (sender.gateway(family), str(_SMALL_MTU))
    if not said or said.groups() != wanted:
        raise CheckFailed(
            f"{sender.name} to {receiver.name} over IPv{family}: expected {' '.join(wanted)}, "
            f"got {said[0] if said else done.stdout.splitlines()[1:2]}"
        )


def expect_errors_and_fragments(topology: Topology, sender: Host, receiver: Host) -> None:
    """RECEIVER is behind a small port. Asks nothing of the controller."""
    cluster_is_one_hop(topology)
    for family in (4, 6):
        _expect_too_big(sender, receiver, family)
        # Now the sender knows, and cuts for 1280 itself.
        must_ping(sender.namespace, receiver.address(family), count=3, size=_FRAGMENTED)
    # A sender that does not listen: frames of 1500 octets without DF.
    for size in (_FULL_FRAME[4], _FRAGMENTED):
        must_ping(sender.namespace, receiver.address(4), count=3, size=size, options=_MAY_BE_CUT)


def _generated() -> int:
    return sum(row["generated"] for row in rackway.show("nodes"))


def errors_and_fragments(topology: Topology) -> str:
    before = _generated()
    with small_port(topology) as (sender, receiver):
        expect_errors_and_fragments(topology, sender, receiver)
    wait_until(
        "what nodes sent of their own is counted",
        lambda: None if _generated() > before else "nothing yet",
        _COUNTED_SECONDS,
    )
    return f"MTU {_SMALL_MTU} at {Node(receiver.number).port} is named and cut for"
