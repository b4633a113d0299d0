# SPDX-License-Identifier: Apache-2.0
"""An experiment as its file describes it, checked as a whole before anything is run.

docs/experiments.md has the format. A list stands for several values, each combined with all others of
its entry of `runs`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from lab.experiment import values
from lab.experiment.backends import BACKENDS
from lab.experiment.faults import BadExperiment
from lab.experiment.json_file import MOST_OCTETS, Place, checked, fields, items, parse, shown
from lab.experiment.metrics import GOODPUT, METRICS
from lab.experiment.parameters import PARAMETERS

SHIPPED = Path(__file__).parent / "shipped"
MOST_RUNS = 10_000
_MOST_VALUES = 1000
_NAME = values.matching(r"[a-z0-9][a-z0-9-]{0,39}", "1 to 40 small letters, digits and -")
_TITLE, _ABOUT = values.text(100), values.text(2000)
_POINT = values.number(-1e12, 1e12)
SEED = "seed"

Run = dict  # parameter to value, all that the backend takes, and "backend"


@dataclass(frozen=True)
class Line:
    """Something to compare with that was not measured here, such as a bound in closed form."""

    label: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Plot:
    title: str
    about: str
    x: str
    y: str
    series: tuple[str, ...]
    panels: str | None  # one beside the other for each value of it
    loss_free_over: str | None  # the largest y over it of runs that lose hardly anything
    where: dict[str, list]  # any of these values
    log: frozenset[str]  # "x", "y"
    lines: tuple[Line, ...]

    def shows(self, run: Run) -> bool:
        return all(run.get(name) in values for name, values in self.where.items())


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    about: str
    source: str
    sweeps: tuple[dict[str, list], ...]  # what each entry of `runs` combines
    plots: tuple[Plot, ...]
    text: str  # of the file

    @property
    def backends(self) -> list[str]:
        return sorted({name for sweep in self.sweeps for name in sweep["backend"]})

    def runs(self) -> list[Run]:
        """In the order of the file, each once."""
        found: dict[str, Run] = {}
        for sweep in self.sweeps:
            for run in _combined(sweep):
                found.setdefault(json.dumps(run), run)
        return list(found.values())

    def varied(self) -> list[str]:
        """The parameters that are not the same in all runs."""
        return _varied(self.runs())


def _combined(sweep: dict[str, list]) -> Iterator[Run]:
    """Each run has only what its backend takes."""
    for combination in product(*sweep.values()):
        run = dict(zip(sweep, combination))
        taken = BACKENDS[run["backend"]].parameters
        yield {name: value for name, value in run.items() if name == "backend" or name in taken}


def _varied(runs: list[Run]) -> list[str]:
    """What differs between those that have it."""
    values_of: dict[str, set[str]] = {}
    for run in runs:
        for name, value in run.items():
            values_of.setdefault(name, set()).add(json.dumps(value))
    return [name for name, values in values_of.items() if len(values) > 1]


# --- reading ------------------------------------------------------------------------------------


def find(name: str) -> Path:
    """The file of that path, or the shipped experiment of that name."""
    shipped = SHIPPED / f"{name}.json"
    if _NAME.accepts(name) and shipped.is_file():
        return shipped
    path = Path(name)
    if not path.is_file():
        known = ", ".join(sorted(each.stem for each in SHIPPED.glob("*.json")))
        raise BadExperiment(f"there is no file or experiment {shown(name)}, only {known}")
    return path


def read(path: Path) -> Experiment:
    place = Place(path.name)
    try:
        with path.open("rb") as file:
            octets = file.read(MOST_OCTETS + 1)
        if len(octets) > MOST_OCTETS:
            raise place.fault("larger than 1 MiB", "a smaller file")
        text = octets.decode("utf-8")
    except OSError as error:
        raise BadExperiment(f"can not read {shown(str(path))}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise place.fault("not UTF-8", "a JSON file in UTF-8") from error
    return experiment_of(parse(text, place), place, text)


def experiment_of(value: object, place: Place, text: str) -> Experiment:
    required = {"name", "title", "about", "runs", "plots"}
    found = fields(value, place, required, {"source"})
    sweeps = tuple(_sweep(*item) for item in items(found["runs"], place / "runs", 1, 50))
    _check_count(sweeps, place / "runs")
    return Experiment(
        checked(found["name"], place / "name", _NAME),
        checked(found["title"], place / "title", _TITLE),
        checked(found["about"], place / "about", _ABOUT),
        checked(found["source"], place / "source", _ABOUT) if "source" in found else "",
        sweeps,
        _plots(found["plots"], place / "plots", sweeps),
        text,
    )


def _check_count(sweeps: tuple[dict[str, list], ...], place: Place) -> None:
    count = sum(math.prod(len(each) for each in sweep.values()) for sweep in sweeps)
    if count > MOST_RUNS:
        raise place.fault(f"{count} runs are too many", f"what makes at most {MOST_RUNS}")
    for number, sweep in enumerate(sweeps):
        for run in _combined(sweep):
            fault = BACKENDS[run["backend"]].fault(run)
            if fault:
                raise place.fault(f"entry {number}: {fault}", "what goes together")


def _sweep(value: object, place: Place) -> dict[str, list]:
    found = fields(value, place, {"backend"}, set(PARAMETERS))
    backends = _several(found["backend"], place / "backend", values.one_of(*BACKENDS))
    for name in found:
        for backend in backends:
            if name != "backend" and name not in BACKENDS[backend].parameters:
                taken = ", ".join(BACKENDS[backend].parameters)
                raise (place / name).fault(f"the backend {backend} takes no {name}", f"of {taken}")
    # In the order of the parameters' list, so that a file's order does not matter to what is run.
    sweep: dict[str, list] = {"backend": backends}
    for name, parameter in PARAMETERS.items():
        if name in found:
            sweep[name] = _several(found[name], place / name, parameter.kind)
        elif any(name in BACKENDS[backend].parameters for backend in backends):
            sweep[name] = [parameter.default]
    return sweep


def _several(value: object, place: Place, kind: values.Kind) -> list:
    if not isinstance(value, list):
        return [checked(value, place, kind)]
    several = [checked(item, at, kind) for item, at in items(value, place, 1, _MOST_VALUES)]
    for i, item in enumerate(several):
        if item in several[:i]:
            raise place.fault(f"{shown(item)} is there twice", "it once")
    return several


# --- plots --------------------------------------------------------------------------------------


def _plots(value: object, place: Place, sweeps: tuple[dict[str, list], ...]) -> tuple[Plot, ...]:
    runs = [run for sweep in sweeps for run in _combined(sweep)]
    return tuple(_plot(item, at, runs) for item, at in items(value, place, 1, 12))


def _plot(value: object, place: Place, runs: list[Run]) -> Plot:
    optional = {"about", "series", "panels", "loss_free_over", "where", "log", "lines"}
    found = fields(value, place, {"title", "x", "y"}, optional)
    parameter = values.one_of("backend", *PARAMETERS)
    series = found.get("series", [])
    plot = Plot(
        checked(found["title"], place / "title", _TITLE),
        checked(found["about"], place / "about", _ABOUT) if "about" in found else "",
        checked(found["x"], place / "x", parameter),
        checked(found["y"], place / "y", values.one_of(*METRICS)),
        tuple(_several(series, place / "series", parameter)) if series != [] else (),
        checked(found["panels"], place / "panels", parameter) if "panels" in found else None,
        checked(found["loss_free_over"], place / "loss_free_over", parameter)
        if "loss_free_over" in found
        else None,
        _where(found.get("where", {}), place / "where"),
        frozenset(_several(found["log"], place / "log", values.one_of("x", "y")))
        if "log" in found
        else frozenset(),
        _lines(found.get("lines", []), place / "lines"),
    )
    _check_shown(plot, place, runs)
    return plot


def _where(value: object, place: Place) -> dict[str, list]:
    found = fields(value, place, set(), {"backend", *PARAMETERS})
    kinds = {name: parameter.kind for name, parameter in PARAMETERS.items()}
    kinds["backend"] = values.one_of(*BACKENDS)
    return {name: _several(wanted, place / name, kinds[name]) for name, wanted in found.items()}


def _lines(value: object, place: Place) -> tuple[Line, ...]:
    return tuple(_line(item, at) for item, at in items(value, place, 0, 8))


def _line(value: object, place: Place) -> Line:
    found = fields(value, place, {"label", "points"}, set())
    label = checked(found["label"], place / "label", _TITLE)
    points = items(found["points"], place / "points", 1, 200)
    return Line(label, tuple(_point(item, at) for item, at in points))


def _point(value: object, place: Place) -> tuple[float, float]:
    x, y = items(value, place, 2, 2)
    return checked(*x, _POINT), checked(*y, _POINT)


def _check_shown(plot: Plot, place: Place, runs: list[Run]) -> None:
    """A point of a plot is of runs that differ in their seed only; anything else would mislead."""
    shown_runs = [run for run in runs if plot.shows(run)]
    if not shown_runs:
        raise (place / "where").fault("no run is like that", "values that the runs have")
    for run in shown_runs:
        if plot.x not in run:
            raise (place / "x").fault(f"not all runs have {plot.x}", "a parameter that they have")
        if plot.y not in BACKENDS[run["backend"]].metrics:
            what = f"the backend {run['backend']} does not find out {plot.y}"
            raise (place / "y").fault(what, ", ".join(BACKENDS[run["backend"]].metrics))
        if plot.loss_free_over and GOODPUT not in BACKENDS[run["backend"]].metrics:
            what = f"the backend {run['backend']} does not find out {GOODPUT}"
            raise (place / "loss_free_over").fault(what, "a plot without it")
    points: dict[str, list[Run]] = {}
    for run in shown_runs:
        where = [run.get(name) for name in (plot.x, *plot.series, plot.panels)]
        points.setdefault(json.dumps(where), []).append(run)
    for several in points.values():
        for name in _varied(several):
            if name not in (SEED, plot.loss_free_over):
                what = f"runs of one point differ in {name}, which the plot would mix"
                wanted = f"{name} as x, series or panels, or one value of it in where"
                raise place.fault(what, wanted)
