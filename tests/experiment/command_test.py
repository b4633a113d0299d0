# SPDX-License-Identifier: Apache-2.0
"""`rackway experiment` of the build, with small runs of the real programs. RACKWAY_BUILD_DIR says which."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from conftest import CHECKOUT, description
from lab.experiment.backends import BACKENDS

BIN = Path(os.environ.get("RACKWAY_BUILD_DIR") or CHECKOUT / "build").resolve() / "bin"
SMALL = {"port_rate": "1G", "warm_up_ms": 2, "time_ms": 3}


def call(folder, *words, environment=None):
    return subprocess.run(
        [BIN / "rackway", "experiment", *words], cwd=folder, env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=300)


def rows_of(folder, **changes):
    (folder / "x.json").write_text(json.dumps(description(**changes)))
    done = call(folder, "x.json", "--no-page")
    assert done.returncode == 0, done.stderr
    lines = (folder / "experiments" / "small" / "rows.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def repeat(folder, row):
    """What the command of a row prints now."""
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(row["command"], shell=True, cwd=folder / "experiments" / "small",
                          env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("backend", ["sim", "cluster"])
def test_a_run_finds_all_that_its_backend_does_and_is_repeated_by_its_command(tmp_path, backend):
    failure = {"name": "n3 dies", "fail": ["n3@3"], "repair": ["n3@4.5"]}
    runs = [{"backend": backend, "nodes": 3, "load": [0.5, 0.9], "matrix": "permutation", "hello_ms": 0.2,
             "failure": failure, "flowlets": "off", "seed": 7, **SMALL}]
    rows = rows_of(tmp_path, runs=runs)
    assert [row["error"] for row in rows] == [None, None]
    for row in rows:
        assert set(row["found"]) == set(BACKENDS[backend].metrics)
        assert row["found"]["dropped_link_down"] > 0
        report = repeat(tmp_path, row)
        assert BACKENDS[backend].found(report, row["parameters"]) == row["found"]


def test_simulator_and_cluster_are_offered_the_same(tmp_path):
    runs = [{"backend": ["sim", "cluster"], "load": [0.8], "mode": "direct", **SMALL}]
    plots = [{"title": "t", "x": "load", "y": "gbps", "series": "backend"}]
    rows = rows_of(tmp_path, runs=runs, plots=plots)
    sim, cluster = (repeat(tmp_path, row) for row in rows)
    assert sim["sent"] == cluster["sent"] and sim["sent"]["packets"] > 1000


def test_servers_against_ports(tmp_path):
    rows = rows_of(
        tmp_path,
        runs=[{"backend": "plan", "server": "rb-current", "port_rate": "10G", "cables": 8, "ports": [16, 64, 2048]}],
        plots=[{"title": "t", "x": "ports", "y": "servers"}])
    assert [row["found"] for row in rows] == [{"servers": 16}, {"servers": 192}, {}]


def test_what_a_program_refuses_is_the_error_of_its_row(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(description(
        runs=[{"backend": "plan", "server": "nix"}], plots=[{"title": "t", "x": "ports", "y": "servers"}])))
    assert call(tmp_path, "x.json", "--no-page").returncode == 1
    (line,) = (tmp_path / "experiments" / "small" / "rows.jsonl").read_text().splitlines()
    assert json.loads(line)["error"].startswith("exit code 2: there is no server model 'nix'")


@pytest.mark.parametrize("words, said", [
    (["--relay-ns", "5"], "costs of roles are the simulator's"),
    (["--sizes", "4000"], "frames have at most 1518 octets here"),
    (["--wat"], "--wat"),
])  # fmt: skip
def test_the_cluster_in_one_process_refuses_what_it_can_not_do(tmp_path, words, said):
    runs = [{"backend": "sim", "load": 0.5, **SMALL}]
    plots = [{"title": "t", "x": "load", "y": "gbps"}]
    rows_of(tmp_path, runs=runs, plots=plots)
    (document,) = (tmp_path / "experiments" / "small" / "documents").iterdir()
    done = subprocess.run([BIN / "bench_cluster", "run", document, *words], capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_a_folder_called_lab_where_the_user_is_is_not_meant(tmp_path):
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "__init__.py").write_text("raise SystemExit('the wrong one')")
    done = call(tmp_path, "--list")
    assert done.returncode == 0 and "throughput" in done.stdout


def test_without_a_checkout_it_says_what_is_missing(tmp_path):
    done = call(tmp_path, "--list", environment=os.environ | {"RACKWAY_CHECKOUT": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr == (
        f"there is no lab/experiment in {tmp_path}; set RACKWAY_CHECKOUT to a checkout of Rackway\n")
