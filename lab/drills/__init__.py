# SPDX-License-Identifier: Apache-2.0
"""Drills: something fails under numbered traffic; what was lost, and how long until all is well."""
