"""What holds for every AsyncAPI document: nothing of it is lost in silence, and what we export comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import xregit
from tests.messages.catalogs import registry_of
from tests.messages.strategies import definitions
from tests.messages.test_definition_laws import NOW, OPEN, UNITS, VALUES
from tests.sizes import some
from xregit.document.asyncapi import asyncapi_files
from xregit.document.asyncapi.importer import AsyncapiImporter
from xregit.messages.definition import to_definition
from xregit.messages.encoder import MessageError


def _places(value: Any, pointer: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield pointer, value
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[key], (*pointer, key))


CASES = sorted((Path(__file__).parents[2] / "cases" / "document" / "asyncapi_import").glob("*.yaml"))
SOURCES = {path.stem: yaml.safe_load(path.read_text())["source"] for path in CASES}
DOCUMENTS = [yaml.safe_load(source) for source in SOURCES.values()]
# One definition is bound to a protocol, the other to none, as is the endpoint that has them.
UNBOUND = {
    "m": {"protocol": "AMQP/1.0", "basemessage": "/messagegroups/g/messages/base"},
    "base": {"envelope": "CloudEvents/1.0", "envelopemetadata": {"foo": {}}},
}
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@settings(max_examples=some(30), suppress_health_check=QUIET)
@given(messages=definitions())
@example(messages=UNBOUND)
def test_exported_definitions_come_back(messages: dict[str, Any], tmp_path: Path) -> None:
    """What is exported and imported again recognises what is made of the definition, by the same definition."""
    registry = registry_of(tmp_path, messages)
    message = registry["/messagegroups/g/messages/m"]
    asked = to_definition(message)
    needed = [item for item in asked.constraints if item.required and item.constant is None and item.template is None]
    stated = {item.attribute: UNITS.get(item.key, OPEN.get(item.type, "a/b")) for item in needed if not item.now}
    implied = {"type": "t", "source": "/s"} if asked.enveloped else {}
    context = {**implied, **stated, **{name: VALUES[name] for name in asked.placeholders}}
    bound = "" if asked.enveloped or asked.protocol else "HTTP"
    try:
        wire = xregit.new(message, context, now=NOW, new_id="new-id", protocol=bound)
    except MessageError:
        return
    with TemporaryDirectory(dir=tmp_path) as name:
        files = [Path(name, "all.json")]
        files[0].write_bytes(asyncapi_files(registry)["all.json"])
        report = xregit.import_documents(files, Path(name, "registry"))
        assert not report.failed, report.diagnostics
        again = xregit.load(Path(name, "registry"))
        before, after = (
            {
                item.xid.rpartition("/")[2]
                for item in xregit.Matcher(each, endpoint="/endpoints/all").match(wire).matches
            }
            for each in (registry, again)
        )
        assert "m" in after
        assert before == after


# What is said in other words, such as actions as usage; other tests hold examples against schemas.
OTHER_WORDS = {"action", "protocol", "protocolVersion", "schemaFormat", "type", "asyncapi", "$ref", "examples"}
# The rules of notes by which something of a source is told to be left out.
TOLD = {"left-out", "broken-reference", "credential-in-source"}
# Documents without mistakes whose keys are texts, and all keys that these have, and others, but no references.
SOUND = [json.loads(json.dumps(yaml.safe_load(source))) for name, source in SOURCES.items() if name != "faults"]
KEYS = sorted(
    {str(place[-1]) for each in SOUND for place, _ in _places(each) if place} - {"$ref"} | {"unknown", "x-unknown"}
)


@settings(max_examples=some(2000), suppress_health_check=QUIET)
@given(data=st.data())
def test_nothing_is_lost_in_silence(data: st.DataObject, tmp_path: Path) -> None:
    """Each value of a document is in the catalog or reported at its place, whatever keys are added to its objects."""
    document = deepcopy(data.draw(st.sampled_from(SOUND)))
    objects = [value for _, value in _places(document) if isinstance(value, dict)]
    keys = data.draw(st.lists(st.sampled_from([None, *KEYS]), min_size=len(objects), max_size=len(objects)))
    form = data.draw(st.sampled_from([lambda mark: mark, lambda mark: [mark], lambda mark: {"type": mark}]))
    for number, (value, key) in enumerate(zip(objects, keys, strict=True)):
        if key is not None:
            value.setdefault(key, form(f"mark{number}x"))
    importer = AsyncapiImporter()
    root = importer.reader.document(tmp_path / "a.json", json.dumps(document).encode())
    assert root is not None
    importer.add(root)
    importer.reader.leave_out_rest(root)
    told = [
        place for (rule, *_), places in importer.notes.places.items() if rule in TOLD for _, place in places if place
    ]
    words_of = (str(part) for place, text in _texts(importer.document()) for part in (*place[-1:], text))
    texts = "\n".join(words_of).lower()
    for pointer, text in _texts(document):
        is_told = any(pointer[: len(place)] == place for place in told)
        if "tags" in pointer:
            words = [part.strip().lower() for part in text.split(":")]
        else:
            words = [text.lower().rpartition("://")[2].strip()]  # an address gets the scheme of its protocol
        is_other = pointer == ("defaultContentType",) or (OTHER_WORDS & set(pointer) and not text.startswith("mark"))
        assert is_told or is_other or all(word in texts for word in words), (pointer, text)


def _texts(value: Any) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield each place in a value with the text of what is there; empty for what has an inner structure."""
    for pointer, item in _places(value):
        yield pointer, "" if isinstance(item, dict | list) else str(item)


