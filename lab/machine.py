# SPDX-License-Identifier: Apache-2.0
"""A few words about this machine, to stand beside figures measured on it."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe() -> str:
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{os.cpu_count()} x {model}, Linux {platform.release()}"
