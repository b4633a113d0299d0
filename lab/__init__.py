# SPDX-License-Identifier: Apache-2.0
"""The lab: a whole cluster, its routing daemon and its neighbours on one machine.

Everything lives in network namespaces of its own and under /run/rackway. `topology` is the plan
(pure data), `cluster` brings it up and takes it down, `checks` proves that it works, `report`
shows it. Start it with `./dev lab`.
"""
