# SPDX-License-Identifier: Apache-2.0
"""The router's routing daemon: FRR's zebra and bgpd in the router's namespace.

They run in the foreground with configuration, sockets and process ids of their own; /etc/frr and
the machine's frr service are never touched.
"""

from __future__ import annotations

import json
import shutil
import socket

from lab import processes
from lab.commands import must
from lab.errors import LabError
from lab.topology import (
    FPM_ADDRESS,
    FPM_PORT,
    LAB_DIRECTORY,
    ROUTER_AS,
    ROUTER_NAMESPACE,
    Topology,
)
from lab.waiting import wait_until

DIRECTORY = LAB_DIRECTORY / "frr"
_DAEMONS = "/usr/lib/frr"
_USER = "frr"
_ZEBRA_SOCKET = DIRECTORY / "zserv.api"
_ZEBRA_SECONDS = 10.0
KEPT_SECONDS = 30
DAEMON_NAMES = ("zebra", "bgpd")


def zebra_config(topology: Topology) -> str:
    """With FPM zebra tells its routes to the controller as well, by next-hop objects."""
    lines = ["hostname rackway", "log stdout informational"]
    if topology.fpm:
        lines += [f"fpm address {FPM_ADDRESS} port {FPM_PORT}", "fpm use-next-hop-groups"]
    return "\n".join([*lines, ""])


def bgpd_config(topology: Topology) -> str:
    """One eBGP session a family and host; intervals short enough to watch."""
    lines = [
        "hostname rackway",
        "log stdout informational",
        f"router bgp {ROUTER_AS}",
        " bgp router-id 10.0.1.1",
        " no bgp ebgp-requires-policy",
        " no bgp default ipv4-unicast",
        " timers bgp 3 9",
    ]
    for family in (4, 6):
        for host in topology.bgp_hosts:
            peer = host.address(family)
            lines.append(f" neighbor {peer} remote-as {host.autonomous_system}")
            lines.append(f" neighbor {peer} timers connect 5")
            lines.append(f" neighbor {peer} advertisement-interval 0")
    for family in (4, 6):
        lines.append(f" address-family ipv{family} unicast")
        lines += [f"  neighbor {host.address(family)} activate" for host in topology.bgp_hosts]
        lines.append(" exit-address-family")
    return "\n".join([*lines, "exit", ""])


def start(topology: Topology) -> None:
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    (DIRECTORY / "zebra.conf").write_text(zebra_config(topology))
    (DIRECTORY / "bgpd.conf").write_text(bgpd_config(topology))
    (DIRECTORY / "vtysh.conf").write_text("")
    for path in (DIRECTORY, *DIRECTORY.iterdir()):
        shutil.chown(path, _USER, _USER)
    start_daemon("zebra")
    # A bgpd that does not find zebra tries again only after ten seconds, knows no interface until
    # then, and refuses IPv6 routes with a link-local next hop.
    await_zebra()
    start_daemon("bgpd")


def await_zebra() -> None:
    """Until it listens to other daemons: a socket that a dead one has left is none."""

    def obstacle() -> str | None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            return None if client.connect_ex(str(_ZEBRA_SOCKET)) == 0 else "no socket"

    wait_until("zebra", obstacle, _ZEBRA_SECONDS)


def _fpm_options(name: str) -> list[str]:
    """For zebra, if its configuration has FPM: the module, and how long a new zebra lets routes be
    that it finds in the kernel of the one before it. Without that it withdraws all of them at once."""
    has_fpm = "\nfpm address" in (DIRECTORY / f"{name}.conf").read_text()
    # Not --module, which FRR 8.4 takes without its argument.
    return ["-M", "dplane_fpm_nl", "-K", str(KEPT_SECONDS)] if has_fpm else []


def start_daemon(name: str) -> None:
    processes.start(
        name,
        ROUTER_NAMESPACE,
        [
            f"{_DAEMONS}/{name}",
            *("--config_file", str(DIRECTORY / f"{name}.conf")),
            *("--pid_file", str(DIRECTORY / f"{name}.pid")),
            *("--socket", str(_ZEBRA_SOCKET)),
            *("--vty_socket", str(DIRECTORY)),
            *("--vty_port", "0"),
            *_fpm_options(name),
        ],
    )


def vtysh(command: str) -> str:
    """What FRR answers to COMMAND."""
    options = ["--vty_socket", str(DIRECTORY), "--config_dir", str(DIRECTORY)]
    return must(["vtysh", *options, "-c", command])


def bgp_sessions() -> list[dict]:
    """A row per BGP session: peer, family, state, received prefixes; none while bgpd is away."""
    try:
        summary = json.loads(vtysh("show bgp summary json"))
    except (LabError, json.JSONDecodeError):
        return []
    rows = []
    for family, key in ((4, "ipv4Unicast"), (6, "ipv6Unicast")):
        for peer, state in summary.get(key, {}).get("peers", {}).items():
            rows.append(
                {
                    "peer": peer,
                    "as": state["remoteAs"],
                    "family": family,
                    "state": state["state"],
                    "prefixes": state.get("pfxRcd", 0),
                }
            )
    return rows
