# SPDX-License-Identifier: Apache-2.0
"""What keeps the cluster from being as it should, and from having the routes that it had before.

Each answers in one line what is still missing, none when nothing is; for `wait_until`.
"""

from __future__ import annotations

from lab import frr, rackway
from lab.errors import LabError
from lab.topology import Topology

Routes = set[tuple]


def links_not_up() -> str | None:
    """The ends of fabric links that are not up."""
    rows = [row for row in rackway.show("fabric") if row["state"] != "up"]
    return ", ".join(f"{row['node']}-{row['peer']} {row['state']}" for row in rows) or None


def sessions_not_up(topology: Topology) -> str | None:
    """BGP sessions of the router."""
    sessions = frr.bgp_sessions()
    down = [row for row in sessions if row["state"] != "Established"]
    if down:
        return f"BGP session with {down[0]['peer']} is {down[0]['state']}"
    expected = 2 * len(topology.bgp_hosts)
    return None if len(sessions) == expected else f"{len(sessions)} BGP sessions of {expected}"


def not_settled() -> str | None:
    return None if rackway.show_cluster()["settled"] else "routes are kept unconfirmed"


def routes() -> Routes:
    """What identifies a route, without what may differ from run to run: numbers of groups, and
    which neighbours somebody has just asked for."""
    return {
        (
            row["prefix"],
            row["kind"],
            row["protocol"],
            tuple(sorted((hop["node"], hop["port"], hop["address"]) for hop in row["next_hops"])),
        )
        for row in rackway.show("routes")
        if row["protocol"] != "neighbor"
    }


def other_routes(before: Routes) -> str | None:
    """The routes are not those of BEFORE."""
    after = routes()
    lost, new = before - after, after - before
    if not lost and not new:
        return None
    return f"{len(lost)} routes are lost and {len(new)} new, e.g. {min(lost or new)}"


def not_as_before(topology: Topology, before: Routes) -> str | None:
    """Nodes in sync, links and sessions up, the routes those of BEFORE. The cheap ones first."""
    try:
        return (
            rackway.why_not_in_sync(topology)
            or links_not_up()
            or sessions_not_up(topology)
            or other_routes(before)
        )
    except LabError as error:  # nobody answers yet
        return str(error)
