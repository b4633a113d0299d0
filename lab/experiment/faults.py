# SPDX-License-Identifier: Apache-2.0
"""What keeps an experiment from being run, in one line."""


class BadExperiment(Exception):
    """The command line or the experiment's file is wrong: exit code 2."""


class ExperimentFault(Exception):
    """Something that is needed is not there, or does not work: exit code 1."""
