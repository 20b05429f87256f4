"""The command line: arguments → one call → print → exit code, each command imported only when it runs."""

from __future__ import annotations

from xregit.cli.runner import main

__all__ = ["main"]
