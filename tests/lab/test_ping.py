# SPDX-License-Identifier: Apache-2.0
"""Reading what ping prints. Needs neither root nor a running lab."""

from __future__ import annotations

from lab.ping import _parse

_OUTPUT = """\
PING 10.0.2.2 (10.0.2.2) 56(84) bytes of data.
64 bytes from 10.0.2.2: icmp_seq=1 ttl=63 time=9.50 ms
64 bytes from 10.0.2.2: icmp_seq=2 ttl=63 time=0.40 ms
64 bytes from 10.0.2.2: icmp_seq=4 ttl=62 time=0.60 ms

--- 10.0.2.2 ping statistics ---
5 packets transmitted, 3 received, 40% packet loss, time 81ms
"""


def test_the_last_request_is_not_judged() -> None:
    result = _parse(_OUTPUT, unjudged=1)
    assert (result.sent, result.received, result.lost) == (4, 3, 1)
    assert result.ttls == {62, 63}


def test_replies_to_requests_that_are_not_judged_do_not_count() -> None:
    result = _parse(_OUTPUT, unjudged=2)
    assert (result.sent, result.received, result.lost) == (3, 2, 1)


def test_the_median_leaves_the_first_out() -> None:
    assert _parse(_OUTPUT, unjudged=1).median_ms == 0.5


def test_a_ping_that_printed_nothing_sent_nothing() -> None:
    result = _parse("", unjudged=1)
    assert (result.sent, result.received, result.median_ms) == (0, 0, None)
