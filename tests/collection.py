"""What a run of pytest has collected, those tests included that it deselects."""

from __future__ import annotations

import pytest

COLLECTED = pytest.StashKey[list[pytest.Item]]()
