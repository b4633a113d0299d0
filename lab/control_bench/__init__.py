# SPDX-License-Identifier: Apache-2.0
"""`./dev bench control`: from a source of routes to the FIB of every node."""
