# SPDX-License-Identifier: Apache-2.0
"""What `./dev bench forward` makes of what it measured, without measuring."""

import json

import pytest

from tests.bench.forward import start, works as w
from tests.bench.forward.faults import BenchFault
from tests.bench.forward.figures import Figures, comparisons
from tests.bench.forward.peers import _change
from tests.bench.forward.start import Outcome
from tests.bench.forward.works import WORKS, Program

PEER = Program("peer", "l3fwd", "few", "lpm", "few")
NODE = Program("node", "node", "few", "routed", "few")
PUNTING = Program("node", "node", "groups", "groups", "groups", keeps_all=False)


def window(cycles, cpu_cycles=None, packets=100):
    return {"packets": packets, "cycles": cycles, "cpu_seconds": (cpu_cycles or cycles) / 1000}


def result(*windows, received=1_000_000, sent=1_000_000):
    return {"hz": 1000, "received": received, "sent": sent, "windows": list(windows)}


def log_of(tmp_path, **counters):
    own = {"received": 10, "sent": 10, "punted": 0, "dropped": {}, "changes_a_second": 0, **counters}
    log = tmp_path / "log"
    log.write_text("a line of DPDK\n" + json.dumps(own) + "\n")
    return log


def figures_of(*found):
    figures = Figures()
    for work, program, cycles in found:
        figures.add(work, program, Outcome(cycles, 1000 / cycles, 0))
    return figures


def test_a_start_is_the_median_of_its_windows(tmp_path):
    outcome = start._judge(PEER, result(window(5000), window(2000), window(3000)), tmp_path / "log")
    assert (outcome.cycles, outcome.disturbed) == (30, 0)
    assert outcome.mpps == pytest.approx(1000 / 30 / 1e6)


def test_windows_in_which_another_thread_had_the_core_are_left_out(tmp_path):
    windows = window(2000), window(9000, cpu_cycles=8000), window(2100), window(8000, cpu_cycles=100)
    outcome = start._judge(PEER, result(*windows), tmp_path / "log")
    assert (outcome.cycles, outcome.disturbed) == (20.5, 2)


def test_when_no_window_was_undisturbed_all_count(tmp_path):
    windows = window(4000, cpu_cycles=100), window(2000, cpu_cycles=100)
    assert start._judge(PEER, result(*windows), tmp_path / "log").cycles == 30


@pytest.mark.parametrize("sent", [900_000, 1_100_000])
def test_who_does_not_send_what_it_received_is_refused(tmp_path, sent):
    (tmp_path / "log").write_text("why\n")
    with pytest.raises(BenchFault, match="received 1000000 packets and sent"):
        start._judge(PEER, result(window(1), sent=sent), tmp_path / "log")


def test_packets_under_way_are_not_lost_ones(tmp_path):
    start._judge(PEER, result(window(1), sent=1_000_000 - 1024), tmp_path / "log")


def test_a_node_whose_counters_do_not_add_up_is_refused(tmp_path):
    start._judge(NODE, result(window(1)), log_of(tmp_path))
    with pytest.raises(BenchFault, match="lost"):
        start._judge(NODE, result(window(1)), log_of(tmp_path, received=11))


def test_a_node_that_drops_is_refused_but_for_policing_where_it_is_meant(tmp_path):
    policed = {"sent": 9, "dropped": {"punt_policed": 1}}
    start._judge(PUNTING, result(window(1), sent=900_000), log_of(tmp_path, **policed))
    with pytest.raises(BenchFault, match="dropped"):
        start._judge(NODE, result(window(1)), log_of(tmp_path, **policed))
    with pytest.raises(BenchFault, match="dropped"):
        start._judge(PUNTING, result(window(1)),
                     log_of(tmp_path, sent=9, dropped={"ipv4_checksum": 1}))


