# SPDX-License-Identifier: Apache-2.0
"""The controller's API over libzmq itself: a question takes a fraction of a millisecond, where a
`rackway` of its own takes several. For measuring; everything else asks as an operator would."""

from __future__ import annotations

import ctypes
import json

from lab.errors import LabError
from lab.topology import API_SOCKET

_REQUEST, _TIMEOUT, _LINGER = 3, 27, 17  # ZMQ_REQ, ZMQ_RCVTIMEO, ZMQ_LINGER
_SECONDS = 60
_MOST_OCTETS = 1 << 20


class Api:
    def __init__(self) -> None:
        self._zmq = ctypes.CDLL("libzmq.so.5")
        for name in ("zmq_ctx_new", "zmq_socket"):
            getattr(self._zmq, name).restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._zmq.zmq_ctx_new())
        self._socket = ctypes.c_void_p(self._zmq.zmq_socket(self._context, _REQUEST))
        for option, value in ((_TIMEOUT, _SECONDS * 1000), (_LINGER, 0)):
            number = ctypes.c_int(value)
            self._zmq.zmq_setsockopt(self._socket, option, ctypes.byref(number), 4)
        self._zmq.zmq_connect(self._socket, f"ipc://{API_SOCKET}".encode())
        self._answer = ctypes.create_string_buffer(_MOST_OCTETS)

    def close(self) -> None:
        self._zmq.zmq_close(self._socket)
        self._zmq.zmq_ctx_term(self._context)

    def ask(self, **request: object) -> list[dict]:
        """The rows that answer a request of docs/api.md."""
        octets = json.dumps(request).encode()
        self._zmq.zmq_send(self._socket, octets, len(octets), 0)
        size = self._zmq.zmq_recv(self._socket, self._answer, _MOST_OCTETS, 0)
        if not 0 <= size <= _MOST_OCTETS:
            raise LabError(f"no answer of the controller in {_SECONDS} s")
        answer = json.loads(self._answer.raw[:size])
        if not answer["ok"]:
            raise LabError(answer["error"])
        return answer["rows"]

    def epoch_of_all(self) -> int | None:
        """The cluster's epoch if every node has it and nothing is under way; else none."""
        nodes = self.ask(show="nodes")
        epochs = {row["epoch"] for row in nodes}
        return epochs.pop() if len(epochs) == 1 and all(row["in_sync"] for row in nodes) else None
