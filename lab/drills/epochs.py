# SPDX-License-Identifier: Apache-2.0
"""How steadily epochs reach some nodes while routes change all the time."""

from __future__ import annotations

import threading
import time

from lab.api import Api
from lab.topology import Node

_EVERY_SECONDS = 0.01


class EpochWatch:
    """From entering the context until leaving it; `count` and `longest_pause` after it."""

    def __init__(self, nodes: list[Node]) -> None:
        self._names = {node.name for node in nodes}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.count = 0  # of epochs that were seen on all of these nodes
        self.longest_pause = 0.0  # seconds without a new one

    def _run(self) -> None:
        api = Api()
        try:
            last, since = self._epoch(api), time.monotonic()
            while not self._stop.wait(_EVERY_SECONDS):
                epoch, now = self._epoch(api), time.monotonic()
                self.longest_pause = max(self.longest_pause, now - since)
                if epoch > last:
                    last, since, self.count = epoch, now, self.count + 1
        finally:
            api.close()

    def _epoch(self, api: Api) -> int:
        """That all have."""
        return min(row["epoch"] for row in api.ask(show="nodes") if row["name"] in self._names)

    def __enter__(self) -> EpochWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
