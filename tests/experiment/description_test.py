# SPDX-License-Identifier: Apache-2.0
"""What a file may say, and the one line that answers what it may not."""

import json

import pytest

from conftest import CHECKOUT, description
from lab.experiment import description as reader
from lab.experiment.backends import BACKENDS
from lab.experiment.documents import document, fault
from lab.experiment.faults import BadExperiment
from lab.experiment.json_file import Place, parse


def read(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return reader.experiment_of(parse(text, Place("x.json")), Place("x.json"), text)


def with_run(**changes):
    return description(runs=[{"backend": "sim", "load": [0.5, 1], **changes}])


def with_plot(**changes):
    return description(plots=[{"title": "t", "x": "load", "y": "goodput_percent", **changes}])


def test_lists_are_combined_and_what_is_not_said_is_filled_in():
    experiment = read(with_run(seed=[1, 2, 3], nodes=8))
    runs = experiment.runs()
    assert [(run["load"], run["seed"]) for run in runs] == [
        (0.5, 1), (0.5, 2), (0.5, 3), (1, 1), (1, 2), (1, 3)]
    assert all(set(run) == {"backend", *BACKENDS["sim"].parameters} for run in runs)
    assert experiment.varied() == ["load", "seed"]


def test_the_same_run_twice_is_one():
    runs = [{"backend": "sim", "load": [0.5, 1]}, {"backend": "sim", "load": 1}]
    assert len(read(description(runs=runs)).runs()) == 2


def test_the_order_of_keys_does_not_matter():
    one = read(with_run(seed=1, nodes=8)).runs()
    other = read(with_run(nodes=8, seed=1)).runs()
    assert [list(run.items()) for run in one] == [list(run.items()) for run in other]


FAULTS = [
    ("[1]", "[1] is no object (x.json); give one: { … }"),
    ("{", "not JSON: Expecting property name enclosed in double quotes in line 1, column 2"),
    ('{"name": 1, "name": 2}', '"name" is there twice in one object'),
    ('{"name": NaN}', "NaN is no number of JSON"),
    ("[" * 100_000, "nested too deep"),
    (description(colour="red"), 'there is no key "colour" (x.json); give one of about'),
    (description(title=None), '"title" is missing (x.json)'),
    (description(name="A b"), '"A b" is not allowed (x.json at /name); give 1 to 40 small letters'),
    (description(name="../x"), '"../x" is not allowed (x.json at /name)'),
    (description(title="a\nb"), "is not allowed (x.json at /title); give a text of 1 to 100"),
    (description(runs=[]), "[] does not fit (x.json at /runs); give a list of 1 to 50 entries"),
    (description(runs={}), "{} does not fit (x.json at /runs)"),
    (description(runs=[{}]), '"backend" is missing (x.json at /runs/0)'),
    (description(runs=[{"backend": "ns3"}]),
     '"ns3" is not allowed (x.json at /runs/0/backend); give one of sim, fluid, cluster, lab, plan'),
    (with_run(lod=1), 'there is no key "lod" (x.json at /runs/0)'),
    (with_run(nodes=0), "0 is not allowed (x.json at /runs/0/nodes); give a whole number, 1 to 1024"),
    (with_run(nodes=[4, 2000]), "2000 is not allowed (x.json at /runs/0/nodes/1)"),
    (with_run(nodes=4.0), "4.0 is not allowed (x.json at /runs/0/nodes)"),
    (with_run(nodes=True), "true is not allowed (x.json at /runs/0/nodes)"),
    (with_run(nodes="4"), '"4" is not allowed (x.json at /runs/0/nodes)'),
    (with_run(nodes=None), "null is not allowed (x.json at /runs/0/nodes)"),
    (with_run(nodes=[]), "[] does not fit (x.json at /runs/0/nodes)"),
    (with_run(nodes=[4, 4]), "4 is there twice (x.json at /runs/0/nodes)"),
    (with_run(nodes=[[4]]), "[4] is not allowed (x.json at /runs/0/nodes/0)"),
    (with_run(nodes=1000, flowlets="off"), "the document of a mesh of 1000 nodes is too large"),
    (with_run(load=1.5), "1.5 is not allowed (x.json at /runs/0/load); give a number, 0.001 to 1"),
    (with_run(size=63), "63 is not allowed (x.json at /runs/0/size); give one of imix or a whole"),
    (with_run(size="big"), '"big" is not allowed (x.json at /runs/0/size)'),
    (with_run(port_rate="10"), '"10" is not allowed (x.json at /runs/0/port_rate); give a rate'),
    (with_run(port_rate="9999T"), '"9999T" is not allowed'),
    (with_run(flowlets="5..1"), '"5..1" is not allowed (x.json at /runs/0/flowlets)'),
    (with_run(shape="ring"), '"ring" is not allowed (x.json at /runs/0/shape)'),
    (with_run(shape="butterfly-2x3"), "entry 0: a butterfly-2x3 has 8 nodes with ports, not 4"),
    (with_run(shape="butterfly-2x2"), "entry 0: a butterfly-2x2 has no links of 2r/N"),
    (with_run(failure="n1"), '"n1" is not allowed (x.json at /runs/0/failure); give none, or'),
    (with_run(failure={"name": "a"}), "is not allowed (x.json at /runs/0/failure)"),
    (with_run(failure={"name": "a", "fail": ["n1@x"]}), "is not allowed (x.json at /runs/0/failure)"),
    (with_run(failure={"name": "a", "fail": ["n1-n1@5"]}), "is not allowed"),
    (with_run(failure={"name": "a", "fail": ["n1-n9@5"]}),
     "entry 0: n1-n9@5 names n9, and there are 4 nodes, n1 to n4 (x.json at /runs)"),
    (with_run(servers=3), 'there is no key "servers"'),
    (with_run(seconds=3), "the backend sim takes no seconds (x.json at /runs/0/seconds)"),
    (with_run(backend=["sim", "cluster"], ingress_ns=5), "the backend cluster takes no ingress_ns"),
    (with_run(backend="cluster", nodes=32), "entry 0: a cluster in one process is a mesh of 2 to 31"),
    (with_run(backend="cluster", size=9000), "entry 0: a cluster in one process has frames of at most"),
    (with_run(seed=list(range(1001))), "does not fit (x.json at /runs/0/seed); give a list of 1 to 1000"),
    (with_run(seed=list(range(1000)), nodes=[2, 3, 4, 5, 6, 7]), "12000 runs are too many"),
    (description(runs=[{"backend": "lab", "nodes": 9}]), "entry 0: a lab has 2 to 8 nodes"),
    (description(runs=[{"backend": "lab", "dies": "node"}]), "is measured with datagrams"),
    (with_plot(x="speed"), '"speed" is not allowed (x.json at /plots/0/x)'),
    (with_plot(x="ports"), "not all runs have ports (x.json at /plots/0/x)"),
    (with_plot(y="fun"), '"fun" is not allowed (x.json at /plots/0/y)'),
    (with_plot(y="servers"), "the backend sim does not find out servers (x.json at /plots/0/y)"),
    (with_plot(x="seed"), "runs of one point differ in load, which the plot would mix (x.json at /plots/0)"),
    (with_plot(where={"load": 0.7}), "no run is like that (x.json at /plots/0/where)"),
    (with_plot(where={"load": 7}), "7 is not allowed (x.json at /plots/0/where/load)"),
    (with_plot(where={"backend": "x"}), '"x" is not allowed (x.json at /plots/0/where/backend)'),
    (with_plot(where=3), "3 is no object (x.json at /plots/0/where)"),
    (with_plot(log=["z"]), '"z" is not allowed (x.json at /plots/0/log/0)'),
    (with_plot(lines=[{"label": "a", "points": [[1]]}]), "[1] does not fit (x.json at /plots/0/lines/0/points/0)"),
    (with_plot(lines=[{"label": "a", "points": [[1, "2"]]}]), '"2" is not allowed'),
    (with_plot(lines=[{"points": [[1, 2]]}]), '"label" is missing (x.json at /plots/0/lines/0)'),
    (with_plot(colour="red"), 'there is no key "colour" (x.json at /plots/0)'),
]  # fmt: skip


@pytest.mark.parametrize("value, words", FAULTS, ids=[words[:40] for _, words in FAULTS])
def test_what_it_may_not_say(value, words):
    with pytest.raises(BadExperiment) as fault:
        read(value)
    assert words in str(fault.value)
    assert "\n" not in str(fault.value)
    assert len(str(fault.value)) < 700


@pytest.mark.parametrize("octets, words", [
    (b"\xff\xfe", "not UTF-8"), (b"", "not JSON"), (b" " * (1 << 20) + b"{}", "larger than 1 MiB"),
], ids=["no UTF-8", "empty", "large"])
def test_what_is_no_text_is_refused_with_code_2(bench, octets, words):
    bench.file.write_bytes(octets)
    code, out, err = bench.run()
    assert (code, out) == (2, "") and words in err and err.count("\n") == 1


@pytest.mark.parametrize("words, said", [
    ([], "give either experiments or --list"),
    (["--list", "modes"], "give either experiments or --list"),
    (["nix"], 'there is no file or experiment "nix", only '),
    (["small.json", "small.json"], "there are two experiments with the name small"),
    (["small.json", "--jobs", "0"], "0 is not a number from 1 to 256"),
    (["small.json", "--most-runs", "x"], "x is not a number from 1 to 10000"),
    (["small.json", "--run-seconds", "nan"], "nan is not a number from 0.1 to 1000000"),
    (["small.json", "--no-page", "--page-only"], "not allowed with argument"),
    (["small.json", "--wat"], "unrecognized arguments: --wat"),
])  # fmt: skip
def test_bad_arguments_are_one_line_and_code_2(bench, words, said):
    code, out, err = bench.call(*words)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


SHIPPED = sorted(reader.SHIPPED.glob("*.json"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_ships_is_sound(path):
    experiment = reader.read(path)
    assert experiment.name == path.stem
    assert 0 < len(experiment.runs()) <= 1000
    for run in experiment.runs():
        words, _ = BACKENDS[run["backend"]].command(run)
        assert words[0] in (*BACKENDS[run["backend"]].programs, "python3")


def test_what_ships_is_listed_in_the_documents():
    words = (CHECKOUT / "docs" / "experiments.md").read_text()
    for path in SHIPPED:
        assert f"| `{path.stem}` |" in words


def test_a_mesh_has_every_link_and_devices_that_are_unique_in_a_node():
    whole = json.loads(document("mesh", 5, "10G", "2r/N", "off").text)
    links = whole["fabric"]["links"]
    assert {tuple(link["between"]) for link in links} == {
        (f"n{a}", f"n{b}") for a in range(1, 6) for b in range(a + 1, 6)}
    devices = [(name, device) for link in links for name, device in zip(link["between"], link["devices"])]
    devices += [(node["name"], port["device"]) for node in whole["nodes"] for port in node["ports"]]
    assert len(set(devices)) == len(devices)
    assert {link["rate"] for link in links} == {"4000M"}
    assert whole["vlb"]["flowlet_gap_us"] == [0, 0]


def test_links_of_2r_n_are_rounded_up():
    links = json.loads(document("mesh", 3, "1G", "2r/N", "on").text)["fabric"]["links"]
    assert {link["rate"] for link in links} == {"667M"}


def test_a_butterfly_has_relays_without_ports():
    assert fault("butterfly-2x2", 4, "10G", "on") is None
    whole = json.loads(document("butterfly-2x2", 4, "10G", "10G", "on").text)
    assert [len(node.get("ports", [])) for node in whole["nodes"]] == [1] * 4 + [0] * 4


def test_documents_that_differ_have_names_that_differ():
    names = {document("mesh", nodes, rate, "2r/N", gap).name
             for nodes in (3, 4) for rate in ("1G", "2G") for gap in ("on", "off")}
    assert len(names) == 8
