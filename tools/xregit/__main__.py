"""``python -m xregit``: the command line without the script."""

from __future__ import annotations

from xregit.cli import main

main()
