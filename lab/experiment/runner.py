# SPDX-License-Identifier: Apache-2.0
"""Does the runs of an experiment that have not been done, some at a time, and adds a row for each.

A run that fails, does not end in time or prints something else is a row with its error; the others go
on. When this process dies, so do the programs that it runs.
"""

from __future__ import annotations

import asyncio
import ctypes
import datetime
import hashlib
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.commands import program
from lab.experiment import provenance
from lab.experiment.backends import BACKENDS, Backend
from lab.experiment.description import Experiment, Run
from lab.experiment.documents import Document
from lab.experiment.results import Results, Row, write_whole

CHECKOUT = Path(__file__).resolve().parents[2]
_KEY_DIGITS = 16
_MOST_OUTPUT = 1 << 30
_ERROR_CHARACTERS = 500
_END_SECONDS = 60.0  # for a program that was told to end: a lab has to be taken down
_PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None, use_errno=True).prctl


@dataclass(frozen=True)
class Task:
    """One run that can be done: KEY is the same only for the same run of the same programs."""

    key: str
    run: Run
    words: list[str]
    document: Document | None
    program: dict

    @property
    def backend(self) -> Backend:
        return BACKENDS[self.run["backend"]]

    @property
    def command(self) -> str:
        """To be given in the experiment's folder, with the programs on the path."""
        return shlex.join(self.words)


def tasks(experiment: Experiment) -> list[Task]:
    programs = {name: provenance.of_backend(BACKENDS[name].programs) for name in experiment.backends}
    found = []
    for run in experiment.runs():
        words, document = BACKENDS[run["backend"]].command(run)
        made_of = programs[run["backend"]]
        identity = json.dumps([run, words, made_of["digest"]], sort_keys=True)
        key = hashlib.sha256(identity.encode()).hexdigest()[:_KEY_DIGITS]
        found.append(Task(key, run, words, document, made_of))
    return found


Progress = Callable[[int, int], None]  # done, of these failed


async def run_all(
    experiment: Experiment,
    to_do: list[Task],
    folder: Path,
    results: Results,
    jobs: int,
    seconds: float,
    progress: Progress,
) -> int:
    """Returns how many failed."""
    room = asyncio.Semaphore(jobs)
    failed = done = 0

    async def one(task: Task) -> None:
        nonlocal failed, done
        async with room:
            row = await _row(experiment, task, folder, seconds)
        results.add(row)
        done += 1
        failed += row["error"] is not None
        progress(done, failed)

    beside = [task for task in to_do if not task.backend.alone]
    async with asyncio.TaskGroup() as group:
        for task in beside:
            group.create_task(one(task))
    for task in to_do:
        if task.backend.alone:
            await one(task)
    return failed


async def _row(experiment: Experiment, task: Task, folder: Path, seconds: float) -> Row:
    started = datetime.datetime.now(datetime.timezone.utc)
    begin = time.monotonic()
    found, error = None, None
    try:
        if task.document:
            _write_document(folder / task.words[2], task.document)
        found = task.backend.found(json.loads(await _output(task, folder, seconds)), task.run)
    except _RunFailed as fault:
        error = str(fault)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as fault:
        error = f"what it printed is not understood: {type(fault).__name__} {fault}"
    return {
        "key": task.key,
        "experiment": experiment.name,
        "parameters": task.run,
        "found": found,
        "error": error,
        "command": task.command,
        "started": started.isoformat(timespec="seconds"),
        "took_seconds": round(time.monotonic() - begin, 3),
        "program": task.program,
    }


class _RunFailed(Exception):
    pass


def _write_document(path: Path, document: Document) -> None:
    if not path.exists():
        write_whole(path, document.text)


def _argv(words: list[str]) -> list[str]:
    if words[0] == "python3":
        return [sys.executable, "-B", "-P", *words[1:]]
    return [str(program(words[0])), *words[1:]]


def _die_with_parent() -> None:
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


async def _output(task: Task, folder: Path, seconds: float) -> bytes:
    """What the program printed; raises if it did not end well."""
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    try:
        process = await asyncio.create_subprocess_exec(
            *_argv(task.words),
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            preexec_fn=_die_with_parent,
        )
    except OSError as fault:
        raise _RunFailed(f"does not start: {fault.strerror}") from fault
    try:
        out, err = await asyncio.wait_for(process.communicate(), seconds)
    except asyncio.TimeoutError as fault:
        raise _RunFailed(f"no end after {seconds:g} s") from fault
    finally:
        await _end(process)
    if process.returncode != 0:
        said = " ".join(err.decode(errors="replace").split())[-_ERROR_CHARACTERS:]
        raise _RunFailed(f"{_how_it_ended(process.returncode)}: {said or 'no message'}")
    return out


def _how_it_ended(code: int) -> str:
    return f"exit code {code}" if code > 0 else f"killed by {signal.Signals(-code).name}"


async def _end(process: asyncio.subprocess.Process) -> None:
    """Whatever happened, it does not run any more."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _END_SECONDS)
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()
