"""What holds of every document, folder and text that anyone could write."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings

import xregit
from tests.fuzzing import catalogs, texts, wires
from tests.sizes import some
from tests.strategies import documents, folders, yaml_bytes
from tests.strategies import wires as drawn_wires
from xregit.catalog.loader import read_contents
from xregit.errors import XregitError
from xregit.protocols.json import json_bytes

SLOW = settings(max_examples=some(25), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
ERROR = xregit.Severity.ERROR


@SLOW
@given(documents())
def test_compiling_what_was_compiled_changes_nothing(document: dict[str, Any]) -> None:
    """A document without faults is read without errors; compiled twice it is the same as compiled once."""
    with TemporaryDirectory() as name:
        first, second = Path(name, "first.json"), Path(name, "second.json")
        first.write_text(json.dumps(document), encoding="utf-8")
        registry = xregit.read(first)
        assert [item for item in xregit.check(registry).diagnostics if item.severity is ERROR] == []
        once = xregit.compile(registry)
        second.write_text(json.dumps(once), encoding="utf-8")
        assert xregit.compile(xregit.read(second)) == once


@SLOW
@given(documents(loose=True))
def test_any_document_has_an_answer(document: Any) -> None:
    """Whatever stands where, it is read, checked, compiled and imported, or refused."""
    catalogs.document(json.dumps(document).encode())


@SLOW
@given(folders(loose=True))
def test_any_folder_has_an_answer(contents: dict[str, bytes]) -> None:
    """So it is with folders."""
    with TemporaryDirectory() as name:
        registry = read_contents(Path(name).resolve() / "registry", contents)
    xregit.check(registry)
    try:
        xregit.compile(registry)
    except XregitError:
        return


@given(yaml_bytes())
def test_any_text_has_an_answer(data: bytes) -> None:
    """Both ways to read YAML agree on it, and its canonical form is one."""
    texts.yaml(data)


@given(drawn_wires())
def test_any_message_has_an_answer(wire: xregit.Wire) -> None:
    """It is matched, and what is written of it reads as the same."""
    wires.match(json_bytes(wire.as_json()))
