# SPDX-License-Identifier: Apache-2.0
"""`rackway experiment`: arguments in, exit code out.

Exit codes: 0 all runs are done, 1 some failed or something does not work, 2 bad arguments or a bad file,
130 interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import shlex
import signal
import sys
import time
from pathlib import Path

from lab.experiment import description, runner
from lab.experiment.description import SHIPPED, Experiment
from lab.experiment.faults import BadExperiment, ExperimentFault
from lab.experiment.results import Results, Row, read_rows, write_whole

_OUT = "experiments"
_MOST_RUNS = 2000
_RUN_SECONDS = 600.0
_EXAMPLES = """\
examples:
  rackway experiment --list
  rackway experiment throughput --jobs 2
  rackway experiment mine.json --dry-run
  rackway experiment failover modes --out results    both on one page
"""


class _OneLineParser(argparse.ArgumentParser):
    def error(self, message: str):
        self.exit(2, f"{message}; see {self.prog} --help\n")


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= description.MOST_RUNS:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to {description.MOST_RUNS}")
    return int(text)


def _jobs(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to 256")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0.1 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0.1 to 1000000")
    return value


def _parse(words: list[str]) -> argparse.Namespace:
    parser = _OneLineParser(
        prog="rackway experiment",
        description="Runs the sweeps that files name, and draws what came of them. What is done "
        "already is not done again.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_EXAMPLES,
    )
    parser.add_argument("names", nargs="*", metavar="EXPERIMENT", help="a file, or one that ships")
    parser.add_argument("--list", action="store_true", help="print what ships")
    parser.add_argument(
        "--out", type=Path, default=Path(_OUT), metavar="DIR", help=f"rows and page; else {_OUT}"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the runs and do none")
    parser.add_argument("--jobs", type=_jobs, default=1, metavar="N", help="so many at a time; else 1")
    parser.add_argument(
        "--most-runs", type=_count, default=_MOST_RUNS, metavar="N",
        help=f"refuse to do more; else {_MOST_RUNS}",
    )  # fmt: skip
    parser.add_argument(
        "--run-seconds", type=_seconds, default=_RUN_SECONDS, metavar="S",
        help=f"a run that takes longer has failed; else {_RUN_SECONDS:g}",
    )  # fmt: skip
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--page-only", action="store_true", help="draw what there is and run nothing")
    what.add_argument("--no-page", action="store_true", help="run and draw nothing")
    arguments = parser.parse_args(words)
    if bool(arguments.names) == arguments.list:
        parser.error("give either experiments or --list")
    return arguments


def _list() -> None:
    for path in sorted(SHIPPED.glob("*.json")):
        experiment = description.read(path)
        print(f"{experiment.name:<14} {len(experiment.runs()):>4} runs  {experiment.title}")


def _read(names: list[str]) -> list[Experiment]:
    experiments: list[Experiment] = []
    for name in names:
        experiment = description.read(description.find(name))
        if any(experiment.name == each.name for each in experiments):
            raise BadExperiment(f"there are two experiments with the name {experiment.name}")
        experiments.append(experiment)
    return experiments


class _Bar:
    """How far the runs are, on a terminal only."""

    def __init__(self, count: int) -> None:
        self._count, self._begin = count, time.monotonic()
        self._is_terminal = sys.stderr.isatty()

    def show(self, done: int, failed: int) -> None:
        if not self._is_terminal:
            return
        left = (time.monotonic() - self._begin) / max(done, 1) * (self._count - done)
        full = 30 * done // self._count
        bar = "=" * full + " " * (30 - full)
        about = f", about {left:.0f} s left" if done else ""
        words = f"[{bar}] {done} of {self._count}" + (f", {failed} failed" if failed else "") + about
        print(f"\r{words:<78}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._is_terminal:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)


async def _until_told_to_end(work) -> int:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    return await work


def _run(experiment: Experiment, to_do: list[runner.Task], arguments: argparse.Namespace) -> int:
    """Returns how many failed."""
    folder = arguments.out / experiment.name
    with Results(folder) as results:
        done = results.done()
        missing = [task for task in to_do if task.key not in done]
        print(
            f"{experiment.name}: {len(to_do)} runs, {len(to_do) - len(missing)} done already, "
            f"{len(missing)} to do",
            flush=True,
        )
        write_whole(folder / "experiment.json", experiment.text)
        bar = _Bar(len(missing))
        bar.show(0, 0)
        try:
            failed = asyncio.run(
                _until_told_to_end(
                    runner.run_all(
                        experiment, missing, folder, results, arguments.jobs,
                        arguments.run_seconds, bar.show,
                    )  # fmt: skip
                )
            )
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None
        finally:
            bar.clear()
            results.write_table()
    return failed


def _dry_run(experiment: Experiment, to_do: list[runner.Task], out: Path) -> None:
    rows = read_rows(out / experiment.name)
    done = {row["key"] for row in rows if row["error"] is None}
    missing = sum(task.key not in done for task in to_do)
    print(f"{experiment.name}: {len(to_do)} runs, {missing} to do")
    for task in to_do:
        print(f"  {'done' if task.key in done else 'to do'}  {task.key}  {task.command}")


def _check_count(all_tasks: list[list[runner.Task]], most: int) -> None:
    count = sum(map(len, all_tasks))
    if count > most:
        raise BadExperiment(f"these are {count} runs, more than {most}; allow them with --most-runs")


def _latest(rows: list[Row], experiment: Experiment) -> list[Row]:
    """One row for each run of the experiment as it is now, of the programs that were last used."""
    latest = {_name(row["parameters"]): row for row in sorted(rows, key=lambda row: row["started"])}
    return [latest[_name(run)] for run in experiment.runs() if _name(run) in latest]


def _name(run: description.Run) -> str:
    return repr(sorted(run.items()))


def _command(arguments: argparse.Namespace) -> str:
    words = ["rackway", "experiment", *arguments.names]
    return shlex.join(words + (["--out", str(arguments.out)] if str(arguments.out) != _OUT else []))


def _draw(experiments: list[Experiment], arguments: argparse.Namespace) -> None:
    from lab.experiment import page  # needs matplotlib, which the rest does not

    chapters = [
        page.Chapter(each, _latest(read_rows(arguments.out / each.name), each)) for each in experiments
    ]
    path = arguments.out / "index.html"
    write_whole(path, page.render(chapters, _command(arguments)))
    print(f"page: {path}")


def _experiment(arguments: argparse.Namespace) -> int:
    if arguments.list:
        _list()
        return 0
    experiments = _read(arguments.names)
    draws = not (arguments.no_page or arguments.dry_run)
    if draws and importlib.util.find_spec("matplotlib") is None:
        raise ExperimentFault("the page needs python3-matplotlib: ./dev deps, or --no-page")
    failed = 0
    if not arguments.page_only:
        all_tasks = [runner.tasks(experiment) for experiment in experiments]
        _check_count(all_tasks, description.MOST_RUNS if arguments.dry_run else arguments.most_runs)
        for experiment, tasks in zip(experiments, all_tasks):
            if arguments.dry_run:
                _dry_run(experiment, tasks, arguments.out)
            else:
                failed += _run(experiment, tasks, arguments)
    if draws:
        _draw(experiments, arguments)
    if failed:
        print(f"{failed} runs failed; rows.jsonl has why", file=sys.stderr)
    return 1 if failed else 0


def main(words: list[str]) -> int:
    try:
        return _experiment(_parse(words))
    except BadExperiment as fault:
        print(f"{fault}", file=sys.stderr)
        return 2
    except ExperimentFault as fault:
        print(f"rackway experiment: {fault}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("rackway experiment: interrupted; what is done is kept", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
