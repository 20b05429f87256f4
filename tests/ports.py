"""Where the servers that tests start listen.

Linux answers at every address of 127.0.0.0/8, so each process of the tests has a host of its own, and no two servers
can want the same port. Nothing is probed: a port that was free may be taken before a server comes to bind it.
"""

from __future__ import annotations

import os
import sys
from itertools import count

_pid = os.getpid()
HOST = f"127.{1 + (_pid >> 16) % 254}.{_pid >> 8 & 255}.{_pid & 255}" if sys.platform == "linux" else "127.0.0.1"
# Below those that Linux gives to connections that go out.
_ports = count(20_000)


def next_port() -> int:
    """Return a port at ``HOST`` that no other server of the tests uses."""
    return next(_ports)
