# SPDX-License-Identifier: Apache-2.0
"""Every header compiles by itself; and one that does not is seen."""

from header_compiler import header_faults
from include_rules import includes
from repository import ROOT, read_files


def first_included(files):
    """What some source includes before anything else: each build (but for the sanitizers', with its
    precompiled headers) compiles these alone."""
    sources = (text for path, text in files.items() if path.endswith(".cc"))
    first = (next(includes(text), None) for text in sources)
    return {header for _, quoted, header in filter(None, first) if quoted}


def test_every_header_compiles_alone():
    files = read_files()
    headers = {path for path in files if path.endswith(".hh")}
    rest = headers - first_included(files)
    assert rest < headers
    assert header_faults(ROOT, sorted(rest)) == []


def test_only_a_first_include_shows_that_a_header_compiles_alone():
    files = {
        "a.cc": '// "x.hh"\n#include "fib/a.hh"\n#include "fib/b.hh"\n',
        "b.cc": '#include <vector>\n#include "fib/c.hh"\n',
        "d.hh": '#include "fib/d.hh"\n',
        "empty.cc": "int x;\n",
    }
    assert first_included(files) == {"fib/a.hh"}


def test_a_header_that_leans_on_another_is_seen(tmp_path):
    (tmp_path / "node").mkdir()
    (tmp_path / "good.hh").write_text("#pragma once\n#include <string>\nstd::string f();\n")
    (tmp_path / "bad.hh").write_text("#pragma once\nstd::string f();\n")
    (tmp_path / "node/good.hh").write_text("#pragma once\n#include <rte_mbuf.h>\nrte_mbuf* g();\n")
    (tmp_path / "node/bad.hh").write_text("#pragma once\nrte_mbuf* g();\n")
    faults = header_faults(tmp_path, ["good.hh", "bad.hh", "node/good.hh", "node/bad.hh"])
    assert [fault.split(" ")[0] for fault in faults] == ["bad.hh", "node/bad.hh"]
    assert "string" in faults[0] and "rte_mbuf" in faults[1]
