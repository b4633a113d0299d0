# SPDX-License-Identifier: Apache-2.0
"""Checks tests/model/epochs.pml with spin: as the code is, and with one fault at a time put in.

Every order of events within the bounds is tried. RACKWAY_MODEL=long tries more of them, for minutes.
"""

import os
import pathlib
import re
import subprocess

import pytest

MODEL = pathlib.Path(__file__).with_name("epochs.pml")
LONG = os.environ.get("RACKWAY_MODEL") == "long"
MEGABYTES = 1900

# faults, crashes of the controller, changes of the kernel, and which node has a disk: 0 is the egress
# node, 3 none of them
SOUND = [(0, 0, 2, 3), (0, 1, 2, 3), (1, 0, 2, 3), (1, 1, 1, 3), (0, 1, 2, 0), (0, 1, 2, 1),
         (1, 0, 1, 1)]
SOUND_LONG = [(2, 0, 1, 3), (1, 1, 2, 3), (1, 0, 2, 1), (1, 1, 1, 1)]
# Does every run end? These are tried for cycles as well.
ENDING = [(0, 1, 1, 3), (1, 0, 1, 3), (0, 1, 1, 1)]
ENDING_LONG = [(1, 1, 1, 3)]

# The fault put in, where it shows, and what must notice it.
MUTATIONS = [
    ("COMMIT_EARLY", (0, 0, 2, 3), "prepared_content"),
    ("NEW_BOOT_UNSEEN", (1, 0, 1, 3), "prepared_content"),
    ("NO_REST", (1, 0, 2, 3), "node[j].content>>"),
    ("DOWN_NODES_FORGOTTEN", (1, 0, 2, 3), "node[j].content>>"),
    ("RESTART_FORGETS", (1, 1, 1, 3), "node[j].content>>"),
    ("RECOVERED_EPOCH_TRUSTED", (1, 1, 1, 3), "node[j].content>>"),
    ("NAMED_AT_ONCE", (0, 0, 2, 3), "node[0].content>>"),
    ("GONE_AT_ONCE", (0, 0, 2, 3), "node[0].content>>"),
    ("NOBODY_BROUGHT_BACK", (1, 0, 2, 3), "violated 0 "),
    ("NOBODY_PASSED_OVER", (1, 1, 1, 3), "violated 0 "),
    ("DISKS_FORGOTTEN", (1, 0, 2, 1), "kept_content>>"),
    ("NUMBER_ON_DISK_TRUSTED", (1, 1, 1, 1), "kept_content>>"),
]


# optimise: compiling better takes seconds, which only long searches are worth.
def build(folder, bounds, optimise, mutation=None, cycles=False):
    faults, crashes, changes, keeper = bounds
    defines = [f"-DFAULTS={faults}", f"-DCONTROLLER_CRASHES={crashes}", f"-DCHANGES={changes}",
               f"-DKEEPER={keeper}"]
    defines += [f"-DMUTATION_{mutation}"] if mutation else []
    subprocess.run(["spin", *defines, "-a", str(MODEL)], cwd=folder, check=True)
    kind = ["-DNP"] if cycles else ["-DSAFETY"]
    subprocess.run(["gcc", optimise, "-w", *kind, "-DHC4", "-DNOREDUCE", "-DNOBOUNDCHECK",
                    "-DVECTORSZ=512", f"-DMEMLIM={MEGABYTES}", "-o", "pan", "pan.c"],
                   cwd=folder, check=True)


def search(folder, *options):
    """What the search says; it has to have come to its end or to a fault."""
    done = subprocess.run(["./pan", "-m2000", "-w24", *options], cwd=folder, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    errors = re.search(r"errors: (\d+)", done.stdout)
    assert errors, done.stdout
    assert "max search depth too small" not in done.stdout and "out of memory" not in done.stdout
    return int(errors[1]), done.stdout


@pytest.mark.parametrize("bounds", SOUND + (SOUND_LONG if LONG else []))
def test_no_order_of_events_breaks_a_property(tmp_path, bounds):
    build(tmp_path, bounds, "-O1" if bounds[0] > 0 else "-O0")
    errors, said = search(tmp_path)
    assert errors == 0, said


@pytest.mark.parametrize("bounds", ENDING + (ENDING_LONG if LONG else []))
def test_every_run_ends(tmp_path, bounds):
    build(tmp_path, bounds, "-O0", cycles=True)
    errors, said = search(tmp_path, "-l")
    assert errors == 0, said


@pytest.mark.parametrize("mutation,bounds,what", MUTATIONS)
def test_a_fault_put_in_is_found(tmp_path, mutation, bounds, what):
    build(tmp_path, bounds, "-O0", mutation)
    errors, said = search(tmp_path)
    broken = [line for line in said.splitlines() if line.lstrip().startswith("pan:1:")]
    assert errors == 1 and any(what in line for line in broken), said
