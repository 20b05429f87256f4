"""Ports for the servers that tests start."""

from __future__ import annotations

import os
import socket
from itertools import count

HOST = "127.0.0.1"
# Linux gives ports from 32,768 on to whoever asks for any, and to connections that go out. A port of those may be taken
# before the server that it is meant for has come up.
FIRST, OF_EACH, WORKERS = 20_000, 1_000, 10
_numbers = count(os.getpid())


def free_port() -> int:
    """Return a port that nobody listens on, another one each time; the workers of a run share none."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % WORKERS
    for number in _numbers:
        port = FIRST + worker * OF_EACH + number % OF_EACH
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        return port
    raise AssertionError
