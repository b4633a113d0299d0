# SPDX-License-Identifier: Apache-2.0
"""Every header compiles by itself; and one that does not is seen."""

from header_compiler import header_faults
from repository import ROOT, read_files


def test_every_header_compiles_alone():
    headers = [path for path in read_files() if path.endswith(".hh")]
    assert headers
    assert header_faults(ROOT, headers) == []


def test_a_header_that_leans_on_another_is_seen(tmp_path):
    (tmp_path / "node").mkdir()
    (tmp_path / "good.hh").write_text("#pragma once\n#include <string>\nstd::string f();\n")
    (tmp_path / "bad.hh").write_text("#pragma once\nstd::string f();\n")
    (tmp_path / "node/good.hh").write_text("#pragma once\n#include <rte_mbuf.h>\nrte_mbuf* g();\n")
    (tmp_path / "node/bad.hh").write_text("#pragma once\nrte_mbuf* g();\n")
    faults = header_faults(tmp_path, ["good.hh", "bad.hh", "node/good.hh", "node/bad.hh"])
    assert [fault.split(" ")[0] for fault in faults] == ["bad.hh", "node/bad.hh"]
    assert "string" in faults[0] and "rte_mbuf" in faults[1]
