# SPDX-License-Identifier: Apache-2.0
"""What an experiment can vary. A backend takes some of these; bounds that are a backend's own are there.

The words and the bounds are those of `rackway sim` where it has them, times are milliseconds of virtual
time from the start of the run, sizes octets of Ethernet frames with check sequence.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.experiment import values
from lab.experiment.values import Kind

MATRICES = ("uniform", "permutation", "hot-spot", "worst-direct", "gravity", "adversarial")
MODES = ("adaptive", "direct", "valiant", "direct-vlb")
LINKS_OF_2R_N = "2r/N"


@dataclass(frozen=True)
class Parameter:
    label: str  # of an axis
    kind: Kind
    default: object


_MILLISECONDS = values.number(0, 3_600_000)
_NANOSECONDS = values.number(0, 1e6)

PARAMETERS: dict[str, Parameter] = {
    "nodes": Parameter("Nodes with external ports", values.whole(1, 1024), 4),
    "shape": Parameter(
        "Shape of the fabric",
        values.matching(r"mesh|butterfly-[2-9]x[1-9]", "mesh, or a butterfly such as butterfly-2x3"),
        "mesh",
    ),
    "port_rate": Parameter("External rate of a node", values.RATE, "10G"),
    "link_rate": Parameter(
        "Rate of a fabric link", values.either(values.one_of(LINKS_OF_2R_N), values.RATE), LINKS_OF_2R_N
    ),
    "matrix": Parameter("Traffic matrix", values.one_of(*MATRICES), "uniform"),
    "load": Parameter("Offered load (share of what is admissible)", values.number(0.001, 1), 0.8),
    "size": Parameter(
        "Frame size (octets)", values.either(values.one_of("imix"), values.whole(64, 9238)), "imix"
    ),
    "flows": Parameter("Flows", values.one_of("heavy-tailed", "steady"), "heavy-tailed"),
    "flows_per_pair": Parameter("Flows of a pair of nodes", values.whole(1, 65_536), 64),
    "mode": Parameter("Steering", values.one_of(*MODES), "adaptive"),
    "flowlets": Parameter("Flowlets", values.FLOWLETS, "on"),
    "hello_ms": Parameter("Hello interval (ms)", values.number(0.01, 10_000), 10),
    "failure": Parameter("Failure", values.FAILURE, "none"),
    "ingress_ns": Parameter("A core's time for a packet that enters (ns)", _NANOSECONDS, 0),
    "relay_ns": Parameter("A core's time for a packet that is relayed (ns)", _NANOSECONDS, 0),
    "egress_ns": Parameter("A core's time for a packet that leaves (ns)", _NANOSECONDS, 0),
    "warm_up_ms": Parameter("Time at which measuring begins (ms)", _MILLISECONDS, 50),
    "time_ms": Parameter("Measured time (ms)", values.number(0.001, 3_600_000), 50),
    "seed": Parameter("Seed", values.whole(0, 2**63 - 1), 1),
    "ports": Parameter("External ports", values.whole(1, 4096), 4),
    "server": Parameter(
        "Server model", values.matching(r"[A-Za-z0-9._-]{1,40}", "a name of the catalogue"), "r760"
    ),
    "cables": Parameter("Cables of a link, at most", values.whole(1, 64), 1),
    "traffic": Parameter("Traffic between hosts", values.one_of("tcp", "datagrams"), "tcp"),
    "seconds": Parameter("Measured time (s)", values.whole(1, 60), 3),
    "datagrams": Parameter("Datagrams a second of each flow", values.whole(1, 1000), 50),
    "dies": Parameter("Failure", values.one_of("nothing", "node"), "nothing"),
}
