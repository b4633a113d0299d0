# SPDX-License-Identifier: Apache-2.0
"""What was found, a row a run: rows.jsonl, one JSON object a line, and the same as rows.csv.

A line is written at once and made durable before the next run counts as done, so that a kill loses no
more than the runs under way; half a line, which a full disk or a power cut can leave, is taken off when
the file is opened again. One process at a time.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
from pathlib import Path

from lab.experiment.faults import ExperimentFault
from lab.experiment.values import word

Row = dict

_ROWS, _TABLE = "rows.jsonl", "rows.csv"
_KEYS = {
    "key", "experiment", "parameters", "found", "error", "command", "started", "took_seconds", "program",
}  # fmt: skip


def read_rows(folder: Path) -> list[Row]:
    """The latest row of each run, in the order in which runs were first done."""
    try:
        octets = (folder / _ROWS).read_bytes()
    except FileNotFoundError:
        return []
    rows: dict[str, Row] = {}
    for number, line in enumerate(octets.split(b"\n")[:-1], 1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or set(row) != _KEYS:
            raise ExperimentFault(
                f"{folder / _ROWS}: line {number} is no row; mend it, or take another --out"
            )
        rows[row["key"]] = row
    return list(rows.values())


class Results:
    """The rows of one experiment in FOLDER, open for more."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = (folder / _ROWS).open("a+b", buffering=0)
        except OSError as error:
            raise ExperimentFault(f"can not write to {folder}: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise ExperimentFault(f"another command works in {folder}; wait for its end") from error
        self._take_off_half_a_line()

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _take_off_half_a_line(self) -> None:
        octets = (self._folder / _ROWS).read_bytes()
        self._file.truncate(octets.rfind(b"\n") + 1)

    @property
    def rows(self) -> list[Row]:
        return read_rows(self._folder)

    def done(self) -> set[str]:
        """The keys of the runs that need not be done again: those without an error."""
        return {row["key"] for row in self.rows if row["error"] is None}

    def add(self, row: Row) -> None:
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
        try:
            if self._file.write(line) != len(line):
                raise ExperimentFault(f"no room for {self._folder / _ROWS}")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise ExperimentFault(f"can not write {self._folder / _ROWS}: {error.strerror}") from error

    def write_table(self) -> None:
        write_whole(self._folder / _TABLE, table(self.rows))


def _flat(row: Row) -> dict[str, object]:
    flat = {"key": row["key"], "experiment": row["experiment"]}
    flat |= {name: word(value) for name, value in row["parameters"].items()}
    flat |= row["found"] or {}
    flat |= {name: row[name] for name in ("error", "command", "started", "took_seconds")}
    return flat | row["program"] | {"programs": " ".join(row["program"]["programs"])}


def table(rows: list[Row]) -> str:
    """Comma-separated (RFC 4180); a failure is its name, rows.jsonl has all of it."""
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def write_whole(path: Path, text: str) -> None:
    """All of it, or what was there before."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise ExperimentFault(f"can not write {path}: {error.strerror}") from error
