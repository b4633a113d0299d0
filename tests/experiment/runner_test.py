# SPDX-License-Identifier: Apache-2.0
"""What is run, what is not run again, and what is left when something fails, hangs or is killed."""

import csv
import json
import os
import signal
import time

import pytest

from fake_rackway import FAILS, HANGS, PRINTS_NONSENSE, WAITS


def wait_until(holds, seconds=30):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_row_has_all_that_it_takes_to_repeat_it(bench):
    code, out, err = bench.run()
    assert (code, err) == (0, "")
    assert out == "small: 4 runs, 0 done already, 4 to do\n"
    rows = bench.rows()
    assert len(rows) == len({row["key"] for row in rows}) == 4
    row = rows[0]
    assert row["experiment"] == "small" and row["error"] is None and row["took_seconds"] > 0
    assert row["parameters"]["load"] == 0.5 and row["parameters"]["mode"] == "adaptive"
    assert row["found"]["goodput_percent"] == 99 and row["found"]["link_mean_percent"] == 50
    assert row["found"]["link_fullest_percent"] == 75 and row["found"]["core_use_percent"] == 40
    assert row["found"]["gbps"] == pytest.approx(99_000 * 8 / 0.05 / 1e9)
    assert row["found"]["outage_ms"] == pytest.approx(0.5)
    assert row["started"].endswith("+00:00")
    program = row["program"]
    assert program["version"] == "rackway 9.9" and len(program["digest"]) == 16
    assert set(program) == {"digest", "programs", "version", "commit", "changed", "machine"}
    words = row["command"].split()
    assert words[:2] == ["rackway", "sim"] and "--load 0.5" in row["command"]
    document = json.loads((bench.rows_file.parent / words[2]).read_text())
    assert [node["name"] for node in document["nodes"]] == ["n1", "n2", "n3", "n4"]
    assert len(document["fabric"]["links"]) == 6
    assert {link["rate"] for link in document["fabric"]["links"]} == {"5000M"}


