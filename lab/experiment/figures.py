# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG to stand in a page: words stay words, and colours are the page's, so that one drawing does
in light, in dark and on paper.

A point is the median over the seeds, its bar the least and the most of them.
"""

from __future__ import annotations

import io
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

from lab.experiment.description import Plot
from lab.experiment.metrics import METRICS
from lab.experiment.parameters import PARAMETERS
from lab.experiment.results import Row
from lab.experiment.values import word

COLOURS = 8
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", "-.", ":")
# Stand for colours of the page until the drawing is made.
_INK, _AXIS, _GRID, _REFERENCE = "#010101", "#010102", "#010103", "#010104"
_PAGE_COLOURS = {
    _INK: "currentColor",
    _AXIS: "var(--axis)",
    _GRID: "var(--grid)",
    _REFERENCE: "var(--reference)",
} | {f"#0200{i:02x}": f"var(--series-{i})" for i in range(COLOURS)}
_STYLE = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _AXIS,
    "ytick.color": _AXIS,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "axes.edgecolor": _AXIS,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": _GRID,
    "grid.linewidth": 0.8,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
}
_WIDTH, _HEIGHT, _LOW_HEIGHT = 7.2, 3.6, 2.7  # inches
_MOST_COLUMNS = 2
_MOST_TICKS = 12
_BAR_SHARE = 0.8  # of a place on the axis


@dataclass(frozen=True)
class Series:
    label: str
    points: list[tuple[object, float, float, float]]  # x, median, least, most


def label_of(parameter: str) -> str:
    return "Backend" if parameter == "backend" else PARAMETERS[parameter].label


def series_of(plot: Plot, rows: Iterable[Row]) -> list[Series]:
    """In the order in which they come in the rows."""
    found: dict[str, dict[object, list[float]]] = {}
    for row in rows:
        run = row["parameters"]
        label = ", ".join(_named(name, run[name]) for name in plot.series if name in run)
        x = run[plot.x] if isinstance(run[plot.x], (int, float)) else word(run[plot.x])
        found.setdefault(label, {}).setdefault(x, []).append(row["found"][plot.y])
    return [
        Series(label, [(x, statistics.median(ys), min(ys), max(ys)) for x, ys in points.items()])
        for label, points in found.items()
    ]


def panels_of(plot: Plot, rows: Iterable[Row]) -> dict[str, list[Series]]:
    """By the panel's title, in the order in which they come in the rows; one without title without."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        run = row["parameters"]
        if plot.shows(run) and row["found"] and row["found"].get(plot.y) is not None:
            title = _named(plot.panels, run[plot.panels]) if plot.panels in run else ""
            found.setdefault(title, []).append(row)
    return {title: series_of(plot, several) for title, several in found.items()}


def _named(name: str, value: object) -> str:
    """Words speak for themselves, numbers do not."""
    if name == "failure" and value == "none":
        return "no failure"
    if name == "flowlets" and value in ("on", "off"):
        return "flowlets" if value == "on" else "no flowlets"
    if isinstance(value, (int, float)):
        return f"{value:g} {label_of(name).lower()}" if name == "nodes" else f"{name} {value:g}"
    return word(value)


def draw(plot: Plot, rows: Iterable[Row]) -> str:
    """SVG to be put into a page that has the colours; empty if there is nothing to show."""
    panels = panels_of(plot, rows)
    if not panels:
        return ""
    places = {each.label: None for found in panels.values() for each in found}
    places = {label: number for number, label in enumerate(places)}
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": plot.title}):
        figure, all_axes = _axes_of(len(panels))
        for axes, (title, found) in zip(all_axes, panels.items()):
            if all(isinstance(x, (int, float)) for each in found for x, *_ in each.points):
                _draw_lines(axes, plot, found, places)
            else:
                _draw_bars(axes, found, places)
            axes.set_title(title, fontsize=10)
        _finish(figure, all_axes, plot)
        return _in_page_colours(figure)


