# SPDX-License-Identifier: Apache-2.0
"""2 MB pages reserved for a run and given back at its end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.bench.forward.faults import BenchFault

_PAGES = Path("/sys/kernel/mm/hugepages/hugepages-2048kB")


def _read(name: str) -> int:
    return int((_PAGES / name).read_text())


@contextlib.contextmanager
def reserved(pages: int) -> Iterator[None]:
    """At least PAGES free ones; those added go again, and no others."""
    before = _read("nr_hugepages")
    missing = max(0, pages - _read("free_hugepages"))
    number = _PAGES / "nr_hugepages"
    try:
        if missing:
            number.write_text(str(before + missing))
        if _read("free_hugepages") < pages:
            raise BenchFault(f"needs {pages} free hugepages of 2 MB; free memory and try again")
        yield
    finally:
        added = _read("nr_hugepages") - before
        if missing and added > 0:
            number.write_text(str(max(0, _read("nr_hugepages") - min(added, missing))))
