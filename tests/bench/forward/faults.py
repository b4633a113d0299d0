# SPDX-License-Identifier: Apache-2.0
"""What keeps the bench from measuring, in one line."""


class BenchFault(Exception):
    pass
