# SPDX-License-Identifier: Apache-2.0
"""The prefixes that the BGP hosts announce: made up, always the same, no two overlapping.

Host H draws IPv4 prefixes of 22 to 28 bits from its /11 of 100.64.0.0/10 and IPv6 prefixes of 48
to 64 bits from its /36 of 2001:db8:8000::/33. A few of them have a living address in them, so that
traffic over learnt routes can be tried.
"""

from __future__ import annotations

import ipaddress

IPV4_COUNT = 2000
IPV6_COUNT = 1000
ALIVE_EVERY = 700  # one prefix in so many has an address that answers

_IPV4_SLOT_BITS = 22  # each IPv4 prefix lies alone in a /22
_IPV6_SLOT_BITS = 48


def ipv4_prefixes(host_number: int, count: int = IPV4_COUNT) -> list[ipaddress.IPv4Network]:
    base = int(ipaddress.IPv4Address("100.64.0.0")) + ((host_number - 1) << (32 - 11))
    return [
        ipaddress.IPv4Network((base + (i << (32 - _IPV4_SLOT_BITS)), 22 + i % 7))
        for i in range(count)
    ]


def ipv6_prefixes(host_number: int, count: int = IPV6_COUNT) -> list[ipaddress.IPv6Network]:
    base = int(ipaddress.IPv6Address("2001:db8:8000::")) + ((host_number - 1) << (128 - 36))
    return [
        ipaddress.IPv6Network((base + (i << (128 - _IPV6_SLOT_BITS)), 48 + 4 * (i % 5)))
        for i in range(count)
    ]


def living_addresses(host_number: int) -> list[str]:
    """The addresses of host HOST_NUMBER that lie in prefixes it announces, both families."""
    announced = [*ipv4_prefixes(host_number), *ipv6_prefixes(host_number)]
    return [str(prefix[1]) for prefix in announced[::ALIVE_EVERY]]
