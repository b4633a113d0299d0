# SPDX-License-Identifier: Apache-2.0
"""A build whose `rackway` is a script: what it does goes by the seed that it is given."""

from __future__ import annotations

import json
import sys
from pathlib import Path

FAILS, PRINTS_NONSENSE, HANGS = 101, 102, 103
WAITS = 104  # and all above: until it is let go

_REPORT = {
    "sent": {"packets": 1000, "octets": 100_000},
    "arrived": {"packets": 990, "octets": 99_000},
    "goodput": 0.99,
    "straight": 0.5,
    "reordered": 0.001,
    "reordering_extent": {"99.9": 3},
    "latency_us": {"50": 5.0, "99": 9.0, "99.9": 12.0},
    "dropped": {
        cause: 0
        for cause in ("node_busy", "no_path", "link_down", "link_full", "port_full", "hops_spent")
    },
    "core_use": [0.1, 0.4],
    "events": 12345,
    "links": [
        {"load": 0.25, "largest_queue_octets": 1024},
        {"load": 0.75, "largest_queue_octets": 2048},
    ],
}

_SCRIPT = """\
#!{python}
import json, os, sys, time
words = sys.argv[1:]
if words == ["--version"]:
    print("rackway 9.9")
    sys.exit()
seed = int(words[words.index("--seed") + 1])
assert os.path.exists(words[1]), "no document"
def say(what):
    descriptor = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{{what}} {{seed}} {{os.getpid()}}\\n".encode())
say("begin")
if seed == {fails}:
    print("no", "way", file=sys.stderr)
    sys.exit(3)
if seed == {hangs}:
    time.sleep(600)
while seed >= {waits} and not os.path.exists({gate!r}):
    time.sleep(0.01)
print("{{" if seed == {nonsense} else {report!r})
say("end")
# {variant}
"""


class FakeBuild:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log, self._gate = folder / "log", folder / "gate"
        (folder / "bin").mkdir(parents=True)
        self.change("first")

    def change(self, variant: str) -> None:
        """Another program that does the same."""
        path = self.folder / "bin" / "rackway"
        path.write_text(
            _SCRIPT.format(
                python=sys.executable, log=str(self._log), fails=FAILS, nonsense=PRINTS_NONSENSE,
                hangs=HANGS, waits=WAITS, gate=str(self._gate), report=json.dumps(_REPORT), variant=variant,
            )  # fmt: skip
        )
        path.chmod(0o755)

    def let_go(self) -> None:
        """Those that wait, and those to come."""
        self._gate.touch()

    def said(self) -> list[tuple[str, int, int]]:
        """What it was at, the seed, the process."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [(word, int(seed), int(pid)) for word, seed, pid in map(str.split, lines)]

    def seeds(self) -> list[int]:
        """Of the runs that were begun, in that order."""
        return [seed for word, seed, _ in self.said() if word == "begin"]
