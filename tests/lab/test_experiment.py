# SPDX-License-Identifier: Apache-2.0
"""`rackway experiment` with a lab for each run: measured, and gone afterwards."""

from __future__ import annotations

import json
import subprocess

from lab import lifecycle
from lab.commands import program

_PLOT = {"title": "t", "x": "traffic", "y": "tcp_gbps", "where": {"traffic": "tcp"}}
_RUNS = [
    {"backend": "lab", "nodes": 2, "mode": "direct", "traffic": "tcp", "seconds": 1},
    {"backend": "lab", "nodes": 3, "traffic": "datagrams", "dies": "node", "seconds": 2},
]


def test_a_lab_for_each_run(tmp_path):
    if lifecycle.exists():
        lifecycle.down()
    file = tmp_path / "x.json"
    whole = {"name": "x", "title": "t", "about": "a", "runs": _RUNS, "plots": [_PLOT]}
    file.write_text(json.dumps(whole))
    done = subprocess.run(
        [program("rackway"), "experiment", file, "--no-page", "--jobs", "2"],
        cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=180,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "experiments" / "x" / "rows.jsonl").read_text().splitlines()
    tcp, datagrams = (json.loads(line)["found"] for line in lines)
    assert tcp["tcp_gbps"] >= tcp["tcp_gbps_least"] > 0
    # Everything to or from the node that died was lost for half of the time.
    assert datagrams["lost_percent"] > datagrams["bystanders_lost_percent"]
    assert datagrams["lost_percent"] > 20
    assert not lifecycle.exists()
