"""Loaded by each Python that starts with this folder on its path, and ends it as soon as it turns to another host."""

from __future__ import annotations

import os
import sys

CODE = 97
HERE = ("127.", "::1", "localhost")


def stop(event: str, arguments: tuple[object, ...]) -> None:
    """End the process, lest an exception be caught, where it is about to send something to another host."""
    if event not in {"socket.connect", "socket.sendto"}:
        return
    address = arguments[1]
    host = str(address[0]) if isinstance(address, tuple) else ""
    if host and not host.startswith(HERE):
        sys.stderr.write(f"offline: {host} was asked\n")
        sys.stderr.flush()
        os._exit(CODE)


sys.addaudithook(stop)