def test_updates_that_were_not_applied_are_noticed(tmp_path):
    updates = Program("node", "node", "full", "routed", "full", beside="updates")
    start._judge(updates, result(window(1)), log_of(tmp_path, changes_a_second=9800))
    with pytest.raises(BenchFault, match="only 9000 updates"):
        start._judge(updates, result(window(1)), log_of(tmp_path, changes_a_second=9000))


@pytest.mark.parametrize("ours, met", [(75.0, True), (75.1, False)])
def test_the_ratio_is_to_the_best_of_the_peers(ours, met):
    figures = figures_of(("W2", w.OURS, ours), ("W2", w.LPM, 120), ("W2", w.FIB, 101),
                         ("W2", w.FIB_512, 100))
    row, = comparisons(figures)
    assert (row["peer"], row["ratio"], row["target"]) == (w.FIB_512, ours / 100, "<= 0.75")
    assert row["met"] is met


def test_differences_are_within_one_work():
    figures = figures_of(("W4", w.LOCAL, 50), ("W4", w.TO_FABRIC, 58), ("W4", w.HALF, 58.5),
                         ("W5", w.OURS, 33), ("W5", w.IO, 21), ("W6", w.OURS, 36), ("W6", w.IO, 21))
    added = [row for row in comparisons(figures) if row["name"].endswith("added")]
    assert [(row["value"], row["met"]) for row in added] == [
        (8, True), (8.5, False), (12, True), (15, False)]


def test_what_is_kept_is_a_share_of_the_rate_at_rest():
    figures = figures_of(("W8", w.AT_REST, 50), ("W8", w.LOADING, 50 / 0.9), ("W8", w.UPDATES, 60),
                         ("W8", w.NEIGHBOR, 100))
    assert [(round(row["ratio"], 3), row["met"]) for row in comparisons(figures)] == [
        (0.9, True), (0.833, False), (0.5, None)]


def test_what_was_not_measured_is_not_compared():
    assert comparisons(figures_of(("W1", w.OURS, 50), ("W3", w.LPM, 50))) == []


def test_a_figure_is_the_median_of_its_starts_and_what_it_adds_is_over_its_own_harness():
    figures = figures_of(("W1", w.OURS, 60), ("W1", w.OURS, 40), ("W1", w.OURS, 45), ("W1", w.IO, 20),
                         ("W1", w.OURS + w.VIA_PCAP, 70), ("W1", w.IO + w.VIA_PCAP, 40))
    ours = figures.find("W1", w.OURS)
    assert (ours.cycles, ours.spread, figures.added(ours)) == (45, (40, 60), 25)
    assert figures.added(figures.find("W1", w.OURS + w.VIA_PCAP)) == 30


def test_every_work_measures_each_program_under_one_name():
    for work in WORKS:
        names = [program.name for program in work.programs]
        assert len(set(names)) == len(names)


def test_another_version_of_l3fwd_is_not_changed_by_guess(tmp_path):
    source = tmp_path / "l3fwd_lpm.c"
    source.write_text("#define RULES 1024\n")
    _change(source, [("RULES 1024", "RULES 4096")])
    assert source.read_text() == "#define RULES 4096\n"
    with pytest.raises(BenchFault, match="l3fwd_lpm.c of this l3fwd is not as expected"):
        _change(source, [("RULES 1024", "RULES 4096")])


def test_what_a_mesh_of_four_needs_is_compared_with_a_node_alone():
    measured = [("W4", w.LOCAL, 52), ("W4", w.TO_FABRIC, 60), ("W5", w.OURS, 20), ("W6", w.OURS, 30)]
    *_, row = comparisons(figures_of(*measured))
    assert (row["value"], row["ratio"], row["met"]) == (100, 0.52, True)
    *_, row = comparisons(figures_of(*measured[:3], ("W6", w.OURS, 40)))
    assert (row["value"], row["met"]) == (110, False)
    assert all("mesh" not in row["name"] for row in comparisons(figures_of(*measured[:3])))
