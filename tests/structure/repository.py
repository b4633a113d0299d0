# SPDX-License-Identifier: Apache-2.0
"""The files of the checkout as text: those that git tracks and new ones that it does not ignore."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _paths():
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True)
    return sorted(set(filter(None, listed.stdout.split("\0"))))


def read_files():
    """Path from the root -> text, without binary files and those that are deleted but tracked."""
    files = {}
    for path in _paths():
        try:
            files[path] = (ROOT / path).read_bytes().decode("utf-8")
        except (FileNotFoundError, IsADirectoryError, UnicodeDecodeError):
            continue
    return files
