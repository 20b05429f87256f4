"""Waiting for other programs: until they have done something, ended or hung, however slow the machine is."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from http.client import HTTPException
from typing import Any

import pytest

#: What has not answered by then hangs: a slow and busy machine takes a tenth of it for the slowest of these programs.
PATIENCE_SECONDS = 1_800
PAUSE_SECONDS = 0.05


def wait_until(
    condition: Callable[[], object], *running: subprocess.Popen[Any], told: Callable[[], object] = lambda: ""
) -> None:
    """Wait until a condition holds; where it asks a server that does not answer yet, it does not.

    Args:
        condition: what is waited for.
        running: programs that bring it about. Where one ends before, so does the test.
        told: gives what to print if the test fails.
    """
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        ended = [process for process in running if process.poll() is not None]  # before the condition, not after
        try:
            if condition():
                return
        except (OSError, HTTPException):
            pass
        if ended:
            pytest.fail(f"{ended[0].args!r} ended with {ended[0].returncode}\n{told()}")
        if time.monotonic() > end:
            pytest.fail(f"nothing came for {PATIENCE_SECONDS} seconds\n{told()}")
        time.sleep(PAUSE_SECONDS)
