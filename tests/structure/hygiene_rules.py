# SPDX-License-Identifier: Apache-2.0
"""What every file keeps to: names that say something, first lines, size, nothing left behind.

The checks take path -> text and return one line per fault, so that they can be checked themselves.
"""

import re

MAX_LINES = 500
SPDX = "// SPDX-License-Identifier: Apache-2.0"
EMPTY_WORDS = {"util", "utils", "utility", "utilities", "common", "misc", "manager", "managers",
               "helper", "helpers"}

_CODE = (".hh", ".cc", ".h", ".c", ".py", ".sh", ".cmake", ".yml", "CMakeLists.txt")
_DATA = (".json", ".csv", ".pcap", ".svg", ".html", "LICENSE")
# In pieces, so that this file keeps to its own rules.
_MARKS = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b")
_MACHINE_PATHS = re.compile(r"(?:(?<![\w.}-])|(?<=-[IL]))/(" + "|".join(["work", "home"]) + r")/")
# Wall time jumps. What prints it (spdlog) asks for it itself.
_PRODUCT = ("base/", "fib/", "vlb/", "topo/", "cluster/", "control/", "node/")
_WALL_CLOCKS = re.compile(
    r"\b(system_clock|high_resolution_clock|utc_clock|file_clock|last_write_time|CLOCK_REALTIME\w*|"
    r"gettimeofday|timespec_get|localtime\w*|gmtime\w*|sem_timedwait|pthread_cond_timedwait)\b|"
    r"(?<![\w.>])(std::)?time\((nullptr|NULL|0|&\w+)\)")
_PYTHON_WALL_CLOCKS = re.compile(r"\btime\.(time|time_ns|localtime|gmtime)\(")


def _lines_that_match(files, pattern, what):
    return [f"{path}:{number}: {what}: {match[0]}"
            for path, text in files.items()
            for number, line in enumerate(text.splitlines(), 1)
            for match in pattern.finditer(line)]


def empty_name_faults(files):
    faults = set()
    for path in files:
        parts = path.split("/")
        for depth, part in enumerate(parts, 1):
            if EMPTY_WORDS & set(re.split(r"[^a-z0-9]+", part.lower())):
                faults.add(f"{'/'.join(parts[:depth])}: its name does not say what is in it")
    return sorted(faults)


def first_line_faults(files):
    return [f"{path}:1: is not {SPDX}" for path, text in files.items()
            if path.endswith((".hh", ".cc")) and text.split("\n", 1)[0] != SPDX]


def pragma_once_faults(files):
    return [f"{path}: has no #pragma once" for path, text in files.items()
            if path.endswith(".hh") and "#pragma once" not in text.splitlines()]


def mark_faults(files):
    code = {path: text for path, text in files.items() if path.endswith(_CODE)}
    return _lines_that_match(code, _MARKS, "work left for later")


def machine_path_faults(files):
    return _lines_that_match(files, _MACHINE_PATHS, "a path of one machine")


def wall_clock_faults(files):
    product = {path: text for path, text in files.items()
               if path.startswith(_PRODUCT) and path.endswith((".hh", ".cc"))}
    lab = {path: text for path, text in files.items()
           if path.startswith("lab/") and path.endswith(".py")}
    what = "a clock that may be set"
    return (_lines_that_match(product, _WALL_CLOCKS, what)
            + _lines_that_match(lab, _PYTHON_WALL_CLOCKS, what))


def size_faults(files):
    return [f"{path}: {lines} lines, over {MAX_LINES}" for path, text in files.items()
            if not path.endswith(_DATA) and (lines := len(text.splitlines())) > MAX_LINES]
