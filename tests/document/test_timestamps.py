"""What an entity states of its age wins over Git, in UTC."""

from __future__ import annotations

from typing import Any

import pytest

from xregit.document.serializer import Lifecycle, stated_lifecycle

GIT = Lifecycle(3, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
CASES: list[tuple[dict[str, Any], Lifecycle]] = [
    ({}, GIT),
    ({"epoch": 5}, Lifecycle(5, GIT.createdat, GIT.modifiedat)),
    ({"epoch": 0, "createdat": 7}, GIT),
    ({"epoch": True, "createdat": ""}, GIT),
    ({"createdat": "2024-05-01T12:00:00Z"}, Lifecycle(3, "2024-05-01T12:00:00Z", GIT.modifiedat)),
    ({"createdat": "2024-05-01T12:00:00+02:00"}, Lifecycle(3, "2024-05-01T10:00:00Z", GIT.modifiedat)),
    ({"modifiedat": "2024-05-01T12:00:00"}, Lifecycle(3, GIT.createdat, "2024-05-01T12:00:00Z")),
    ({"modifiedat": "yesterday"}, Lifecycle(3, GIT.createdat, "yesterday")),
]


@pytest.mark.parametrize(("attributes", "expected"), CASES)
def test_what_is_stated_wins(attributes: dict[str, Any], expected: Lifecycle) -> None:
    """A time with another zone is turned into UTC, one without a zone is in UTC; nonsense is left to check."""
    assert stated_lifecycle(attributes, GIT) == expected
