"""Diagnostics → the JSON report, as the design fixes it."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

from xregit.reports.text import counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xregit.diagnostics import Diagnostic


def json(diagnostics: Sequence[Diagnostic]) -> str:
    """Return ``{"diagnostics": […], "counts": {"error", "warning", "info"}}``."""
    report = {"diagnostics": [item.as_json() for item in diagnostics], "counts": counts(diagnostics)}
    return dumps(report, indent=2, ensure_ascii=False)
