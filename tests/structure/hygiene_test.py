# SPDX-License-Identifier: Apache-2.0
"""Names, first lines, sizes and what may not be left behind; and that a breach of each is seen."""

import pytest

import hygiene_rules as rules
from repository import read_files

GOOD = rules.SPDX + "\n// What it is.\n#pragma once\n\nint x;\n"
CHECKS = [rules.empty_name_faults, rules.first_line_faults, rules.pragma_once_faults,
          rules.mark_faults, rules.machine_path_faults, rules.wall_clock_faults,
          rules.size_faults]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_checkout_keeps_to_the_rules(check):
    assert check(read_files()) == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_good_file_passes(check):
    assert check({"fib/prefix_table.hh": GOOD, "fib/manage.cc": GOOD, "docs/x.md": "# x\n"}) == []


@pytest.mark.parametrize("path, named", [
    ("util/x.cc", "util"), ("base/common.hh", "base/common.hh"), ("fib/fib_utils.cc", "fib/fib_utils.cc"),
    ("misc/a/b.py", "misc"), ("node/port_manager.hh", "node/port_manager.hh"),
    ("tests/helpers/x.py", "tests/helpers"), ("lab/test-helper.sh", "lab/test-helper.sh"),
    ("control/Manager.cc", "control/Manager.cc"),
])
def test_names_that_say_nothing_are_seen(path, named):
    assert rules.empty_name_faults({path: ""}) == [f"{named}: its name does not say what is in it"]


@pytest.mark.parametrize("text", [
    "", "\n" + GOOD, "#pragma once\n" + GOOD, GOOD.replace("Apache-2.0", "MIT"), " " + GOOD])
def test_a_missing_licence_line_is_seen(text):
    assert len(rules.first_line_faults({"fib/x.hh": text})) == 1
    assert len(rules.first_line_faults({"fib/x.cc": text})) == 1


def test_a_header_without_pragma_once_is_seen():
    bad = GOOD.replace("#pragma once", "// #pragma once")
    assert rules.pragma_once_faults({"fib/x.hh": bad, "fib/x.cc": bad}) == [
        "fib/x.hh: has no #pragma once"]


@pytest.mark.parametrize("mark", ["TO" + "DO", "FIX" + "ME", "X" * 3])
@pytest.mark.parametrize("path", ["fib/x.hh", "fib/x.cc", "lab/x.py", "CMakeLists.txt"])
def test_work_left_for_later_is_seen(path, mark):
    assert rules.mark_faults({path: f"a\n# {mark}: b\n"}) == [f"{path}:2: work left for later: {mark}"]


def test_a_template_of_a_file_name_is_no_mark():
    assert rules.mark_faults({"fib/x.cc": '"dir_' + "X" * 6 + '"'}) == []


@pytest.mark.parametrize("code, seen", [
    ("std::chrono::system_clock::now()", "system_clock"), ("gettimeofday(&now, nullptr)", "gettimeofday"),
    ("clock_gettime(CLOCK_REALTIME, &now)", "CLOCK_REALTIME"), ("time(nullptr)", "time(nullptr)"),
    ("std::time(&now)", "std::time(&now)"), ("sem_timedwait(&s, &until)", "sem_timedwait"),
    ("high_resolution_clock::now()", "high_resolution_clock")])
def test_a_clock_that_may_be_set_is_seen(code, seen):
    assert rules.wall_clock_faults({"node/x.cc": f"a\n  x = {code};\n", "tests/x.cc": code}) == [
        f"node/x.cc:2: a clock that may be set: {seen}"]


def test_a_clock_that_may_be_set_is_seen_in_the_lab():
    files = {"lab/x.py": "a = time.time()\nb = time.monotonic()\n", "tests/x.py": "time.time()"}
    assert rules.wall_clock_faults(files) == ["lab/x.py:1: a clock that may be set: time.time("]


@pytest.mark.parametrize("code", [
    "steady_clock::now()", "CLOCK_MONOTONIC", "arrival_time(0)", "x.time(0)", "at->time(0)"])
def test_clocks_that_only_go_on_are_not_meant(code):
    assert rules.wall_clock_faults({"node/x.cc": code}) == []


@pytest.mark.parametrize("folder", ["work", "home"])
def test_a_path_of_one_machine_is_seen(folder):
    for before in ("", '"', " ", "-I", "="):
        assert len(rules.machine_path_faults({"docs/x.md": f"{before}/{folder}/someone"})) == 1
    for text in (f"a/{folder}/b", f"../{folder}/b", f"${{x}}/{folder}/b", f"~/{folder} {folder}/"):
        assert rules.machine_path_faults({"docs/x.md": text}) == []


def test_a_long_file_is_seen():
    assert rules.size_faults({"fib/x.cc": "x\n" * 500}) == []
    assert rules.size_faults({"fib/x.cc": "x\n" * 501}) == ["fib/x.cc: 501 lines, over 500"]
    assert rules.size_faults({"lab/table.json": "x\n" * 501}) == []
