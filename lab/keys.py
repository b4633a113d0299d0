# SPDX-License-Identifier: Apache-2.0
"""Keys of the lab's controller and nodes, made with `rackway key` as an operator would make them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from lab.commands import must, program
from lab.topology import LAB_DIRECTORY, Node, Topology

KEY_DIRECTORY = LAB_DIRECTORY / "keys"
CONTROLLER_KEY = KEY_DIRECTORY / "controller.key"
CONTROLLER_PUBLIC_KEY = KEY_DIRECTORY / "controller.pub"
ALLOWED = KEY_DIRECTORY / "allowed"


def key_file(node: Node) -> Path:
    return KEY_DIRECTORY / f"{node.name}.key"


def command(*words: str | Path) -> str:
    """Runs `rackway key WORDS`; returns what it prints."""
    return must([str(program("rackway")), "key", *map(str, words)]).strip()


def make(topology: Topology) -> None:
    """A key for the controller and for each node, and the list of those that are allowed."""
    KEY_DIRECTORY.mkdir(mode=0o700, parents=True, exist_ok=True)
    CONTROLLER_PUBLIC_KEY.write_text(command("new", CONTROLLER_KEY) + "\n")
    for node in topology.nodes:
        command("allow", ALLOWED, node.name, command("new", key_file(node)))


def allow(node: Node) -> None:
    command("allow", ALLOWED, node.name, command("show", key_file(node)))


def revoke(node: Node) -> None:
    command("revoke", ALLOWED, node.name)


def controller_options() -> list[str]:
    return ["--key", str(CONTROLLER_KEY), "--allow", str(ALLOWED)]


def node_options(node: Node) -> list[str]:
    return ["--key", str(key_file(node)), "--controller-key", str(CONTROLLER_PUBLIC_KEY)]


def secrets() -> list[str]:
    """The secret halves of all keys, as they stand in the files."""
    found = []
    for file in sorted(KEY_DIRECTORY.glob("*.key")):
        with contextlib.suppress(OSError):
            lines = file.read_text().splitlines()
            found += [line.removeprefix("secret ") for line in lines if line.startswith("secret ")]
    return found
