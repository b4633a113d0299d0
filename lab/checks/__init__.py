# SPDX-License-Identifier: Apache-2.0
"""What has to work, as checks of a running lab. `catalogue` lists them in order.

A check is a function of the topology. It returns a few words about what it saw and raises
CheckFailed (or LabError) with what was expected and what was seen instead.
"""
