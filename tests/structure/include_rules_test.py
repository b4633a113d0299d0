# SPDX-License-Identifier: Apache-2.0
"""The include graph and the homes of the libraries; and that a breach of either is seen."""

import pytest

from include_rules import include_graph_faults, library_home_faults
from repository import read_files

HEADERS = {path: "" for path in (
    "base/id.hh", "fib/fib.hh", "topo/mesh.hh", "vlb/steering.hh", "cluster/messages.hh",
    "control/api.hh", "control/kernel/tap.hh", "control/cli/show.hh", "node/core.hh",
    "tests/fib/naive.hh")}


def graph_faults(path, include):
    return include_graph_faults({**HEADERS, path: f"// first\n#include {include}\n"})


def home_faults(path, header):
    return library_home_faults({path: f"#include <{header}>\n"})


def test_the_checkout_keeps_to_the_include_graph():
    assert include_graph_faults(read_files()) == []


def test_the_checkout_keeps_libraries_at_home():
    assert library_home_faults(read_files()) == []


def test_there_is_something_to_check():
    files = read_files()
    for path in ("base/id.hh", "topo/cluster_document.cc", "tests/structure/include_rules_test.py"):
        assert path in files


@pytest.mark.parametrize("path, header", [
    ("base/x.cc", "base/id.hh"), ("fib/x.cc", "base/id.hh"), ("topo/x.hh", "base/id.hh"),
    ("vlb/x.cc", "fib/fib.hh"), ("vlb/x.cc", "topo/mesh.hh"), ("cluster/x.cc", "fib/fib.hh"),
    ("cluster/x.cc", "topo/mesh.hh"), ("control/x.cc", "cluster/messages.hh"),
    ("control/x.cc", "control/kernel/tap.hh"), ("control/kernel/x.cc", "control/api.hh"),
    ("control/cli/x.cc", "control/cli/show.hh"), ("control/cli/x.cc", "cluster/messages.hh"),
    ("node/stage/x.cc", "vlb/steering.hh"), ("node/x.cc", "cluster/messages.hh"),
    ("tests/node/x.cc", "control/api.hh"), ("tests/fib/x.cc", "tests/fib/naive.hh"),
])
def test_allowed_includes_pass(path, header):
    assert graph_faults(path, f'"{header}"') == []


@pytest.mark.parametrize("path, header", [
    ("base/x.cc", "fib/fib.hh"), ("fib/x.cc", "topo/mesh.hh"), ("fib/x.cc", "cluster/messages.hh"),
    ("topo/x.hh", "fib/fib.hh"), ("topo/x.hh", "vlb/steering.hh"),
    ("vlb/x.cc", "cluster/messages.hh"), ("cluster/x.cc", "vlb/steering.hh"),
    ("cluster/x.cc", "control/api.hh"), ("control/x.cc", "vlb/steering.hh"),
    ("control/x.cc", "node/core.hh"), ("control/kernel/x.cc", "node/core.hh"),
    ("control/x.cc", "control/cli/show.hh"), ("control/cli/x.cc", "control/api.hh"),
    ("control/cli/x.cc", "control/kernel/tap.hh"), ("control/cli/x.cc", "fib/fib.hh"),
    ("node/x.cc", "control/api.hh"), ("node/stage/x.cc", "control/kernel/tap.hh"),
])
def test_forbidden_includes_are_seen(path, header):
    faults = graph_faults(path, f'"{header}"')
    assert len(faults) == 1
    assert faults[0].startswith(f"{path}:2: ") and header in faults[0]


def test_product_code_does_not_include_tests():
    assert graph_faults("fib/x.cc", '"tests/fib/naive.hh"') == [
        "fib/x.cc:2: tests/fib/naive.hh is of the tests"]


@pytest.mark.parametrize("include", ['"fib.hh"', '"../fib/fib.hh"', '"fib/none.hh"', "<fib/fib.hh>"])
def test_own_headers_are_quoted_and_named_from_the_root(include):
    assert len(graph_faults("fib/x.cc", include)) == 1


