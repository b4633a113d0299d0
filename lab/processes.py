# SPDX-License-Identifier: Apache-2.0
"""The lab's long-lived processes: started into a namespace, recorded, stopped.

A record (/run/rackway/lab/pid/NAME) holds the process id and its start time, so that a recycled id
is never taken for ours.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from lab.commands import in_namespace
from lab.topology import LAB_DIRECTORY

LOG_DIRECTORY = LAB_DIRECTORY / "log"
_PID_DIRECTORY = LAB_DIRECTORY / "pid"
_children: dict[str, subprocess.Popen] = {}  # those that this process started last, by name
_TERM_SECONDS = 5.0
_KILL_SECONDS = 5.0


def log_file(name: str) -> Path:
    return LOG_DIRECTORY / f"{name}.log"


def log_tail(name: str, lines: int = 15) -> str:
    with contextlib.suppress(OSError):
        return "\n".join(log_file(name).read_text(errors="replace").splitlines()[-lines:])
    return ""


def start(name: str, namespace: str, command: list[str]) -> int:
    """Starts COMMAND in NAMESPACE, detached, its output in the log file; returns its process id."""
    for directory in (LOG_DIRECTORY, _PID_DIRECTORY):
        directory.mkdir(parents=True, exist_ok=True)
    with log_file(name).open("ab") as log:
        process = subprocess.Popen(
            in_namespace(namespace, command),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _children[name] = process
    (_PID_DIRECTORY / name).write_text(f"{process.pid} {_start_time(process.pid)}\n")
    return process.pid


def _stat_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third (state) on; none when there is no such process."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return []


def _start_time(pid: int) -> str:
    fields = _stat_fields(pid)
    return fields[19] if fields else ""


def exit_code(name: str) -> int | None:
    """How NAME ended: less than 0 is the signal that ended it; none when that is not known here."""
    process = _children.get(name)
    return process.poll() if process else None


def alive(pid: int) -> bool:
    """A process is there until its last thread is: the first one may be gone before."""
    for process in _children.values():
        if process.pid == pid:
            return process.poll() is None
    fields = _stat_fields(pid)
    return bool(fields) and (fields[0] != "Z" or int(fields[17]) > 1)


def recorded() -> list[str]:
    """The names of all processes that were started and not stopped."""
    return sorted(entry.name for entry in _PID_DIRECTORY.glob("*"))


def running(name: str) -> int | None:
    """The id of process NAME while it runs, else none."""
    try:
        pid, started = (_PID_DIRECTORY / name).read_text().split()
    except (OSError, ValueError):
        return None
    return int(pid) if alive(int(pid)) and _start_time(int(pid)) == started else None


def end(pids: list[int]) -> None:
    """Ends PIDS: asks first, insists after a while, and returns when they are gone."""
    for number, patience in ((signal.SIGTERM, _TERM_SECONDS), (signal.SIGKILL, _KILL_SECONDS)):
        pids = [pid for pid in pids if alive(pid)]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        deadline = time.monotonic() + patience
        while pids and time.monotonic() < deadline:
            time.sleep(0.02)
            pids = [pid for pid in pids if alive(pid)]


def stop(name: str) -> None:
    pid = running(name)
    if pid is not None:
        end([pid])
    (_PID_DIRECTORY / name).unlink(missing_ok=True)


def kill(name: str) -> None:
    """SIGKILL, as a crash would; the record stays."""
    pid = running(name)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + _KILL_SECONDS
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.005)


def cpu_seconds(pid: int) -> float:
    """Processor time PID has used so far, all threads, user and system."""
    fields = _stat_fields(pid)
    ticks = int(fields[11]) + int(fields[12]) if fields else 0
    return ticks / os.sysconf("SC_CLK_TCK")
