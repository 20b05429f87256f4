"""What the specifications contradict themselves in, K1 to K60: each is read tolerantly and written strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.document.small import tree
from xregit.catalog import Registry, read_folder
from xregit.diagnostics import Severity
from xregit.document import compile_document, import_documents, load, to_bytes
from xregit.document.loader import LoadedDocument, load_document
from xregit.model import find_name
from xregit.protocols import bind, extract, read_wire
from xregit.rules import check
from xregit.source import yaml_loader

FOLDER = Path(__file__).parents[1] / "cases" / "contradictions"
PATHS = {"message": ("messagegroups", "g", "messages", "m"), "messagegroup": ("messagegroups", "g")}
PATHS |= {"endpoint": ("endpoints", "e")}
# What compiling makes for every entity.
MADE = {"self", "xid", "epoch", "createdat", "modifiedat", "isdefault", "ancestor", "ancestorid", "versionid"}
MADE |= {"messageid", "messagegroupid", "endpointid", "messages", "messagesurl", "messagescount"}


def entries() -> list[dict[str, Any]]:
    """Return all contradictions of both files."""
    return [
        entry
        for name in ("messages", "others")
        for entry in yaml_loader.parse((FOLDER / f"{name}.yaml").read_bytes()).value
    ]


def params() -> list[Any]:
    """Return every case with the marks of the requirements that it shows."""
    results = []
    for entry in entries():
        marks = pytest.mark.requirement(*entry["requirements"]) if "requirements" in entry else ()
        for number, case in enumerate(entry["cases"], 1):
            results.append(pytest.param(case, id=f"{entry['k']}-{number}", marks=marks))
    return results


def test_every_contradiction_has_its_cases() -> None:
    """All sixty are there, each once."""
    assert sorted(int(entry["k"][1:]) for entry in entries()) == list(range(1, 61))


def test_page_shows_every_contradiction(root: Path, request: pytest.FixtureRequest) -> None:
    """The page of the guide is what the cases say."""
    page = root / "site" / "manual" / "contradictions.md"
    begin, end = "<!-- contradictions -->\n", "<!-- end -->\n"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    expected = f"{before}{begin}{''.join(_rows())}{end}{after}"
    if request.config.getoption("--update-golden"):
        page.write_text(expected, encoding="utf-8")
    assert expected == page.read_text(encoding="utf-8")


def _rows() -> list[str]:
    listed = sorted(entries(), key=lambda entry: int(entry["k"][1:]))
    cells = [(entry["k"], entry["topic"], entry["reads"], entry["writes"]) for entry in listed]
    rows = [f"| {' | '.join(row)} |\n" for row in cells]
    return ["| | Topic | Read | Written |\n", "|---|---|---|---|\n", *rows]


@pytest.mark.parametrize(
    "case", [param for param in params() if "given" in param.values[0] and "refused" not in param.values[0]]
)
def test_what_is_written_is_read_as_it_is(case: dict[str, Any], tmp_path: Path) -> None:
    """Import, compile and import again gives the same files, whatever form stood in the document."""
    (tmp_path / "document").write_text(_text(case), encoding="utf-8")
    assert not import_documents([tmp_path / "document"], tmp_path / "one").failed
    compiled = compile_document(load(tmp_path / "one"))
    (tmp_path / "compiled").write_bytes(to_bytes(compiled))
    again = import_documents([tmp_path / "compiled"], tmp_path / "two")
    assert not again.failed
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert [item.message for item in again.changes] == []


@pytest.mark.parametrize("case", params())
def test_contradiction_is_read_and_written_in_one_form(case: dict[str, Any], tmp_path: Path) -> None:
    """What stands in a document comes to the attributes, findings and document that the case says."""
    if "wire" in case:
        _event(case)
        return
    for format_, mediatype in case.get("implied", {}).items():
        known = find_name("format", format_)
        assert known is not None
        assert mediatype == known.payload
    if "yaml" in case:
        registry = _folder(case["yaml"], tmp_path)
        assert case["written"] == _compiled_entity(registry, PATHS["endpoint"], "1.0-rc2")
        return
    (tmp_path / "document").write_text(_text(case), encoding="utf-8")
    read = load_document(tmp_path / "document")
    if "refused" in case:
        assert [case["refused"]] == [item.rule for item in read.registry.problems if item.severity is Severity.ERROR]
        return
    _assert_messages(case, read)
    path = PATHS[case.get("kind", "message")]
    if "read" in case:
        _reads(case, read.registry, path)
    if "published" in case:
        assert case["published"] == _compiled_entity(read.registry, path, "1.0-rc4")
    compiled = compile_document(read.registry)
    for pointer, value in case.get("pointers", {}).items():
        assert value == _at(compiled, tuple(pointer.split("/")[1:])), pointer
    if "meta" in case:
        assert case["meta"] == {key: item for key, item in _at(compiled, (*path, "meta")).items() if key not in MADE}


def _event(case: dict[str, Any]) -> None:
    """An event of a message on the wire, and the message that is made of it."""
    (event,) = extract(read_wire(case["wire"])).events
    assert case["read"] == dict(event.attributes)
    assert case["written"] == bind(event, case["wire"]["protocol"], "binary", {}).as_json()


def _reads(case: dict[str, Any], registry: Registry, path: tuple[str, ...]) -> None:
    entity = registry.entity("/" + "/".join(path))
    assert entity is not None
    assert case["read"] == dict(entity.attributes)
    assert case.get("written", case["read"]) == _compiled_entity(registry, path, "1.0-rc2")
    diagnostics = check(registry).diagnostics
    expected = case.get("rules", [])
    # Remarks that a case doesn't name, such as that a base isn't there, are not its matter; errors always are.
    told = {item.rule for item in diagnostics if item.severity is Severity.ERROR or item.rule in expected}
    assert expected == sorted(told)


def _assert_messages(case: dict[str, Any], read: LoadedDocument) -> None:
    results = [f"{item.severity.value}: {item.message}" for item in check(read.registry).diagnostics]
    for part in case.get("told", ()):
        assert any(part in message for message in results), results
    assert case.get("release", read.dialect.name) == read.dialect.name


def _text(case: dict[str, Any]) -> str:
    if "text" in case:
        return str(case["text"])
    document = case.get("document") or _merged(case.get("with", {}), PATHS[case.get("kind", "message")], case["given"])
    return json.dumps({"registryid": "r", **document})


def _merged(around: dict[str, Any], path: tuple[str, ...], value: dict[str, Any]) -> dict[str, Any]:
    """Return a document with a value at a path."""
    first, *rest = path
    inner = _merged(around.get(first, {}), tuple(rest), value) if rest else {**around.get(first, {}), **value}
    return {**around, first: inner}


def _compiled_entity(registry: Registry, path: tuple[str, ...], profile: str) -> dict[str, Any]:
    """Return what a document states of an entity, or of its only version, besides what compiling makes."""
    entity = _at(compile_document(registry, profile=profile), path)
    stated = entity["versions"]["1"] if path[-2] == "messages" else entity
    return {name: value for name, value in stated.items() if name not in MADE}


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def _folder(endpoint: dict[str, Any], root: Path) -> Registry:
    """Return a registry folder with one endpoint."""
    folder = root / "registry"
    (folder / "endpoints" / "e").mkdir(parents=True)
    (folder / "registry.yaml").write_text("registryid: r\n", encoding="utf-8")
    (folder / "endpoints" / "e" / "endpoint.yaml").write_text(json.dumps(endpoint), encoding="utf-8")
    return read_folder(folder)
