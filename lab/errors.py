# SPDX-License-Identifier: Apache-2.0
"""What the lab can say went wrong."""


class LabError(Exception):
    """The lab can not be brought up or taken down; the text is one clear line for the user."""


class CheckFailed(Exception):
    """A check found something that does not work; the text says what was expected and seen."""