def test_the_same_rows_as_a_table(bench):
    bench.runs_with_seeds(1, FAILS)
    bench.run()
    with open(bench.rows_file.with_name("rows.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["1", str(FAILS)]
    assert rows[0]["goodput_percent"] == "99.0" and rows[0]["error"] == ""
    assert rows[1]["goodput_percent"] == "" and "no way" in rows[1]["error"]
    assert rows[0]["command"].startswith("rackway sim documents/")


def test_what_is_done_is_not_done_again(bench):
    bench.run()
    bench.write(runs=[{"backend": "sim", "load": [0.5, 0.75, 1], "seed": [1, 2]}])
    code, out, _ = bench.run()
    assert (code, out) == (0, "small: 6 runs, 4 done already, 2 to do\n")
    assert len(bench.build.seeds()) == 6
    assert bench.run()[1] == "small: 6 runs, 6 done already, 0 to do\n"
    assert len(bench.build.seeds()) == 6


def test_another_program_does_it_anew(bench):
    bench.run()
    bench.build.change("second")
    assert bench.run()[1] == "small: 4 runs, 0 done already, 4 to do\n"
    assert len({row["program"]["digest"] for row in bench.rows()}) == 2


def test_a_run_that_fails_is_a_row_and_the_rest_goes_on(bench):
    bench.runs_with_seeds(1, FAILS, 2, PRINTS_NONSENSE, HANGS, 3)
    code, _, err = bench.run("--run-seconds", "5")
    assert code == 1 and err == "3 runs failed; rows.jsonl has why\n"
    errors = {row["parameters"]["seed"]: row["error"] for row in bench.rows()}
    assert {seed for seed, error in errors.items() if error is None} == {1, 2, 3}
    assert errors[FAILS] == "exit code 3: no way"
    assert errors[PRINTS_NONSENSE].startswith("what it printed is not understood: JSONDecodeError")
    assert errors[HANGS] == "no end after 5 s"
    hung = next(pid for word, seed, pid in bench.build.said() if seed == HANGS)
    assert not is_alive(hung)


def test_what_failed_is_tried_again_and_its_latest_row_counts(bench):
    bench.runs_with_seeds(1, FAILS)
    assert bench.run()[0] == 1
    code, out, _ = bench.run()
    assert (code, out) == (1, "small: 2 runs, 1 done already, 1 to do\n")
    assert bench.build.seeds() == [1, FAILS, FAILS]
    with open(bench.rows_file.with_name("rows.csv"), newline="") as file:
        assert len(list(csv.DictReader(file))) == 2


def test_a_program_that_is_not_there_is_a_fault_not_a_row(bench):
    (bench.build.folder / "bin" / "rackway").unlink()
    code, _, err = bench.run()
    assert code == 1 and err.count("\n") == 1 and "is not built: ./dev build" in err


def test_one_at_a_time(bench):
    bench.runs_with_seeds(1, 2, 3)
    bench.run()
    assert [word for word, *_ in bench.build.said()] == ["begin", "end"] * 3


def test_several_at_a_time_when_asked(bench):
    bench.runs_with_seeds(*range(WAITS, WAITS + 5))
    process = bench.start("small.json", "--no-page", "--jobs", "4")
    wait_until(lambda: len(bench.build.said()) == 4)
    bench.build.let_go()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert [word for word, *_ in bench.build.said()][:5] == ["begin"] * 4 + ["end"]


def test_a_kill_in_the_middle_loses_what_was_under_way_and_no_more(bench):
    seeds = [1, 2, WAITS, 3, 4, 5]
    bench.runs_with_seeds(*seeds)
    process = bench.start("small.json", "--no-page")
    wait_until(lambda: WAITS in bench.build.seeds())
    process.kill()
    process.communicate()
    assert [row["parameters"]["seed"] for row in bench.rows()] == [1, 2]
    # The run under way ends with the one who asked for it.
    wait_until(lambda: not is_alive(bench.build.said()[-1][2]))
    bench.build.let_go()
    assert bench.run()[1] == "small: 6 runs, 2 done already, 4 to do\n"
    assert [row["parameters"]["seed"] for row in bench.rows()] == seeds


def test_half_a_line_is_taken_off(bench):
    bench.run()
    whole = bench.rows_file.read_bytes()
    bench.rows_file.write_bytes(whole[:-20])
    assert bench.run()[1] == "small: 4 runs, 3 done already, 1 to do\n"
    assert len(bench.rows()) == 4


def test_a_line_that_is_no_row_is_refused_and_left_alone(bench):
    bench.run()
    whole = b'{"key": "a"}\n' + bench.rows_file.read_bytes()
    bench.rows_file.write_bytes(whole)
    code, _, err = bench.run()
    assert code == 1 and "line 1 is no row" in err
    assert bench.rows_file.read_bytes() == whole


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_programs_and_keeps_the_rows(bench, number):
    bench.runs_with_seeds(1, HANGS, 2)
    process = bench.start("small.json", "--no-page")
    wait_until(lambda: HANGS in bench.build.seeds())
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "rackway experiment: interrupted; what is done is kept\n"
    assert [row["parameters"]["seed"] for row in bench.rows()] == [1]
    assert not is_alive(bench.build.said()[-1][2])
    assert bench.rows_file.with_name("rows.csv").read_text().count("\n") == 2


def test_two_at_once_do_not_mix(bench):
    bench.runs_with_seeds(HANGS)
    process = bench.start("small.json", "--no-page")
    try:
        wait_until(lambda: bench.build.seeds() == [HANGS])
        code, _, err = bench.run()
        assert code == 1 and "another command works in experiments/small" in err
    finally:
        process.terminate()
        process.communicate()


def test_a_dry_run_lists_and_does_nothing(bench):
    bench.runs_with_seeds(1, 2)
    bench.run()
    bench.runs_with_seeds(1, 3)
    code, out, _ = bench.call("small.json", "--dry-run")
    lines = out.splitlines()
    assert code == 0 and lines[0] == "small: 2 runs, 1 to do"
    assert lines[1].split()[0] == "done" and "--seed 1" in lines[1]
    assert lines[2].split()[:2] == ["to", "do"] and "--seed 3" in lines[2]
    assert bench.build.seeds() == [1, 2]
    assert len(bench.rows()) == 2


def test_a_dry_run_leaves_no_folder(bench):
    assert bench.call("small.json", "--dry-run")[0] == 0
    assert not (bench.folder / "experiments").exists()


def test_more_runs_than_meant_are_refused_before_any_is_done(bench):
    code, out, err = bench.run("--most-runs", "3")
    assert (code, out) == (2, "")
    assert err == "these are 4 runs, more than 3; allow them with --most-runs\n"
    assert bench.build.seeds() == []


def test_nothing_moves_on_what_is_no_terminal(bench):
    _, out, err = bench.run()
    assert "\r" not in out + err


def test_where_nothing_can_be_written_is_one_line(bench):
    (bench.folder / "file").write_text("")
    code, _, err = bench.run("--out", "file")
    assert code == 1 and err.count("\n") == 1 and "can not write" in err
