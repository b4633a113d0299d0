# SPDX-License-Identifier: Apache-2.0
"""The neighbours' routing daemon: BIRD 2 in the namespaces of the BGP hosts.

Each announces its prefixes with itself as next hop over an IPv4 and an IPv6 session. There is no
`protocol kernel`, so the routes it learns never reach the host's kernel.
"""

from __future__ import annotations

import shutil

from lab import prefixes, processes
from lab.commands import in_namespace, must
from lab.topology import LAB_DIRECTORY, ROUTER_AS, Host, Topology

DIRECTORY = LAB_DIRECTORY / "bird"
HOLD_SECONDS = 9
_USER = "bird"


def process_name(host: Host) -> str:
    return f"bird-{host.name}"


def origin(family: int) -> str:
    """The BIRD protocol that originates a host's prefixes of FAMILY 4 or 6."""
    return f"origin{family}"


def _static(host: Host, family: int) -> list[str]:
    announced = (prefixes.ipv4_prefixes if family == 4 else prefixes.ipv6_prefixes)(host.number)
    return [
        f"protocol static {origin(family)} {{",
        f"  ipv{family};",
        *(f"  route {prefix} unreachable;" for prefix in announced),
        "}",
    ]


def _session(host: Host, family: int, hold_seconds: int) -> list[str]:
    return [
        f"protocol bgp router{family} {{",
        f"  local {host.address(family)} as {host.autonomous_system};",
        f"  neighbor {host.gateway(family)} as {ROUTER_AS};",
        f"  hold time {hold_seconds}; keepalive time {hold_seconds // 3};",
        "  connect retry time 2; connect delay time 1; error wait time 1, 5;",
        f"  ipv{family} {{",
        "    import all;",
        f'    export where proto = "{origin(family)}";',
        "    next hop self;",
        "  };",
        "}",
    ]


def config(host: Host, hold_seconds: int = HOLD_SECONDS) -> str:
    lines = [
        "log stderr all;",
        f"router id {host.address(4)};",
        "protocol device { }",
    ]
    for family in (4, 6):
        lines += [*_static(host, family), *_session(host, family, hold_seconds)]
    return "\n".join([*lines, ""])


def start(topology: Topology) -> None:
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    shutil.chown(DIRECTORY, _USER, _USER)
    for host in topology.bgp_hosts:
        (DIRECTORY / f"{host.name}.conf").write_text(config(host))
        start_daemon(host)


def start_daemon(host: Host) -> None:
    processes.start(
        process_name(host),
        host.namespace,
        [
            *("bird", "-f", "-u", _USER, "-g", _USER),
            *("-c", str(DIRECTORY / f"{host.name}.conf")),
            *("-s", str(DIRECTORY / f"{host.name}.ctl")),
            *("-P", str(DIRECTORY / f"{host.name}.pid")),
        ],
    )


def set_hold_time(host: Host, seconds: int) -> None:
    """Restarts the host's sessions with that hold time."""
    (DIRECTORY / f"{host.name}.conf").write_text(config(host, seconds))
    control(host, "configure")


def control(host: Host, command: str) -> str:
    """What the host's BIRD answers to COMMAND, e.g. `disable origin4`."""
    return must(
        in_namespace(host.namespace, ["birdc", "-s", str(DIRECTORY / f"{host.name}.ctl"), command])
    )
