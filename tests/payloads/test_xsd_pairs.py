"""Kinds of XML schemas held each against each other, with documents as the judge of what is safe."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.sizes import sample
from xregit.payloads import parse
from xregit.payloads.compatibility import Answer, compare

TABLE: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "compatibility" / "xsd_pairs.yaml").read_text(encoding="utf-8")
)


@cache
def schema(family: str, name: str) -> Any:
    """Return a schema of a family."""
    frame, text = TABLE[family]["frame"], TABLE[family]["schemas"][name]
    return parse(TABLE[family].get("format", "XSD/1.1"), frame.replace("@", text).encode())


@cache
def accepted(family: str, name: str) -> frozenset[str]:
    """Return the documents that a schema accepts."""
    frame = TABLE[family].get("document", "@")
    documents = (item[1:] if item[:1] == "!" else frame.replace("@", item) for item in TABLE[family]["documents"])
    return frozenset(item for item in documents if not schema(family, name).validate(item.encode()))


@pytest.mark.parametrize("family", TABLE)
def test_each_document_tells_schemas_apart(family: str) -> None:
    """What is said to be read is read, and what is said not to be has a document that shows it."""
    names = TABLE[family]["schemas"]
    wrong = []
    for old, new in sample([*itertools.product(names, repeat=2)]):
        answer = compare(schema(family, old), schema(family, new)).backward
        refused = accepted(family, old) - accepted(family, new)
        if (answer is Answer.YES and refused) or (answer is Answer.NO and not refused):
            wrong.append(f"{old} → {new}: {answer}, {sorted(refused)[:1]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", TABLE)
def test_each_schema_reads_itself(family: str) -> None:
    """A schema is compatible with itself, and accepts a document of the table."""
    for name in TABLE[family]["schemas"]:
        assert compare(schema(family, name), schema(family, name)).full is Answer.YES, name
        assert accepted(family, name), name
