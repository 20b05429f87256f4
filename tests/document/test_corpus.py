"""Real documents that others wrote: each is imported without loss, or refused with the true reason."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.document.leaves import lost
from tests.document.small import cases, tree
from tests.sizes import sample
from xregit.diagnostics import Severity
from xregit.document import compile_document, import_documents, load, read_document, to_bytes
from xregit.document.loader import load_document
from xregit.rules import check
from xregit.source import yaml_loader

FOLDERS: dict[str, dict[str, Any]] = cases("corpus")  # type: ignore[assignment]
EXPECTED = {f"{folder}/{name}": expected for folder, names in FOLDERS.items() for name, expected in names.items()}
IMPORTED = sorted(path for path, expected in EXPECTED.items() if "imported" in expected)
REFUSED = sorted(path for path, expected in EXPECTED.items() if "refused" in expected)
PIECES = sorted(path for path, expected in EXPECTED.items() if "inside" in expected)


@pytest.fixture(scope="module")
def corpus(shared: Path) -> Path:
    """Return the folder of the corpus."""
    return shared / "corpus"


def value_of(path: Path) -> Any:
    """Return the value of a document, read by other means than ours where it is JSON."""
    data = path.read_bytes()
    try:
        return json.loads(data)
    except ValueError:
        return yaml_loader.parse(data).value


def around(path: Path, to: Path) -> Any:
    """Import a document, compile it, import that again, and return what was compiled; both imports are the same."""
    first = import_documents([path], to / "one" / "registry")
    assert not first.failed, first.diagnostics
    compiled = compile_document(load(to / "one" / "registry"))
    (to / "one.json").write_bytes(to_bytes(compiled))
    assert not import_documents([to / "one.json"], to / "two" / "registry").failed
    assert tree(to / "one") == tree(to / "two")
    return compiled


def test_every_file_is_accounted_for(corpus: Path) -> None:
    """The table names every file of the corpus, and no other."""
    folders = [corpus / "docs", corpus / "seed-examples"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert sorted(EXPECTED) == sorted(path.relative_to(corpus).as_posix() for path in files)


@pytest.mark.requirement("MSG-11", "EP-1")
@pytest.mark.parametrize("name", sample(IMPORTED))
def test_document_goes_round_without_loss(corpus: Path, name: str, tmp_path: Path) -> None:
    """Importing what was compiled gives the same files, and nothing that the document said is missing from it."""
    path = corpus / name
    assert EXPECTED[name]["imported"] == load_document(path).dialect.name
    assert lost(value_of(path), around(path, tmp_path)) == {}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_names_the_reason(corpus: Path, name: str, tmp_path: Path) -> None:
    """A document that can't be imported is refused for the reason, at the line, that the table says."""
    report = import_documents([corpus / name], tmp_path / "registry")
    first = next(item for item in report.diagnostics if item.severity is Severity.ERROR)
    assert (EXPECTED[name]["refused"], EXPECTED[name]["line"]) == (first.rule, first.line)
    assert not (tmp_path / "registry").exists()


@pytest.mark.parametrize("name", PIECES)
def test_piece_is_imported_as_part_of_a_document(corpus: Path, name: str, tmp_path: Path) -> None:
    """What is refused as a lone piece goes round without loss once it stands in a document."""
    piece = value_of(corpus / name)
    inside = {"endpoint": {"endpoints": {"e": piece}}, "message": {"messagegroups": {"g": {"messages": {"m": piece}}}}}
    document = inside[EXPECTED[name]["inside"]]
    (tmp_path / "document.json").write_text(json.dumps(document), encoding="utf-8")
    assert lost(document, around(tmp_path / "document.json", tmp_path)) == {}


MESSAGE: dict[str, Any] = {
    "description": "D.",
    "format": "CloudEvents/1.0",
    "metadata": {"attributes": {"type": {"value": "t", "required": True}, "time": {"type": "timestamp"}}},
    "binding": "MQTT/5.0",
    "message": {"topic-name": {"value": "a/{b}"}, "user-properties": [{"p": {"value": "v"}}]},
    "schemaurl": "#/schemaGroups/g/schemas/s",
    "labels": {"team": "a"},
}


@pytest.mark.parametrize(
    ("at", "name"),
    [
        *[((), name) for name in MESSAGE],
        (("metadata", "attributes"), "type"),
        (("metadata", "attributes", "type"), "required"),
        (("metadata", "attributes", "time"), "type"),
        (("message",), "topic-name"),
        (("message",), "user-properties"),
        (("labels",), "team"),
    ],
)
def test_comparison_misses_no_attribute(at: tuple[str, ...], name: str) -> None:
    """The comparison itself finds whatever is taken away from a message."""
    less = deepcopy(MESSAGE)
    holder = less
    for step in at:
        holder = holder[step]
    del holder[name]
    documents = [{"messagegroups": {"g": {"messages": {"m": message}}}} for message in (MESSAGE, less)]
    assert lost(*documents)
    assert lost(documents[0], {"messagegroups": {"g": {"messages": {}}}})
    assert lost(documents[0], documents[0]) == {}


def test_real_documents_go_round(corpus: Path, tmp_path: Path) -> None:
    """All documents of one collection together: import, compile and import again gives the same files."""
    together = sample(sorted((corpus / "docs" / "real-time-sources").iterdir()))
    report = import_documents(together, tmp_path / "one" / "registry")
    assert not report.failed
    (tmp_path / "one.json").write_bytes(to_bytes(compile_document(load(tmp_path / "one" / "registry"))))
    import_documents([tmp_path / "one.json"], tmp_path / "two" / "registry")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert import_documents(together, tmp_path / "one" / "registry").files == ()


@pytest.mark.parametrize("name", sample(sorted(EXPECTED)))
def test_every_document_can_be_checked(corpus: Path, name: str) -> None:
    """Reading and checking a real document ends in a report, whatever is wrong with it."""
    assert all(item.message for item in check(read_document(corpus / name)).diagnostics)
