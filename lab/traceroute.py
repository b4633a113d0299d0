# SPDX-License-Identifier: Apache-2.0
"""traceroute: the hops between a host and an address."""

from __future__ import annotations

import re

from lab.commands import in_namespace, must

_HOP = re.compile(r"^\s*\d+\s+(\S+)")


def hops(namespace: str, address: str) -> list[str]:
    """The addresses of the hops from NAMESPACE to ADDRESS, `*` for one that did not answer."""
    options = ["-n", "-q1", "-N1", "-w1", "-m", "8"]
    output = must(in_namespace(namespace, ["traceroute", *options, address]))
    found = [_HOP.match(line) for line in output.splitlines()[1:]]
    return [hop[1] for hop in found if hop]
