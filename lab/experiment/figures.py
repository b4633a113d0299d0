# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG to stand in a page: words stay words, and colours are the page's, so that one drawing does
in light, in dark and on paper.

A point is the median over the seeds, its bar the least and the most of them.
"""

from __future__ import annotations

import io
import math
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from lab.experiment.description import SEED, Plot
from lab.experiment.metrics import GOODPUT, LOSS_FREE_PERCENT, METRICS
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
_PLAIN = FuncFormatter(lambda value, _: f"{value:g}" if value < 1e6 else f"{value:.0e}")
_HEADROOM = 1.07
_BAR_SHARE = 0.8  # of a place on the axis


Point = tuple[object, float, float, float]  # x, median, least, most


@dataclass(frozen=True)
class Series:
    label: str
    points: list[Point]


def label_of(parameter: str) -> str:
    return "Backend" if parameter == "backend" else PARAMETERS[parameter].label


def series_of(plot: Plot, rows: Iterable[Row]) -> list[Series]:
    """In the order in which they come in the rows."""
    found: dict[str, dict[object, dict[object, float]]] = {}  # by label, x, seed
    for row in rows:
        run, value = row["parameters"], row["found"][plot.y]
        label = ", ".join(_named(name, run[name]) for name in plot.series if name in run)
        x = run[plot.x] if isinstance(run[plot.x], (int, float)) else word(run[plot.x])
        seeds = found.setdefault(label, {}).setdefault(x, {})
        seeds[run.get(SEED)] = max(value, seeds.get(run.get(SEED), value))
    return [
        Series(label, [_point(x, list(seeds.values())) for x, seeds in points.items()])
        for label, points in found.items()
    ]


def _point(x: object, ys: list[float]) -> Point:
    return x, statistics.median(ys), min(ys), max(ys)


def _counts(plot: Plot, row: Row) -> bool:
    if not plot.shows(row["parameters"]) or not row["found"] or row["found"].get(plot.y) is None:
        return False
    return not plot.loss_free_over or row["found"][GOODPUT] >= LOSS_FREE_PERCENT


def panels_of(plot: Plot, rows: Iterable[Row]) -> dict[str, list[Series]]:
    """By the panel's title, in the order in which they come in the rows; one without title without."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        run = row["parameters"]
        if _counts(plot, row):
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


def draw(plot: Plot, rows: Iterable[Row], name: str = "") -> str:
    """SVG to be put into a page that has the colours; empty if there is nothing to show.

    NAME is of this drawing alone in its page, and makes names in it differ from those in others.
    """
    panels = panels_of(plot, rows)
    if not panels:
        return ""
    places = {each.label: None for found in panels.values() for each in found}
    places = {label: number for number, label in enumerate(places)}
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name or plot.title}):
        figure, all_axes = _axes_of(len(panels))
        for axes, (title, found) in zip(all_axes, panels.items()):
            if all(isinstance(x, (int, float)) for each in found for x, *_ in each.points):
                _draw_lines(axes, plot, found, places, len(panels) > 1)
            else:
                _draw_bars(axes, found, places)
            axes.set_title(title, fontsize=10)
        _scale_y(all_axes[0], plot, _largest(plot, panels))  # the others share it
        _finish(figure, all_axes, plot)
        return _in_page_colours(figure)


def _largest(plot: Plot, panels: dict[str, list[Series]]) -> float:
    measured = (most for found in panels.values() for each in found for *_, most in each.points)
    drawn = (y for line in plot.lines for _, y in line.points)
    return max(*measured, *drawn, 0, 0)


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


def _bars_of(points: list[Point]) -> list[list[float]] | None:
    if all(least == most for _, _, least, most in points):
        return None
    return [[mid - least for _, mid, least, _ in points], [most - mid for _, mid, _, most in points]]


def _draw_lines(
    axes: Axes, plot: Plot, found: list[Series], places: dict[str, int], narrow: bool
) -> None:
    xs = sorted({x for each in found for x, *_ in each.points})
    for each in found:
        number = places[each.label]
        points = sorted(each.points)
        # Those drawn earlier are thicker, so that they are seen behind others that they agree with.
        behind = (len(places) - 1 - number) / max(1, len(places) - 1)
        axes.errorbar(
            [x for x, *_ in points],
            [mid for _, mid, *_ in points],
            yerr=_bars_of(points),
            color=_colour(number),
            marker=_MARKERS[number % len(_MARKERS)],
            linestyle=_DASHES[number % len(_DASHES)],
            markersize=(4.5 if len(xs) <= 30 else 2) + 2 * behind,
            capsize=3,
            linewidth=1.4 + 1.1 * behind,
            elinewidth=1.2,
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
    _scale(axes, plot, xs, narrow)


def _scale(axes: Axes, plot: Plot, xs: list[float], narrow: bool) -> None:
    if "x" in plot.log and xs[0] > 0:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(_PLAIN)
    if len(xs) <= _MOST_TICKS:
        axes.xaxis.set_major_locator(FixedLocator(_apart(xs, "x" in plot.log, narrow)))


def _scale_y(axes: Axes, plot: Plot, largest: float) -> None:
    if "y" in plot.log and largest > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(_PLAIN)
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, _HEADROOM * largest or 1)


def _apart(xs: list[float], log: bool, narrow: bool) -> list[float]:
    """Those whose numbers do not touch on the axis: the ends, and of the others what has room."""
    if len(xs) < 3:
        return xs
    place = (lambda x: math.log(x)) if log and xs[0] > 0 else (lambda x: x)
    room = (place(xs[-1]) - place(xs[0])) * (0.15 if narrow else 0.06)
    kept = [xs[0]]
    for x in xs[1:-1]:
        if place(x) - place(kept[-1]) >= room and place(xs[-1]) - place(x) >= room:
            kept.append(x)
    return [*kept, xs[-1]]


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
    y_label = METRICS[plot.y] + (", without loss" if plot.loss_free_over else "")
    if len(all_axes) == 1:
        all_axes[0].set_xlabel(label_of(plot.x))
        all_axes[0].set_ylabel(y_label)
    else:
        figure.supxlabel(label_of(plot.x), fontsize=10)
        figure.supylabel(y_label, fontsize=10)
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
    return _slim(re.sub(r"#0[12][0-9a-f]{4}", lambda m: _PAGE_COLOURS.get(m[0], m[0]), svg))


_SUPERFLUOUS = [
    (r"^.*?(?=<svg)", ""),  # what a file has before its first element
    (r"<metadata>.*?</metadata>", ""),
    (r'(<svg [^>]*?)width="[^"]*" ', r"\1"),
    (r'(<svg [^>]*?)height="[^"]*" ', r"\1"),
    (r"'DejaVu Sans'[^;\"]*?sans-serif", "sans-serif"),
    (r' transform="rotate\(-0 [^"]*"', ""),
    (r"(\d+\.\d\d)\d+", r"\1"),
    (r'<g id="[a-z0-9_.]+">', "<g>"),
    (r"(?<=[0-9a-z]) ?\n+(?=[A-Za-z\"])", " "),
    (r">\s+<", "><"),
]


def _slim(svg: str) -> str:
    """The same drawing to a hundredth of a point, in half the octets."""
    for pattern, instead in _SUPERFLUOUS:
        svg = re.sub(pattern, instead, svg, flags=re.DOTALL)
    return svg
