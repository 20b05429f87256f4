"""What is filled into a property has the form that the protocol asks for, as the definition's own values must have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.messages.cases import cases
from tests.messages.test_encoder import made
from xregit.messages.encoder import MessageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@pytest.mark.parametrize("case", cases("forming.yaml"))
def test_forming(case: Mapping[str, Any], tmp_path: Path) -> None:
    """A message is made, or each value that its protocol does not carry is said, once."""
    if "wire" in case:
        assert made(case, tmp_path) == case["wire"]
        return
    with pytest.raises(MessageError) as caught:
        made(case, tmp_path)
    for problem, expected in zip(caught.value.problems, case["problems"], strict=True):
        assert expected in problem
