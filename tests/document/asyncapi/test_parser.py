"""Documents that the official AsyncAPI parser accepts: the cases', the example catalog's, real documents'."""

from __future__ import annotations

from pathlib import Path

import pytest

import xregit
from tests.document.asyncapi.parser import errors, missing
from tests.document.small import CASES
from xregit.document import read_document
from xregit.document.asyncapi import asyncapi_files
from xregit.source.atomic_write import replace_tree

pytestmark = [pytest.mark.client, pytest.mark.skipif(bool(missing()), reason=missing() or "it is here")]


def test_parser_finds_what_is_wrong(tmp_path: Path) -> None:
    """The parser is one that sees faults: in a binding, a reference and three schema languages."""
    files = asyncapi_files(xregit.load(CASES / "asyncapi" / "registry"))
    stream = "orders.stream.in.json"
    wrong = {
        "binding": ("orders.broker.json", '"retain": true', '"retain": 1'),
        "reference": (stream, '"$ref": "#/channels/orders/messages', '"$ref": "#/channels/orders/message'),
        "schema": (stream, '"type": "array"', '"type": "row"'),
        "avro": (stream, '"type": "record"', '"type": "recor"'),
        "protobuf": ("orders.broker.json", "string article = 1;", "string article 1;"),
    }
    broken = {name: files[path].replace(right.encode(), bad.encode()) for name, (path, right, bad) in wrong.items()}
    assert not set(broken.values()) & set(files.values())
    replace_tree(tmp_path / "out", {f"{name}.json": data for name, data in broken.items()})
    assert {f"{name}.json" for name in wrong} == set(errors(tmp_path / "out"))


def test_parser_accepts_the_cases(tmp_path: Path) -> None:
    """The parser has no error to report on an endpoint of every protocol."""
    replace_tree(tmp_path / "out", asyncapi_files(xregit.load(CASES / "asyncapi" / "registry")))
    assert errors(tmp_path / "out") == {}


def test_parser_accepts_the_example_catalog(root: Path, tmp_path: Path) -> None:
    """The parser has no error to report on any endpoint of the example catalog."""
    files = asyncapi_files(xregit.load(root / "registry"))
    assert len(files) > 20
    replace_tree(tmp_path / "out", files)
    assert errors(tmp_path / "out") == {}


def test_parser_accepts_real_documents(shared: Path, tmp_path: Path) -> None:
    """The parser has no error to report on any endpoint of a third of the real documents that can be read."""
    files: dict[str, bytes] = {}
    paths = sorted(item for item in (shared / "corpus" / "docs").rglob("*") if item.is_file())
    for number, path in enumerate(paths[::3]):
        documents = asyncapi_files(read_document(path))
        files |= {f"{number}-{name}": data for name, data in documents.items()}
    assert len(files) > 60
    replace_tree(tmp_path / "out", files)
    assert errors(tmp_path / "out") == {}
