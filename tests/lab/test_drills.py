# SPDX-License-Identifier: Apache-2.0
"""The drills' runner with drills that are made up, and the short form of all real ones."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.commands import program
from lab.drills import __main__ as command
from lab.drills import updates
from lab.drills.catalogue import CATALOGUE, Drill
from lab.drills.scene import Limits, Scene, at, learnt
from lab.errors import CheckFailed
from lab.losses import Loss
from lab.numbered import Flow
from lab.topology import Node, Topology

_FIRST, _SECOND = Topology(2), Topology(3)
_LIMITS = Limits(recovery=5.0, gap=0.2, outage=30.0)


def _good(scene: Scene) -> None:
    scene.stable = Loss(3, 1000, 0.1, 0)
    scene.others = Loss(70, 100, 20.0, 0)
    scene.recovery = 1.25


def _drill(name: str, play: Callable[[Scene], None] = _good, lab: Topology = _FIRST) -> Drill:
    return Drill(name, "nothing", lab, _LIMITS, play)


class _Labs:
    """In the place of real ones: what came up and went down."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def play(self, *drills: Drill, json_file: Path | None = None) -> int:
        return command.play(
            list(drills), False, json_file,
            up=self.told.append, down=lambda: self.told.append("down"),
        )  # fmt: skip


def _verdicts(text: str) -> list[str]:
    return [row.split()[-1] for row in text.partition("verdict\n")[2].splitlines()]


def test_a_good_drill_has_a_row_and_exit_code_0(capsys, tmp_path) -> None:
    assert _Labs().play(_drill("one"), json_file=tmp_path / "x.json") == 0
    row = capsys.readouterr().out.splitlines()[-1]
    assert " ".join(row.split()) == (
        "one 1000 3 70 of 100 1.2 s <= 200 ms of a flow, others <= 30 s, back in 5 s as expected"
    )
    (told,) = json.loads((tmp_path / "x.json").read_text())["rows"]
    assert (told["drill"], told["lost"], told["recovered_s"], told["as_expected"]) == (
        "one", 3, 1.25, True,
    )  # fmt: skip


def _raises(scene: Scene) -> None:
    _good(scene)
    raise CheckFailed("n3 ate it")


def _expects(scene: Scene) -> None:
    _good(scene)
    scene.expect(True, "what is good is not told")
    scene.expect(False, "the digest is another")


@pytest.mark.parametrize(
    ("play", "said"),
    [
        (_raises, "n3 ate it"),
        (_expects, "the digest is another"),
        (lambda scene: None, "no traffic went"),
    ],
    ids=("raises", "expects", "does nothing"),
)
def test_a_failing_drill_is_a_NO_and_exit_code_1(play, said, capsys) -> None:
    assert _Labs().play(_drill("bad", play), _drill("one")) == 1
    text = capsys.readouterr().out
    assert _verdicts(text) == ["NO", "expected"]
    assert f"  NO: {said}\n" in text and "what is good" not in text


def test_a_lab_is_used_again_unless_something_went_wrong_in_it() -> None:
    labs = _Labs()
    labs.play(_drill("a"), _drill("b", _raises), _drill("c"), _drill("d", lab=_SECOND))
    assert labs.told == [_FIRST, _FIRST, _SECOND, "down"]


def test_a_lab_goes_also_when_a_drill_is_at_fault_itself() -> None:
    def crashes(scene: Scene) -> None:
        raise ZeroDivisionError

    labs = _Labs()
    with pytest.raises(ZeroDivisionError):
        labs.play(_drill("a", crashes))
    assert labs.told == [_FIRST, "down"]


class _Traffic:
    """What Traffic tells when it is over."""

    rate = 50.0

    def __init__(self, *flows: Flow, expected: int | None = None) -> None:
        self.flows = list(flows)
        self.expected = len(flows) if expected is None else expected


def _flow(lost: int, index: int = 0, between: tuple[int, int] = (1, 2)) -> Flow:
    return Flow(*between, 4, index, 1000, 1000 - lost, lost, 0, lost / 50)


@pytest.mark.parametrize(
    ("limits", "flows", "faults"),
    [
        (Limits(1), [_flow(0)], []),
        (Limits(1), [_flow(1)], ["stable routes: 1 of 1000 lost, at most 20 ms of a flow"]),
        (Limits(1, gap=0.2), [_flow(11)], []),
        (Limits(1, gap=0.2), [_flow(12)], ["stable routes: 12 of 1000 lost, at most 240 ms of a flow"]),
        (Limits(1, outage=2), [_flow(0), _flow(100, 128)], []),
        (Limits(1, outage=2), [_flow(0), _flow(101, 128)],
         ["others: 101 of 1000 lost, at most 2020 ms of a flow"]),
    ],
)  # fmt: skip
def test_what_may_be_lost(limits: Limits, flows: list[Flow], faults: list[str]) -> None:
    scene = Scene(_FIRST, limits)
    scene.judge(_Traffic(*flows), learnt)
    assert scene.faults == faults


def test_flows_that_never_arrive_are_told_of() -> None:
    scene = Scene(_FIRST, Limits(1))
    scene.judge(_Traffic(_flow(0), expected=3), learnt)
    assert scene.faults == ["nothing arrived of 2 flows"]


def test_whose_flows_a_node_is() -> None:
    unstable = at(Node(3))
    assert [unstable(_flow(0, 0, ends)) for ends in ((1, 2), (3, 1), (2, 3))] == [False, True, True]


def test_what_a_burst_leaves_is_withdrawn() -> None:
    """The kernel, which refuses to delete what is not there, as a dictionary."""
    kernel: dict[str, str] = {}
    for line in [*updates.burst(12, ["A", "B"]), "end", *updates.withdrawn(12, but_every=3)]:
        match line.split():
            case ["route", "replace", prefix, "via", gateway]:
                kernel[prefix] = gateway
            case ["route", "del", prefix]:
                del kernel[prefix]
            case ["end"]:
                # Of even numbers the second gateway, of odd ones as at first; no multiples of three.
                numbers = [n for n in range(12) if n % 3]
                assert kernel == {updates.prefix(n): "B" for n in numbers}
    assert kernel == {}


def test_updates_change_something_each_time() -> None:
    seen: dict[str, str] = {}
    for line in updates.replaced(1000, 11, ["A", "B", "C"]):
        _, _, prefix, _, gateway = line.split()
        assert seen.get(prefix) != gateway
        seen[prefix] = gateway
    assert len(seen) == 11


def test_drills_are_named_by_their_beginnings(capsys) -> None:
    with pytest.raises(SystemExit) as refused:
        command.main(["sideways"])
    assert refused.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert command.main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(CATALOGUE)


_LIKE_ANOTHER = ("node_kill_n2", "node_kill_n3")


def test_the_short_forms(tmp_path: Path) -> None:
    found = tmp_path / "drills.json"
    names = [drill.name for drill in CATALOGUE if drill.name not in _LIKE_ANOTHER]
    done = subprocess.run(
        [program("rackway"), "lab", "drill", "--json", found, *names],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    print(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(found.read_text())["rows"]
    assert [row["drill"] for row in rows] == names
    assert all(row["sent"] > 0 for row in rows)
