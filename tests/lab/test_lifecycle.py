# SPDX-License-Identifier: Apache-2.0
"""The lab comes up and goes away whatever happened before, and leaves nothing.

These replace the lab that the other tests share; they run last.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import lifecycle, namespaces, processes, rackway
from lab.commands import must, run
from lab.ping import Pinger
from lab.topology import LAB_DIRECTORY, RUN_DIRECTORY, Topology, every_namespace

_CHECKOUT = Path(__file__).resolve().parents[2]
_SECONDS = 120.0
_SMALL = Topology(2)


def _lab(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lab", *words],
        cwd=_CHECKOUT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )


def _traces() -> list[str]:
    """What of a lab is on this machine."""
    found = namespaces.existing(every_namespace())
    of_dpdk = [str(folder) for folder in Path("/var/run/dpdk").glob("n[0-9]*-[0-9]*")]
    return found + of_dpdk + ([str(RUN_DIRECTORY)] if RUN_DIRECTORY.exists() else [])


@pytest.fixture(autouse=True)
def nothing_before_and_after() -> Iterator[None]:
    lifecycle.down(force=True)
    yield
    lifecycle.down(force=True)


def _inside(topology: Topology) -> list[int]:
    return [pid for name in topology.namespaces for pid in namespaces.process_ids(name)]


def test_down_after_everything_was_killed_and_up_again() -> None:
    lifecycle.up(_SMALL, say=lambda _: None)
    killed = _inside(_SMALL)
    assert len(killed) >= len(lifecycle.process_names(_SMALL))
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    lifecycle.up(_SMALL, say=lambda _: None)
    assert lifecycle.down()
    assert _traces() == []
    assert [pid for pid in killed if processes.alive(pid)] == []


def test_nodes_and_controller_end_with_0() -> None:
    lifecycle.up(_SMALL, say=lambda _: None)
    assert lifecycle.down()
    ends = {name: processes.exit_code(name) for name in rackway.process_names(_SMALL)}
    assert ends == {"controller": 0, "n1": 0, "n2": 0}


def test_a_node_and_the_controller_end_with_0_under_traffic() -> None:
    lifecycle.up(_SMALL, say=lambda _: None)
    first, second = _SMALL.hosts[:2]
    with Pinger(first.namespace, second.address(4), interval=0.001):
        for name in (rackway.CONTROLLER, *(node.name for node in _SMALL.nodes)):
            processes.stop(name)
            assert (name, processes.exit_code(name)) == (name, 0)


def test_a_bad_end_is_told() -> None:
    lifecycle.up(_SMALL, say=lambda _: None)
    processes.kill("n2")
    assert rackway.bad_ends(_SMALL) == ["n2 ended with -9"]


def test_down_ends_processes_whose_namespace_is_gone() -> None:
    lifecycle.up(_SMALL, say=lambda _: None)
    pids = _inside(_SMALL)
    for name in _SMALL.namespaces:
        must(["ip", "netns", "delete", name])
    assert lifecycle.down()
    assert [pid for pid in pids if processes.alive(pid)] == []
    assert _traces() == []


def test_down_twice_and_status_without_a_lab() -> None:
    for _ in range(2):
        done = _lab("down")
        assert (done.returncode, done.stdout, done.stderr) == (0, "there is no lab\n", "")
    done = _lab("status")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_down_after_a_half_finished_up() -> None:
    LAB_DIRECTORY.mkdir(parents=True)
    lifecycle.OWNER.write_text("")
    must(["ip", "netns", "add", "rw-n1"])
    Path("/run/netns/rw-h1").touch()  # a name without a namespace behind it
    assert _lab("down").returncode == 0
    assert _traces() == []


def test_interrupted_up_cleans_up() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "lab", "--nodes", "2"],
        cwd=_CHECKOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background jobs inherit that it is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + _SECONDS
    while not processes.recorded() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=_SECONDS)
    assert (process.returncode, said) == (130, "lab: interrupted\n")
    assert _traces() == []


def test_namespace_of_somebody_else_is_left_alone() -> None:
    must(["ip", "netns", "add", "rackway"])
    for words in ((), ("down",)):
        done = _lab(*words)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "namespace rackway" in done.stderr
    assert _traces() == ["rackway"]


def test_up_without_tun_is_refused_and_leaves_nothing() -> None:
    done = run(
        [
            *("unshare", "-m", "sh", "-c"),
            'mount -t tmpfs none /dev/net && cd "$1" && exec "$2" -m lab',
            *("sh", str(_CHECKOUT), sys.executable),
        ]
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "/dev/net/tun" in done.stderr
    assert _traces() == []


def test_up_without_root_is_refused() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import lab.__main__ as m; import os\n"
    code += "os.setuid(65534); sys.exit(m.main([]))"
    done = run([sys.executable, "-c", code, str(_CHECKOUT)])
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "root" in done.stderr
    assert _traces() == []


@pytest.mark.parametrize(
    "words",
    [
        ("sideways",),
        ("--nodes", "1"),
        ("--nodes", "9"),
        ("--nodes", "x"),
        ("down", "--check"),
        ("--topology", "ring"),
        ("--topology", "butterfly-9x9"),
        ("--topology", "butterfly-2x2", "--nodes", "4"),
        ("--fabric", "air"),
        ("status", "--topology", "butterfly-2x2"),
    ],
    ids=" ".join,
)
def test_bad_arguments_exit_with_2(words: tuple[str, ...]) -> None:
    done = _lab(*words)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert _traces() == []
