# SPDX-License-Identifier: Apache-2.0
"""Keys in a running cluster: one that is revoked, one that nobody knows, one of another controller.
The others lose nothing, and no secret is where somebody could read it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import keys, lifecycle, processes, rackway
from lab.commands import must, program
from lab.numbered import Traffic
from lab.topology import CONTROL_ENDPOINT, Node, Topology
from lab.waiting import wait_until

_SECONDS = 20.0
_STRANGER = "stranger"


def _security(node: str) -> dict:
    """The row of NODE; of those whose key is nobody's if NODE is empty."""
    return next(row for row in rackway.show("security") if row["node"] == node)


def _await_state(node: Node, state: str) -> float:
    def obstacle() -> str | None:
        seen = rackway.show("nodes", node.name)[0]["state"]
        return None if seen == state else f"it is {seen}"

    return wait_until(f"{node.name} is {state}", obstacle, _SECONDS)


def _await_in_log(process: str, words: str) -> None:
    def obstacle() -> str | None:
        return None if words in processes.log_file(process).read_text() else "it does not say so"

    wait_until(f"{process} says '{words}'", obstacle, _SECONDS)


@pytest.fixture(name="victim")
def node_that_is_let_in_afterwards(topology: Topology) -> Iterator[Node]:
    victim = topology.nodes[-1]
    yield victim
    keys.allow(victim)
    lifecycle.await_in_sync(topology)


def test_a_revoked_node_is_cut_off_and_nobody_else_notices(
    topology: Topology, victim: Node
) -> None:
    others = [host for host in topology.hosts if host.number != victim.number]
    with Traffic(others) as traffic:
        keys.revoke(victim)
        _await_state(victim, "down")
        row = _security(victim.name)
        assert (row["keys"], row["state"]) == (0, "no key")
        assert row["refused_revoked"] > 0
        _await_in_log(victim.name, "its key is not allowed any more")
        events = [row["event"] for row in rackway.show("events")]
        assert f"node {victim.name}: a key is revoked" in events
        keys.allow(victim)
        _await_state(victim, "up")
        time.sleep(0.5)  # of traffic after its return
    assert len(traffic.flows) == traffic.expected
    assert [flow for flow in traffic.flows if flow.lost] == []
    assert (_security(victim.name)["keys"], _security(victim.name)["state"]) == (1, "allowed")


def test_a_revoked_node_that_starts_anew_waits_until_it_is_allowed(
    topology: Topology, victim: Node
) -> None:
    keys.revoke(victim)
    processes.stop(victim.name)
    refused = _security(victim.name)["refused_revoked"]
    rackway.start_node(victim)
    _await_in_log(victim.name, "does not let this node's key in")
    assert _security(victim.name)["refused_revoked"] > refused
    _await_state(victim, "down")
    keys.allow(victim)
    _await_state(victim, "up")


@pytest.fixture(name="stranger_key")
def key_that_nobody_knows() -> Iterator[Path]:
    file = keys.KEY_DIRECTORY / "stranger.key"
    yield file
    processes.stop(_STRANGER)
    file.unlink(missing_ok=True)


def _start_stranger(node: Node, key: Path, controller_key: Path) -> None:
    command = [
        *(str(program("rackway-node")), "--name", node.name, "--controller", CONTROL_ENDPOINT),
        *("--memory", "32", "--key", str(key), "--controller-key", str(controller_key)),
    ]
    processes.start(_STRANGER, node.namespace, command)


def test_an_unknown_key_is_told_at_both_ends(topology: Topology, stranger_key: Path) -> None:
    public = keys.command("new", stranger_key)
    before = _security("")["refused_unknown"]
    _start_stranger(topology.nodes[0], stranger_key, keys.CONTROLLER_PUBLIC_KEY)
    _await_in_log(
        _STRANGER,
        "does not let this node's key in: allow it there (rackway key allow); "
        f"own key {public}",
    )
    row = _security("")
    assert row["refused_unknown"] > before
    assert (row["last_key"], row["last_address"]) == (public, topology.nodes[0].management_address)
    assert rackway.why_not_in_sync(topology) is None


def test_another_controllers_key_is_told_at_both_ends(
    topology: Topology, stranger_key: Path
) -> None:
    other = keys.KEY_DIRECTORY / "other.pub"
    other.write_text(keys.command("new", stranger_key) + "\n")
    before = _security("")["failed_handshakes"]
    _start_stranger(topology.nodes[0], keys.key_file(topology.nodes[0]), other)
    _await_in_log(_STRANGER, "is --controller-key the key of this controller?")
    other.unlink()
    assert _security("")["failed_handshakes"] > before
    assert rackway.why_not_in_sync(topology) is None


def test_no_secret_is_in_a_log_or_a_process_list(topology: Topology) -> None:
    secrets = keys.secrets()
    assert len(secrets) == len(topology.nodes) + 1
    assert {len(secret) for secret in secrets} == {64}
    texts = [file.read_text(errors="replace") for file in processes.LOG_DIRECTORY.iterdir()]
    texts.append(must(["ps", "axwwe", "-o", "command"]))
    texts.append(must([str(program("rackway")), "show", "security", "--json"]))
    texts.append(must([str(program("rackway")), "show", "events", "--json"]))
    assert [text[:80] for text in texts for secret in secrets if secret in text] == []


def test_files_of_keys_and_of_the_api_are_for_root_alone() -> None:
    for file in [*keys.KEY_DIRECTORY.glob("*.key"), Path("/run/rackway/api.sock")]:
        assert file.stat().st_mode & 0o077 == 0, file
