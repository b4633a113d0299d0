# SPDX-License-Identifier: Apache-2.0
"""What is measured: works, and for each the programs that do it, in the order of a round."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """One way to run one program. PACKETS and TABLE are names of forward_tables."""

    name: str
    kind: str  # node, l3fwd, testpmd
    packets: str
    duty: str = ""  # of the node; for testpmd its forwarding mode; for l3fwd its lookup
    table: str | None = None
    simd_bits: int | None = None
    pcap: bool = False
    loads_for_minutes: bool = False
    keeps_all: bool = True  # every packet received is sent
    beside: str = "nothing"  # of the node: what another core does meanwhile
    static: bool = False  # the node with DPDK linked in, as the product is


@dataclass(frozen=True)
class Work:
    key: str
    text: str
    programs: tuple[Program, ...]
    inputs: tuple[str, ...]  # of forward_tables


OURS, IO, MAC = "rackway", "testpmd io", "testpmd mac"
LPM, FIB, FIB_512 = "l3fwd LPM", "l3fwd FIB", "l3fwd FIB AVX-512"
BARE = "io, in our program"
STATIC = "rackway, DPDK linked in"
BARE_STATIC = "io, in our program, DPDK linked in"
VIA_PCAP = ", pcap"
LOCAL, TO_FABRIC, HALF = "rackway, all to ports", "rackway, all to fabric", "rackway, half to fabric"


AT_REST, LOADING = "rackway, at rest", "rackway, while a full table loads"
UPDATES = "rackway, while 10,000 updates a second apply"
NEIGHBOR = "rackway, while another core moves memory"


def _node(packets: str, duty: str, name: str = OURS, table: str | None = None, **more) -> Program:
    return Program(name, "node", packets, duty, table, **more)


def _io(packets: str, **more) -> Program:
    return Program(IO, "testpmd", packets, "io", **more)


def _l3fwd(packets: str, slow_lpm: bool = False) -> tuple[Program, ...]:
    return (
        Program(LPM, "l3fwd", packets, "lpm", packets, loads_for_minutes=slow_lpm),
        Program(FIB, "l3fwd", packets, "fib", packets),
        Program(FIB_512, "l3fwd", packets, "fib", packets, simd_bits=512),
    )


def _via_pcap(table: str) -> tuple[Program, ...]:
    return (
        _node("pcap", "routed", OURS + VIA_PCAP, table, pcap=True),
        Program(LPM + VIA_PCAP, "l3fwd", "pcap", "lpm", table, pcap=True),
        Program(IO + VIA_PCAP, "testpmd", "pcap", "io", pcap=True),
    )


WORKS = (
    Work("W1", "16 routes of IPv4",
         (_node("few", "routed", table="few"), *_l3fwd("few"), _io("few"),
          Program(MAC, "testpmd", "few", "mac"), _node("few", "bare", BARE),
          _node("few", "routed", STATIC, "few", static=True),
          _node("few", "bare", BARE_STATIC, static=True), *_via_pcap("few")),
         ("few",)),
    Work("W2", "about a million routes of IPv4",
         (_node("full", "routed", table="full"), *_l3fwd("full", slow_lpm=True), _io("full"),
          Program(MAC, "testpmd", "full", "mac")),
         ("full",)),
    Work("W3", "about 200 thousand routes of IPv6",
         (_node("full6", "routed", table="full6"), *_l3fwd("full6"), _io("full6")),
         ("full6",)),
    Work("W4", "as W2, packets leave by the fabric",
         (_node("full", "routed", LOCAL, "full"), _node("full", "to-fabric", TO_FABRIC, "full"),
          _node("full", "half-fabric", HALF, "full"), _io("full")),
         ("full",)),
    Work("W5", "relay: from fabric to fabric", (_node("relay", "relay"), _io("relay")), ("relay",)),
    Work("W6", "egress: from fabric to ports", (_node("egress", "egress"), _io("egress")),
         ("egress",)),
    Work("W7", "as W2, 1,000 next hops in groups of 4, every tenth packet punted under policing",
         (_node("groups", "groups", table="groups", keeps_all=False), _io("groups")),
         ("groups",)),
    Work("W8", "as W2, while another core changes the FIB, or only moves memory about",
         tuple(_node("full", "routed", name, "full", beside=load)
               for name, load in ((AT_REST, "nothing"), (LOADING, "loading"), (UPDATES, "updates"),
                                  (NEIGHBOR, "memory"))),
         ("full",)),
)
WORK_KEYS = tuple(work.key for work in WORKS)