ODD: list[Any] = [
    None,
    True,
    -1,
    1.5,
    "",
    "{",
    "{a}",
    [],
    [None],
    {},
    {"$ref": "#/x"},
    {"$ref": "#"},
    {"$ref": 1},
    {"": {}},
]


@settings(max_examples=some(150), suppress_health_check=QUIET)
@given(data=st.data())
def test_odd_documents_are_taken_or_refused(data: st.DataObject, tmp_path: Path) -> None:
    """Whatever stands in a place: the import says what is wrong and writes nothing, or writes what can be read."""
    document = deepcopy(data.draw(st.sampled_from(DOCUMENTS)))
    for _ in range(data.draw(st.integers(1, 3))):
        places = [pointer for pointer, _ in _places(document) if pointer not in ((), ("asyncapi",))]
        *above, last = data.draw(st.sampled_from(places))
        references = [{"$ref": "#/" + "/".join(map(str, place))} for place in places]
        inner = document
        for key in above:
            inner = inner[key]
        inner[last] = deepcopy(data.draw(st.sampled_from(ODD) | st.sampled_from(references)))
    with TemporaryDirectory(dir=tmp_path) as name:
        source, into = Path(name, "a.json"), Path(name, "registry")
        source.write_text(json.dumps(document))
        report = xregit.import_documents(source, into)
        assert into.exists() is not report.failed
        if not report.failed:
            xregit.check(xregit.read(into))


IDS, FIELDS = ("a", "b", "c"), ("title", "description")
# Numbers of what a text says, by message and field; None is a message that is not there.
CONTENTS = st.fixed_dictionaries(
    {id_: st.none() | st.fixed_dictionaries(dict.fromkeys(FIELDS, st.integers(0, 1))) for id_ in IDS}
)
OURS = {"title": "name", "description": "description"}


@settings(max_examples=some(40), suppress_health_check=QUIET)
@given(first=CONTENTS, second=CONTENTS, edits=CONTENTS)
def test_updates_keep_both_sides(first: Any, second: Any, edits: Any, tmp_path: Path) -> None:
    """An edit stays; what only the source changed is taken over; where both changed a file, that is told."""
    with TemporaryDirectory(dir=tmp_path) as name:
        root = Path(name)
        _import(root, first)
        paths = {id_: root / "registry" / "messagegroups" / "g" / "messages" / f"{id_}.yaml" for id_ in IDS}
        for id_ in (id_ for id_ in IDS if first[id_]):
            _edit(paths[id_], first[id_], edits[id_])
        report = _import(root, second)
        conflicts = {Path(item.path).stem for item in report.diagnostics if item.rule == "edited-here-and-there"}
        for id_, path in paths.items():
            if first[id_] is None:
                assert path.exists() is (second[id_] is not None)
            elif edits[id_] is None:
                assert not path.exists()
            else:
                _check_merge(path.read_text(), first[id_], second[id_], edits[id_], told=id_ in conflicts)
        held = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
        assert _import(root, second).files == ()
        assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == held


def _edit(path: Path, old: dict[str, int], edit: dict[str, int] | None) -> None:
    """Write a comment into a file, and change the fields that are not 0; no edit removes it."""
    if edit is None:
        path.unlink()
        return
    text = path.read_text()
    for field in (field for field in FIELDS if edit[field]):
        text = text.replace(f"{field} {old[field]}", f"{field} {old[field]} edited")
    path.write_text(f"# ours\n{text}")


def _check_merge(text: str, old: Any, new: Any, edit: dict[str, int], *, told: bool) -> None:
    """Compare what a file says with the source before and after, and with the edit; it stays if the source left it."""
    assert text.startswith("# ours\n")
    for field in FIELDS:
        if edit[field]:
            assert f"{OURS[field]}: {field} {old[field]} edited\n" in text
        elif new is not None and not told:
            assert f"{OURS[field]}: {field} {new[field]}\n" in text
    assert not told or new != old


def _import(root: Path, contents: dict[str, dict[str, int] | None]) -> xregit.ImportReport:
    messages = {
        id_: {**{field: f"{field} {number}" for field, number in item.items()}, "contentType": "text/plain"}
        for id_, item in contents.items()
        if item is not None
    }
    operation = {"action": "send", "channel": {"$ref": "#/channels/c"}}
    document = {
        "asyncapi": "3.0.0",
        "info": {"title": "g"},
        "channels": {"c": {"address": "c", "messages": messages}},
        "operations": {"o": operation},
    }
    (root / "g.json").write_text(json.dumps(document))
    report = xregit.import_documents(root / "g.json", root / "registry")
    assert not report.failed
    return report
