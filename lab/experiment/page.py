# SPDX-License-Identifier: Apache-2.0
"""One HTML page, complete in itself: plots, what was held fixed, all rows, and the command to do it again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lab.experiment.description import Experiment, Plot
from lab.experiment.figures import draw, label_of
from lab.experiment.metrics import METRICS
from lab.experiment.results import Row
from lab.experiment.values import word

_FRAME = Path(__file__).with_name("page.html")


@dataclass(frozen=True)
class Chapter:
    experiment: Experiment
    rows: list[Row]


def render(chapters: list[Chapter], command: str) -> str:
    title = chapters[0].experiment.title if len(chapters) == 1 else "Experiments"
    body = [_contents(chapters)] if len(chapters) > 1 else []
    body += [_chapter(chapter, len(chapters) > 1) for chapter in chapters]
    text = _FRAME.read_text(encoding="utf-8")
    for name, words in (
        ("title", escape(title)),
        ("command", escape(command)),
        ("origin", _origin([row for chapter in chapters for row in chapter.rows])),
        ("body", "\n".join(body)),
    ):
        text = text.replace(f"<!--{name}-->", words)
    return _with_classes(text)


def _with_classes(page: str) -> str:
    """What drawings say about each of their lines is said once, which halves them."""
    styles = Counter(re.findall(r' style="([^"]*)"', page))
    classes = {style: f"s{i}" for i, style in enumerate(s for s, count in styles.items() if count > 2)}
    rules = "".join(f".{name} {{ {style} }}\n" for style, name in classes.items())
    page = re.sub(
        r' style="([^"]*)"',
        lambda found: f' class="{classes[found[1]]}"' if found[1] in classes else found[0],
        page,
    )
    return page.replace("</style>", rules + "</style>", 1)


def _contents(chapters: list[Chapter]) -> str:
    links = (
        f'<li><a href="#{chapter.experiment.name}">{escape(chapter.experiment.title)}</a></li>'
        for chapter in chapters
    )
    return f"<nav><ul>{''.join(links)}</ul></nav>"


def _distinct(values: Iterable[object]) -> list[str]:
    return list(dict.fromkeys(str(value) for value in values if value is not None))


def _origin(rows: list[Row]) -> str:
    """Where and with which programs, of all rows; several where they differ."""
    programs = [row["program"] for row in rows]
    parts = [
        ("program", _distinct(p["version"] for p in programs)),
        ("commit", _distinct(_commit(p) for p in programs)),
        ("machine", _distinct(p["machine"] for p in programs)),
        ("from", [min(row["started"] for row in rows)] if rows else []),
        ("to", [max(row["started"] for row in rows)] if rows else []),
    ]
    items = (f"<dt>{name}</dt><dd>{'; '.join(map(escape, found))}</dd>" for name, found in parts if found)
    return f"<dl>{''.join(items)}</dl>"


def _commit(program: dict) -> str | None:
    if program["commit"] is None:
        return None
    return program["commit"][:12] + (" with changes" if program["changed"] else "")


def _chapter(chapter: Chapter, has_heading: bool) -> str:
    experiment = chapter.experiment
    parts = [f'<section id="{experiment.name}">']
    if has_heading:
        parts.append(f"<h2>{escape(experiment.title)}</h2>")
    parts.append(f"<p>{escape(experiment.about)}</p>")
    if experiment.source:
        parts.append(f'<p class="source">Source: {escape(experiment.source)}</p>')
    for number, plot in enumerate(experiment.plots):
        parts.append(_figure(plot, chapter.rows, f"{experiment.name} {number}"))
    parts += [_failures(chapter.rows), _fixed(chapter), _table(chapter), "</section>"]
    return "\n".join(filter(None, parts))


def _figure(plot: Plot, rows: list[Row], name: str) -> str:
    drawn = draw(plot, rows, name) or '<p class="nothing">Nothing was found yet.</p>'
    about = f" {escape(plot.about)}" if plot.about else ""
    caption = f"<figcaption><b>{escape(plot.title)}.</b>{about}</figcaption>"
    return f"<figure>{drawn}{caption}</figure>"


def _failures(rows: list[Row]) -> str:
    failed = sum(row["error"] is not None for row in rows)
    if failed == 0:
        return ""
    return f'<p class="failed">{failed} of {len(rows)} runs failed and are in no plot; the table has why.</p>'


def _fixed(chapter: Chapter) -> str:
    """What all runs have in common, of those that have it."""
    varied = {*chapter.experiment.varied(), "backend"}
    fixed: dict[str, str] = {}
    for run in chapter.experiment.runs():
        fixed |= {name: word(value) for name, value in run.items() if name not in varied}
    if not fixed:
        return ""
    items = ", ".join(f"<code>{name}</code> {escape(value)}" for name, value in fixed.items())
    return f"<p>The same in all runs: {items}.</p>"


def _columns(chapter: Chapter) -> tuple[list[str], list[str]]:
    """Parameters that differ, and what was found that a plot shows."""
    found = dict.fromkeys(plot.y for plot in chapter.experiment.plots)
    return ["backend", *(name for name in chapter.experiment.varied() if name != "backend")], list(found)


def _table(chapter: Chapter) -> str:
    parameters, metrics = _columns(chapter)
    heads = "".join(f'<th title="{escape(label_of(name))}">{name}</th>' for name in parameters)
    heads += "".join(f'<th title="{escape(METRICS[name])}">{name}</th>' for name in metrics)
    lines = "\n".join(_line(row, parameters, metrics) for row in chapter.rows)
    return (
        f"<details><summary>All {len(chapter.rows)} rows</summary>"
        f'<div class="wide"><table><thead><tr>{heads}<th>command</th></tr></thead>'
        f"<tbody>\n{lines}\n</tbody></table></div></details>"
    )


def _line(row: Row, parameters: list[str], metrics: list[str]) -> str:
    cells = [escape(word(row["parameters"].get(name, "-"))) for name in parameters]
    if row["error"] is None:
        cells += [_number(row["found"].get(name)) for name in metrics]
        tds = "".join(f"<td>{cell}</td>" for cell in cells)
    else:
        tds = "".join(f"<td>{cell}</td>" for cell in cells)
        tds += f'<td class="failed" colspan="{len(metrics)}">{escape(row["error"])}</td>'
    return f"<tr>{tds}<td><code>{escape(row['command'])}</code></td></tr>"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"
