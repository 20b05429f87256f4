"""What a text that is nearly right was meant to be."""

from __future__ import annotations

import pytest

from xregit.model import suggestions
from xregit.model.datatypes import DATATYPES, SYNTAXES

MIDNIGHT = "2026-12-31T00:00:00Z"
TIMES = {
    "2026-12-31": MIDNIGHT,
    " 2026-12-31 ": MIDNIGHT,
    "2026/12/31": MIDNIGHT,
    "20261231": MIDNIGHT,
    "31.12.2026": MIDNIGHT,
    "31. 12. 2026": MIDNIGHT,
    "31-12-2026": MIDNIGHT,
    "31/12/2026": MIDNIGHT,
    "12/31/2026": MIDNIGHT,
    "2/2/2026": "2026-02-02T00:00:00Z",
    "1/2/2026": "",  # in January or in February
    "31.12.26": "",
    "2026-02-30": "",
    "next year": "",
    "2026-12-31 9:30": "2026-12-31T09:30:00Z",
    "2026-12-31T09:30:15.5": "2026-12-31T09:30:15.5Z",
    "31.12.2026, 09:30 UTC": "2026-12-31T09:30:00Z",
    "2026-12-31 09:30 +0200": "2026-12-31T09:30:00+02:00",
    "2026-12-31 25:00": "",
}


@pytest.mark.parametrize("text", TIMES)
def test_a_time_in_another_form_is_the_one_that_it_can_only_mean(text: str) -> None:
    """Which number is the month is not guessed."""
    assert suggestions.repair_time(text, DATATYPES["timestamp"].test) == TIMES[text]


def test_a_day_is_meant_where_a_day_is_due() -> None:
    """Its time of day is left away."""
    fits = SYNTAXES["date"].test
    assert suggestions.repair_time("31.12.2026", fits) == "2026-12-31"
    assert suggestions.repair_time("2026-12-31 10:00", fits) == "2026-12-31"