def _axes_of(count: int) -> tuple[Figure, list[Axes]]:
    columns = min(count, _MOST_COLUMNS)
    lines = -(-count // columns)
    figure = Figure(figsize=(_WIDTH, _HEIGHT if lines == 1 else lines * _LOW_HEIGHT), layout="constrained")
    grid = figure.subplots(lines, columns, sharey=True, squeeze=False)
    for unused in list(grid.flat)[count:]:
        unused.remove()
    return figure, list(grid.flat)[:count]


def _colour(number: int) -> str:
    return f"#0200{number % COLOURS:02x}"


def _bars_of(points: list[tuple[object, float, float, float]]) -> list[list[float]] | None:
    if all(least == most for _, _, least, most in points):
        return None
    return [[mid - least for _, mid, least, _ in points], [most - mid for _, mid, _, most in points]]


def _draw_lines(axes: Axes, plot: Plot, found: list[Series], places: dict[str, int]) -> None:
    xs = sorted({x for each in found for x, *_ in each.points})
    for each in found:
        number = places[each.label]
        points = sorted(each.points)
        axes.errorbar(
            [x for x, *_ in points],
            [mid for _, mid, *_ in points],
            yerr=_bars_of(points),
            color=_colour(number),
            marker=_MARKERS[number % len(_MARKERS)],
            linestyle=_DASHES[number // 2 % len(_DASHES)],
            markersize=5 if len(xs) <= 30 else 2.5,
            capsize=3,
            linewidth=1.6,
            label=each.label or None,
        )
    for number, line in enumerate(plot.lines):
        axes.plot(
            [x for x, _ in line.points],
            [y for _, y in line.points],
            color=_REFERENCE,
            linestyle=_DASHES[(number + 1) % len(_DASHES)],
            marker="_" if len(line.points) == 1 else None,
            markersize=14,
            linewidth=1.2,
            label=line.label,
        )
    _scale(axes, plot, xs)


def _scale(axes: Axes, plot: Plot, xs: list[float]) -> None:
    if "x" in plot.log and xs[0] > 0:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(ScalarFormatter())
    if len(xs) <= _MOST_TICKS and ("x" in plot.log or _is_spread(xs)):
        axes.xaxis.set_major_locator(FixedLocator(xs))
    if "y" in plot.log:
        axes.set_yscale("log")
    else:
        axes.margins(y=0.08)
        axes.set_ylim(bottom=0)


def _is_spread(xs: list[float]) -> bool:
    """No two are so near to each other that their numbers would touch."""
    width = xs[-1] - xs[0]
    return all(b - a > width / 16 for a, b in zip(xs, xs[1:]))


def _draw_bars(axes: Axes, found: list[Series], places: dict[str, int]) -> None:
    names = list(dict.fromkeys(str(word(x)) for each in found for x, *_ in each.points))
    width = _BAR_SHARE / len(places)
    for each in found:
        number = places[each.label]
        offset = (number - (len(places) - 1) / 2) * width
        axes.bar(
            [names.index(str(word(x))) + offset for x, *_ in each.points],
            [mid for _, mid, *_ in each.points],
            width * 0.92,
            yerr=_bars_of(each.points),
            color=_colour(number),
            ecolor=_AXIS,
            capsize=2,
            label=each.label or None,
        )
    axes.set_xticks(range(len(names)), names)
    axes.grid(False, axis="x")


def _finish(figure: Figure, all_axes: list[Axes], plot: Plot) -> None:
    if len(all_axes) == 1:
        all_axes[0].set_xlabel(label_of(plot.x))
        all_axes[0].set_ylabel(METRICS[plot.y])
    else:
        figure.supxlabel(label_of(plot.x), fontsize=10)
        figure.supylabel(METRICS[plot.y], fontsize=10)
    known: dict[str, object] = {}
    for axes in all_axes:
        known |= {label: handle for handle, label in zip(*axes.get_legend_handles_labels())}
    if not known:
        return
    # Beside the panel at the right of the first line, where there is room for the words.
    beside = all_axes[min(len(all_axes), _MOST_COLUMNS) - 1]
    beside.legend(known.values(), known.keys(), loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)


def _in_page_colours(figure: Figure) -> str:
    FigureCanvasSVG(figure)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg [^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg [^>]*?)\bheight="[^"]*" ', r"\1", svg, count=1)
    return re.sub(r"#0[12]00?[0-9a-f]{2,3}", lambda m: _PAGE_COLOURS.get(m[0], m[0]), svg)