def test_a_folder_without_a_rule_is_seen():
    assert graph_faults("extra/x.cc", "<string>") == [
        "extra/x.cc: its folder has no entry in ALLOWED_PARTS"]


@pytest.mark.parametrize("text", [
    '#include "fib/fib.hh"', '  #  include  "fib/fib.hh"', '\t#include"fib/fib.hh" // why'])
def test_includes_are_seen_however_they_are_written(text):
    assert len(include_graph_faults({**HEADERS, "base/x.hh": text})) == 1


def test_what_looks_like_an_include_is_none():
    assert include_graph_faults({**HEADERS, "base/x.hh": '// #include "fib/fib.hh"\n'}) == []


@pytest.mark.parametrize("path, header", [
    ("node/eal.cc", "rte_eal.h"), ("node/stage/x.hh", "rte_mbuf.h"), ("tests/node/x.cc", "rte_mbuf.h"),
    ("tests/bench/x.cc", "rte_cycles.h"), ("fib/rcu.cc", "urcu/urcu-qsbr.h"),
    ("cluster/api_channel.cc", "zmq.hpp"), ("cluster/channel_socket.hh", "zmq.hpp"),
    ("cluster/transport.cc", "zmq.h"), ("control/kernel/x.hh", "libmnl/libmnl.h"),
    ("control/kernel/x.cc", "linux/rtnetlink.h"), ("topo/cluster_document.cc", "nlohmann/json.hpp"),
    ("topo/json_reader.hh", "nlohmann/json.hpp"), ("control/api.cc", "nlohmann/json.hpp"),
    ("control/cli/x.cc", "nlohmann/json.hpp"), ("node/main.cc", "CLI/CLI.hpp"),
    ("control/cli/x.cc", "CLI/CLI.hpp"), ("base/log.hh", "spdlog/spdlog.h"),
    ("vlb/traffic/capture.cc", "pcap/pcap.h"),
    ("fib/record_digest.cc", "xxhash.h"), ("tests/cluster/x.cc", "zmq.hpp"),
    ("node/x.cc", "linux/if_ether.h"), ("node/x.cc", "string"),
])
def test_libraries_at_home_pass(path, header):
    assert home_faults(path, header) == []


@pytest.mark.parametrize("path, header", [
    ("fib/x.cc", "rte_hash_crc.h"), ("cluster/x.hh", "rte_mbuf.h"), ("control/x.cc", "rte_eal.h"),
    ("tests/fib/x.cc", "rte_mbuf.h"), ("fib/left_right.hh", "urcu/urcu-qsbr.h"),
    ("node/rcu.cc", "urcu.h"), ("cluster/messages.cc", "zmq.hpp"), ("control/channel.cc", "zmq.hpp"),
    ("control/cli/main.cc", "zmq.h"), ("control/x.cc", "libmnl/libmnl.h"),
    ("node/x.cc", "linux/if_tun.h"), ("control/x.cc", "linux/netlink.h"),
    ("cluster/x.cc", "linux/rtnetlink.h"), ("control/x.cc", "linux/neighbour.h"),
    ("control/x.cc", "linux/nexthop.h"), ("control/x.cc", "linux/if_addr.h"),
    ("control/x.cc", "linux/if_link.h"), ("topo/endpoint.cc", "nlohmann/json.hpp"),
    ("topo/cluster_document.hh", "nlohmann/json.hpp"), ("node/x.cc", "nlohmann/json.hpp"),
    ("control/apis.cc", "nlohmann/json.hpp"), ("node/eal.cc", "CLI/CLI.hpp"),
    ("base/x.hh", "CLI/App.hpp"), ("fib/x.cc", "spdlog/spdlog.h"), ("base/log_x.cc", "spdlog/fmt/fmt.h"),
    ("cluster/x.cc", "xxhash.h"), ("node/x.cc", "xxh3.h"),
    ("vlb/traffic/x.cc", "pcap/pcap.h"), ("control/cli/sim.cc", "pcap.h"),
])
def test_libraries_elsewhere_are_seen(path, header):
    faults = home_faults(path, header)
    assert len(faults) == 1
    assert faults[0].startswith(f"{path}:1: ") and header in faults[0]
