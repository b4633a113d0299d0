# SPDX-License-Identifier: Apache-2.0
"""Programs that can not start say why in one line, exit with 1 (2 for bad arguments), leave nothing.

They run in a namespace of their own, which these tests make and remove.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab import keys, lifecycle, namespaces, rackway
from lab.commands import in_namespace, must, program, run
from lab.topology import CONTROL_ENDPOINT, Node, Topology

_NAMESPACE = "rw-t0"
_SECONDS = 20.0
_NOBODY = 65534


@pytest.fixture(autouse=True)
def scratch_namespace() -> Iterator[None]:
    namespaces.delete(_NAMESPACE)
    must(["ip", "netns", "add", _NAMESPACE])
    must(["ip", "-n", _NAMESPACE, "link", "set", "lo", "up"])
    yield
    namespaces.delete(_NAMESPACE)


@pytest.fixture(name="folder")
def public_folder() -> Iterator[Path]:
    """A folder that every user may enter."""
    with tempfile.TemporaryDirectory(prefix="rackway-test-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


def _document(folder: Path) -> dict:
    return {
        "name": "faults",
        "controller": {
            "control": "tcp://127.0.0.1:7600",
            "packets": "tcp://127.0.0.1:7601",
            "api": f"ipc://{folder}/api.sock",
            "namespace": _NAMESPACE,
        },
        "nodes": [
            {"name": "a", "ports": [{"name": "p0", "device": "net_null0"}]},
            {"name": "b", "ports": [{"name": "p0", "device": "net_null0"}]},
        ],
        "fabric": {
            "links": [
                {"between": ["a", "b"], "devices": ["net_memif0,id=0", "net_memif0,id=0"]},
            ]
        },
    }


def _write(folder: Path, document: dict) -> Path:
    path = folder / "cluster.json"
    path.write_text(json.dumps(document))
    return path


def _insecure_controller(config: Path) -> list[str]:
    return [str(program("rackway-controller")), "--config", str(config), "--insecure"]


def _controller(config: Path, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, *_insecure_controller(config)]
    return run(in_namespace(_NAMESPACE, command), timeout=_SECONDS)


def _links() -> set[str]:
    listed = must(["ip", "-n", _NAMESPACE, "-j", "link"])
    return {link["ifname"] for link in json.loads(listed)}


def _must_refuse(done: subprocess.CompletedProcess[str], *words: str, code: int = 1) -> None:
    """DONE ended with CODE and one line that has all WORDS, and left nothing in the namespace."""
    lines = done.stderr.splitlines()
    assert done.returncode == code, done
    assert len(lines) == 1, done.stderr
    for word in words:
        assert word in lines[0]
    assert not done.stdout
    assert _links() == {"lo"}
    assert namespaces.process_ids(_NAMESPACE) == []


def _unknown_key(document: dict) -> None:
    document["nodes"][1]["prots"] = []


def _wrong_type(document: dict) -> None:
    document["nodes"][0]["ports"][0]["mtu"] = "1500"


def _same_name_twice(document: dict) -> None:
    document["nodes"][1]["name"] = "a"


def _link_to_nowhere(document: dict) -> None:
    document["fabric"]["links"][0]["between"][1] = "c"


def _mtu_out_of_bounds(document: dict) -> None:
    document["nodes"][0]["ports"][0]["mtu"] = 70000


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_unknown_key, ("/nodes/1", "prots")),
        (_wrong_type, ("/nodes/0/ports/0/mtu", "1500")),
        (_same_name_twice, ("/nodes/1/name", "a")),
        (_link_to_nowhere, ("/fabric/links/0/between/1", "c")),
        (_mtu_out_of_bounds, ("/nodes/0/ports/0/mtu", "70000", "9216")),
    ],
)
def test_wrong_document_is_refused_with_the_place(
    spoil: Callable[[dict], None], words: tuple[str, ...], folder: Path
) -> None:
    document = copy.deepcopy(_document(folder))
    spoil(document)
    path = _write(folder, document)
    _must_refuse(_controller(path), str(path), *words)


def test_broken_json_is_refused(folder: Path) -> None:
    path = folder / "cluster.json"
    path.write_text('{"name": "x",\n "nodes": [}')
    _must_refuse(_controller(path), str(path))


def test_missing_document_is_refused(folder: Path) -> None:
    _must_refuse(_controller(folder / "none.json"), str(folder / "none.json"))


@pytest.mark.parametrize(
    "words",
    [
        ["rackway-controller"],
        ["rackway-controller", "--bogus"],
        ["rackway-node"],
        ["rackway-node", "--name", "a", "--controller", "tcp://127.0.0.1:1", "--memory", "1"],
        ["rackway-node", "--name", "a", "--controller", "nonsense"],
        ["rackway-node", "--name", "a", "--controller", "tcp://127.0.0.1:1", "--key", "k"],
        ["rackway-controller", "--config", "c", "--key", "k"],
        ["rackway-controller", "--config", "c", "--key", "k", "--allow", "a", "--insecure"],
        ["rackway", "key"],
        ["rackway-node", "--name", "a", "--controller", "tcp://127.0.0.1:1", "--cores", "0"],
        ["rackway-node", "--name", "a", "--controller", "tcp://127.0.0.1:1", "--cores", "2", "--cpu", "0"],
        ["rackway"],
        ["rackway", "show"],
        ["rackway", "show", "nonsense"],
    ],
    ids=" ".join,
)
def test_bad_arguments_exit_with_2(words: list[str]) -> None:
    done = run(in_namespace(_NAMESPACE, [str(program(words[0])), *words[1:]]), timeout=_SECONDS)
    _must_refuse(done, code=2)


@pytest.mark.parametrize("port", (7600, 7601))
def test_port_in_use_is_named(port: int, folder: Path) -> None:
    with namespaces.entered(_NAMESPACE):
        taken = socket.create_server(("127.0.0.1", port))
    with taken:
        _must_refuse(_controller(_write(folder, _document(folder))), str(port))
    assert not (folder / "api.sock").exists()


def test_missing_tun_device_is_named(folder: Path) -> None:
    """/dev/net is hidden from the controller alone, by a mount in its own mount namespace."""
    hide = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh")
    _must_refuse(_controller(_write(folder, _document(folder)), hide), "/dev/net/tun")


def _as_nobody(folder: Path, name: str) -> list[str]:
    """The start of a command that runs program NAME without any privilege."""
    copied = folder / name
    shutil.copy(program(name), copied)
    copied.chmod(0o755)
    return ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", str(copied)]


def test_controller_without_root_is_told_so(folder: Path) -> None:
    config = _write(folder, _document(folder))
    command = [*_as_nobody(folder, "rackway-controller"), "--config", str(config)]
    _must_refuse(run(in_namespace(_NAMESPACE, command), timeout=_SECONDS), "root")


def test_node_without_root_is_told_so(folder: Path) -> None:
    command = [
        *_as_nobody(folder, "rackway-node"),
        *("--name", "a", "--controller", CONTROL_ENDPOINT, "--insecure"),
    ]
    _must_refuse(run(in_namespace(_NAMESPACE, command), timeout=_SECONDS), "root")


def test_too_few_hugepages_are_named() -> None:
    """No machine that runs tests has 64 GB of free hugepages; one with none at all is told so too."""
    command = [
        str(program("rackway-node")),
        *("--name", "a", "--controller", "tcp://127.0.0.1:7600", "--insecure"),
        *("--memory", "65536", "--hugepages", "require"),
    ]
    _must_refuse(run(in_namespace(_NAMESPACE, command), timeout=_SECONDS), "hugepages")


def test_unknown_node_is_named(topology: Topology) -> None:
    stranger = Node(99)
    keys.command("allow", keys.ALLOWED, "n99", keys.command("new", keys.key_file(stranger)))
    done = run(in_namespace(topology.nodes[0].namespace, _lab_node("n99", stranger)), timeout=_SECONDS)
    keys.revoke(stranger)
    assert done.returncode == 1
    assert "no node of this name" in done.stderr.splitlines()[-1]


def test_a_node_with_the_key_of_another_is_told_whose_it_is(topology: Topology) -> None:
    first, second = topology.nodes[:2]
    done = run(in_namespace(first.namespace, _lab_node(first.name, second)), timeout=_SECONDS)
    assert done.returncode == 1
    for word in ("it is n2 to the controller", "not n1"):
        assert word in done.stderr.splitlines()[-1]
    row = rackway.show("security", second.name)[0]
    assert (row["state"], row["other_name"]) == ("allowed", 1)
    lifecycle.await_in_sync(topology)


def _lab_node(name: str, key_of: Node) -> list[str]:
    return [
        *(str(program("rackway-node")), "--name", name, "--controller", CONTROL_ENDPOINT),
        *("--memory", "32", *keys.node_options(key_of)),
    ]


def test_without_keys_a_network_is_refused(folder: Path) -> None:
    config = _write(folder, _document(folder))
    command = [str(program("rackway-controller")), "--config", str(config)]
    done = run(in_namespace(_NAMESPACE, command), timeout=_SECONDS)
    _must_refuse(done, "tcp://127.0.0.1:7600", "--key", "--insecure")
    command = [str(program("rackway-node")), "--name", "a", "--controller", CONTROL_ENDPOINT]
    done = run(in_namespace(_NAMESPACE, command), timeout=_SECONDS)
    _must_refuse(done, CONTROL_ENDPOINT, "--key", "--insecure")


def test_an_api_that_others_reach_is_refused(folder: Path) -> None:
    document = _document(folder)
    document["controller"]["api"] = "tcp://127.0.0.1:7602"
    command = [str(program("rackway-controller")), "--config", str(_write(folder, document))]
    done = run(in_namespace(_NAMESPACE, command), timeout=_SECONDS)
    _must_refuse(done, "tcp://127.0.0.1:7602", "ipc://", "--insecure")


def test_a_key_file_that_others_can_read_is_refused(folder: Path) -> None:
    key, public = folder / "key", folder / "public"
    public.write_text(keys.command("new", key) + "\n")
    keys.command("allow", folder / "allowed", "a", public)
    key.chmod(0o640)
    config = _write(folder, _document(folder))
    controller = [
        *(str(program("rackway-controller")), "--config", str(config)),
        *("--key", str(key), "--allow", str(folder / "allowed")),
    ]
    node = [
        *(str(program("rackway-node")), "--name", "a", "--controller", CONTROL_ENDPOINT),
        *("--key", str(key), "--controller-key", str(public)),
    ]
    for command in (controller, node):
        done = run(in_namespace(_NAMESPACE, command), timeout=_SECONDS)
        _must_refuse(done, str(key), "others can read it", "0640")


class _Background:
    """A program that runs for the length of a block and is then asked to stop."""

    def __init__(self, command: list[str]) -> None:
        self._command = in_namespace(_NAMESPACE, command)
        self.returncode: int | None = None

    def __enter__(self) -> _Background:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self.returncode = self._process.wait(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _node_of(
    document: dict, folder: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """What becomes of node `a` with a controller that has DOCUMENT."""
    node = [
        str(program("rackway-node")),
        *("--name", "a", "--controller", "tcp://127.0.0.1:7600", "--insecure"),
        *("--memory", "32", *options),
    ]
    config = _write(folder, document)
    with _Background(_insecure_controller(config)):
        return run(in_namespace(_NAMESPACE, node), timeout=_SECONDS)


@pytest.mark.parametrize(
    ("settings", "size"),
    [("", 2048), (",framesz=2048", 2048), (",framesz=9072,blocksz=36288", 9072)],
)
def test_a_port_that_can_not_take_the_mtu_is_named(
    settings: str, size: int, folder: Path
) -> None:
    document = _document(folder)
    device = "net_af_packet0,iface=lo" + settings
    document["nodes"][0]["ports"][0] |= {"device": device, "mtu": 9000}
    document["fabric"]["links"][0]["devices"] = ["net_memif0,id=0,bsize=10240"] * 2
    done = _node_of(document, folder)
    assert done.returncode == 1, done.stderr
    for word in ("port p0", "MTU 9000", f"framesz is {size}", "9088 or more"):
        assert word in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("settings", "size"), [("", 2048), (",bsize=9021", 9021)])
def test_a_link_that_can_not_take_the_mtu_of_another_nodes_port_is_named(
    settings: str, size: int, folder: Path
) -> None:
    document = _document(folder)
    document["nodes"][0]["ports"] = []
    document["nodes"][1]["ports"][0]["mtu"] = 9000
    document["fabric"]["links"][0]["devices"] = ["net_memif0,id=0" + settings] * 2
    done = _node_of(document, folder)
    assert done.returncode == 1, done.stderr
    for word in ("fabric b", "MTU 9000", f"bsize is {size}", "9022 or more"):
        assert word in done.stderr.splitlines()[-1]


def test_more_cores_than_queues_of_the_fabric_are_named(folder: Path) -> None:
    document = _document(folder)
    document["nodes"][0]["ports"] = []
    document["fabric"]["queues"] = 2
    done = _node_of(document, folder, "--cores", "3")
    assert done.returncode == 1, done.stderr
    for word in ("3 cores", "2 queues", "fabric.queues", "3 or more"):
        assert word in done.stderr.splitlines()[-1]


def test_a_port_with_fewer_queues_than_cores_is_named(folder: Path) -> None:
    document = _document(folder)
    document["nodes"][0]["ports"][0]["device"] = "net_af_packet0,iface=lo,qpairs=1"
    document["fabric"]["queues"] = 2
    done = _node_of(document, folder, "--cores", "2")
    assert done.returncode == 1, done.stderr
    for word in ("port p0", "2 cores", "there are 1", "qpairs=1"):
        assert word in done.stderr.splitlines()[-1]


def test_missing_device_is_named_and_all_stop_cleanly(folder: Path) -> None:
    document = _document(folder)
    document["nodes"][0]["ports"][0]["device"] = "net_af_packet0,iface=nowhere0"
    config = _write(folder, document)
    node = [
        str(program("rackway-node")),
        *("--name", "a", "--controller", "tcp://127.0.0.1:7600", "--insecure", "--memory", "32"),
    ]
    with _Background(_insecure_controller(config)) as controller:
        done = run(in_namespace(_NAMESPACE, node), timeout=_SECONDS)
    assert done.returncode == 1, done.stderr
    assert "nowhere0" in done.stderr.splitlines()[-1]
    assert controller.returncode == 0
    assert not (folder / "api.sock").exists()
    assert namespaces.process_ids(_NAMESPACE) == []
    # A controller that worked leaves its ports to the one after it.
    assert _links() == {"lo", "a-p0", "b-p0"}
