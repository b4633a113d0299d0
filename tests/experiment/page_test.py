# SPDX-License-Identifier: Apache-2.0
"""The drawings show what was found, and the page is whole, small and harmless."""

import re
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

import pytest

pytest.importorskip("matplotlib")

from conftest import description  # noqa: E402
from fake_rackway import FAILS  # noqa: E402
from lab.experiment.description import Plot  # noqa: E402
from lab.experiment.figures import draw, panels_of, series_of  # noqa: E402


def plot(**changes):
    plain = dict(title="t", about="", x="load", y="gbps", series=(), panels=None, loss_free_over=None,
                 where={}, log=frozenset(), lines=())
    return Plot(**plain | changes)


def row(gbps, goodput=100.0, **parameters):
    return {"parameters": parameters, "found": {"gbps": gbps, "goodput_percent": goodput}, "error": None}


def failed(**parameters):
    return {"parameters": parameters, "found": None, "error": "why"}


def test_a_point_is_the_median_least_and_most_of_its_seeds():
    rows = [row(y, load=0.5, seed=seed) for seed, y in enumerate([4.0, 1.0, 2.0])]
    (series,) = series_of(plot(), [*rows, row(9.0, load=1, seed=0)])
    assert series.points == [(0.5, 2.0, 1.0, 4.0), (1, 9.0, 9.0, 9.0)]


def test_series_and_panels_are_told_apart():
    rows = [row(1.0, load=1, mode="direct", nodes=4), row(2.0, load=1, mode="valiant", nodes=8),
            row(3.0, load=1, mode="direct", nodes=8)]
    panels = panels_of(plot(series=("mode",), panels="nodes"), rows)
    assert {title: {each.label: each.points[0][1] for each in found} for title, found in panels.items()} == {
        "4 nodes with external ports": {"direct": 1.0},
        "8 nodes with external ports": {"valiant": 2.0, "direct": 3.0}}


def test_what_is_not_meant_or_failed_is_left_out():
    rows = [row(1.0, load=1, mode="direct"), row(2.0, load=1, mode="valiant"), failed(load=1, mode="direct")]
    panels = panels_of(plot(where={"mode": ["direct"]}), rows)
    assert [each.points for each in panels[""]] == [[(1, 1.0, 1.0, 1.0)]]


def test_the_most_without_loss():
    rows = [row(10.0, load=0.5, size=64), row(18.0, 99.95, load=0.9, size=64), row(19.0, 99.8, load=1, size=64),
            row(5.0, 99, load=0.5, size=128)]
    panels = panels_of(plot(x="size", loss_free_over="load"), rows)
    assert [each.points for each in panels[""]] == [[(64, 18.0, 18.0, 18.0)]]


def test_nothing_to_show_is_nothing():
    assert draw(plot(), []) == "" and draw(plot(), [failed(load=1)]) == ""


@pytest.mark.parametrize("rows", [
    [row(1.0, load=0.5, seed=1), row(2.0, load=0.5, seed=2), row(3.0, load=1, seed=1)],
    [row(1.0, load="imix", seed=1), row(2.0, load="imix", seed=2), row(3.0, load=64, seed=1)],
    [row(0.0, load=0.5), row(0.0, load=1)],
], ids=["numbers", "words", "zeros"])
@pytest.mark.parametrize("log", [(), ("x", "y")])
def test_a_drawing_is_sound_has_the_colours_of_the_page_and_is_always_the_same(rows, log):
    drawn = draw(plot(log=frozenset(log)), rows)
    tree.fromstring(drawn)
    assert set(re.findall(r"#[0-9a-f]{6}", drawn)) <= {"#ffffff"}
    assert "var(--series-0)" in drawn and "currentColor" in drawn
    assert ">Throughput (Gb/s of frames)<" in drawn
    assert drawn == draw(plot(log=frozenset(log)), rows)


class _Links(HTMLParser):
    """What a browser would fetch, and whether all that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.fetched, self.open = [], []

    def handle_starttag(self, tag, attributes):
        self.fetched += [value for name, value in attributes
                         if name in ("src", "href", "xlink:href") and not value.startswith("#")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole(bench):
    title, about = "<script>alert(1)</script>", "a & b"
    bench.write(title=title, about=about, source="<b>", runs=[
        {"backend": "sim", "load": [0.5, 1], "seed": [1, FAILS],
         "failure": {"name": "<i>dies</i>", "fail": ["n1@5"]}}])
    code, out, _ = bench.call("small.json")
    assert code == 1 and out.endswith("page: experiments/index.html\n")
    page = (bench.folder / "experiments" / "index.html").read_text()
    parser = _Links()
    parser.feed(page)
    parser.close()
    assert parser.open == [] and parser.fetched == []
    assert "<script" not in page and "<i>" not in page and "a &amp; b" in page
    assert "rackway experiment small.json" in page and "<svg" in page and "<!--" not in page
    assert page.count("<tr>") == 5 and page.count("exit code 3: no way") == 2
    assert "2 of 4 runs failed and are in no plot" in page
    assert "<code>mode</code> adaptive" in page
    assert page.count("rackway sim documents/mesh-4-") == 4


def test_a_page_of_what_there_is_runs_nothing(bench):
    bench.run()
    (bench.build.folder / "bin" / "rackway").unlink()
    code, out, err = bench.call("small.json", "--page-only")
    assert (code, out, err) == (0, "page: experiments/index.html\n", "")


def test_a_page_before_anything_is_done_says_so(bench):
    assert bench.call("small.json", "--page-only")[0] == 0
    assert "Nothing was found yet." in (bench.folder / "experiments" / "index.html").read_text()


def test_the_page_has_the_runs_of_the_file_as_it_is_now_and_of_the_last_program(bench):
    bench.run()
    bench.build.change("second")
    bench.write(runs=[{"backend": "sim", "load": [0.5], "seed": [1]}])
    bench.call("small.json")
    assert (bench.folder / "experiments" / "index.html").read_text().count("<tr>") == 2


def test_several_on_one_page(bench):
    (bench.folder / "other.json").write_text(bench.file.read_text().replace('"small"', '"other"'))
    assert bench.call("small.json", "other.json")[0] == 0
    page = (bench.folder / "experiments" / "index.html").read_text()
    assert page.count("<section") == 2 and '<a href="#other">' in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
