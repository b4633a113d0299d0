# SPDX-License-Identifier: Apache-2.0
"""Which folder may include which, and where each library is at home.

The checks take path -> text and return one line per fault, so that they can be checked themselves.
"""

import re

# What each part of the product may include besides itself. The longest matching part counts.
ALLOWED_PARTS = {
    "base": set(),
    "fib": {"base"},
    "topo": {"base"},
    "topo/plan": {"base", "topo"},
    "vlb": {"base", "fib", "topo"},
    "vlb/traffic": {"base"},
    "vlb/simulator": {"base", "topo", "vlb", "vlb/traffic"},
    "cluster": {"base", "fib", "topo"},
    "control": {"base", "fib", "topo", "cluster", "control/table_file"},
    "control/table_file": {"base"},
    "control/cli": {"base", "control/table_file", "topo", "topo/plan", "cluster", "vlb", "vlb/simulator", "vlb/traffic"},
    "node": {"base", "fib", "topo", "vlb", "cluster"},
}

# Library, its headers, the product's files that may include them, and the tests that may (None: all).
LIBRARY_HOMES = [
    ("DPDK", r"rte_.*", r"node/.*", r"tests/(node|bench)/.*"),
    ("liburcu", r"urcu.*", r"fib/rcu\.(hh|cc)", None),
    ("ZeroMQ", r"zmq.*", r"cluster/([^/]*channel[^/]*|key|transport)\.(hh|cc)", None),
    ("libmnl", r"libmnl/.*", r"control/kernel/.*", None),
    ("netlink and TUN",
     r"linux/(netlink|rtnetlink|neighbour|nexthop|if_tun|if_addr|if_link)\.h",
     r"control/kernel/.*", None),
    ("nlohmann::json", r"nlohmann/.*",
     r"topo/cluster_document\.cc|topo/json_reader\.(hh|cc)|topo/plan/[a-z_]*json\.cc|"
     r"control/api(_[a-z_]+)?\.(hh|cc)|control/cli/.*",
     None),
    ("CLI11", r"CLI/.*", r"(.*/)?main\.cc|control/cli/.*", None),
    ("spdlog", r"spdlog/.*", r"base/log\.(hh|cc)", None),
    ("Abseil", r"absl/.*", r"fib/.*", None),
    ("libpcap", r"pcap(/.*)?\.h", r"vlb/traffic/capture\.cc", None),
    ("SQLite", r"sqlite3\.h", r"control/route_store\.cc", None),
    ("zlib", r"zlib\.h", r"control/table_file/octet_source\.cc", None),
    ("xxHash", r"xxh(ash|3)\.h", r"fib/.*", None),
]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def _is_source(path):
    return path.endswith((".hh", ".cc", ".h", ".c"))


def includes(text):
    """(line number, is quoted, header) of each include."""
    for match in _INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1] == '"', match[2]


def part_of(path):
    """The key of ALLOWED_PARTS that a file belongs to, or None."""
    folders = path.split("/")[:-1]
    while folders:
        if "/".join(folders) in ALLOWED_PARTS:
            return "/".join(folders)
        folders.pop()
    return None


def include_graph_faults(files):
    faults = []
    for path, text in files.items():
        is_test = path.startswith("tests/")
        if not _is_source(path):
            continue
        part = part_of(path)
        if part is None and not is_test:
            faults.append(f"{path}: its folder has no entry in ALLOWED_PARTS")
            continue
        for line, quoted, header in includes(text):
            to = part_of(header)
            if quoted and header not in files:
                faults.append(f"{path}:{line}: there is no {header}, write the path from the root")
            elif not quoted and header in files:
                faults.append(f"{path}:{line}: <{header}> is our own, write it in quotes")
            if not is_test and header.startswith("tests/"):
                faults.append(f"{path}:{line}: {header} is of the tests")
            if not is_test and to not in (None, part) and to not in ALLOWED_PARTS[part]:
                faults.append(f"{path}:{line}: {part} may not include {to} ({header})")
    return faults


def library_home_faults(files):
    faults = []
    for path, text in filter(lambda item: _is_source(item[0]), files.items()):
        for line, _, header in includes(text):
            for library, headers, homes, test_homes in LIBRARY_HOMES:
                if not re.fullmatch(headers, header):
                    continue
                allowed = (test_homes or ".*") if path.startswith("tests/") else homes
                if not re.fullmatch(allowed, path):
                    faults.append(f"{path}:{line}: {library} ({header}) has its home in {allowed}")
    return faults
