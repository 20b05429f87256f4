"""The name of a format of reports to the function that writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.reports.github import github
from xregit.reports.json import json
from xregit.reports.junit import junit
from xregit.reports.sarif import sarif
from xregit.reports.text import text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xregit.diagnostics import Diagnostic

FORMATS: Mapping[str, Callable[[Sequence[Diagnostic]], str]] = {
    "text": text,
    "json": json,
    "github": github,
    "sarif": sarif,
    "junit": junit,
}
