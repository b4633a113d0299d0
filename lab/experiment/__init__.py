# SPDX-License-Identifier: Apache-2.0
"""Capacity experiments: a file names a sweep, this runs it and draws what came of it.

docs/experiments.md has the file's format and what ships. Who does what: `description` reads and checks
the file, `backends` say how one run of it is done and what it found, `runner` does the runs that are
missing from `results`, `figures` and `page` show them.
"""
