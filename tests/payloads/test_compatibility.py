"""Which changes of payload schemas are compatible: each case, each promise of a schema, and the page made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.payloads.compatibility_page import PAGE, Case, cases, loaded, page
from tests.payloads.test_real_schemas import BROKEN, of_catalog, published
from xregit.catalog import read_folder
from xregit.payloads import PayloadError, parse
from xregit.payloads.base import Document
from xregit.payloads.compatibility import Answer, Compatibility, breaches, compare, compare_documents, compatible
from xregit.payloads.compatibility.comparison import kinds

CASES = tuple(cases())
IN_JSON = [case for case in CASES if case.language in {"JSON Schema", "JSON Structure"} and not case.newformat]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.language}: {case.change}")


def of_case(case: Case) -> Compatibility:
    """Return what is said of a case."""
    return compatible(
        case.format,
        case.before,
        case.after,
        newformat=case.newformat,
        selector=case.selector,
        contenttype=case.contenttype,
    )


@every_case
def test_verdict(case: Case) -> None:
    """Both answers are those of the case, and whatever isn't right says so in a sentence, with a way out."""
    result = of_case(case)
    assert case.answers == (result.backward, result.forward)
    assert case.full == result.full
    assert [case.remark] * bool(case.remark) == [item.kind for item in result.verdicts if item.kind == "freed"]
    for verdict in result.verdicts:
        assert verdict.message[:1].isupper() or not verdict.message[:1].isalpha()
        assert verdict.message.endswith(".")
        assert verdict.help.endswith(".")
        assert verdict.where


@every_case
def test_the_other_way_round(case: Case) -> None:
    """What is undone is compatible where doing it was, with forward and backward exchanged; reserved numbers aside."""
    if "reserved" in case.before.decode() + case.after.decode():
        return
    mirrored = compatible(
        case.newformat or case.format,
        case.after,
        case.before,
        newformat=case.format,
        selector=case.selector,
        contenttype=case.contenttype,
    )
    assert case.answers == (mirrored.forward, mirrored.backward)


@every_case
def test_examples_agree(case: Case) -> None:
    """The example of one schema is read with the other where the verdict says so."""
    old = parse(case.format, case.before, fragment=case.selector)
    new = parse(case.newformat or case.format, case.after, fragment=case.selector)
    if case.language == "Avro":
        # Avro's readers need both schemas; `test_resolution` has them.
        return
    for written, read, answer in ((old, new, case.answers[0]), (new, old, case.answers[1])):
        try:
            body = written.encode(written.example(), case.contenttype)
        except PayloadError:
            continue
        assert not (answer == "yes" and read.validate(body, case.contenttype)), body


@pytest.mark.parametrize("case", loaded("policies"), ids=lambda case: case["title"])
def test_promises(case: dict[str, Any]) -> None:
    """What a schema promises of its versions is held against each version and those before it."""
    documents: dict[str, str] = case["versions"]
    ids = list(documents)
    parents = dict(zip(ids, ["", *ids], strict=False))

    def relate(older: str, newer: str) -> Compatibility:
        return compatible("JsonSchema/draft-07", documents[older].encode(), documents[newer].encode())

    result = breaches(case["policy"], parents, relate)
    assert case["breaches"] == [f"{item.older} {item.newer} {item.direction} {item.answer}" for item in result]


@pytest.mark.requirement("MSG-41")
def test_schemas_of_the_example_catalog_are_compatible_with_themselves(root: Path) -> None:
    """Nothing real is refused by itself; what can't be told of it is told as such."""
    for name, form, data, fragment in of_catalog(read_folder(root / "registry")):
        document = Document(form, data, fragment, name)
        assert compare_documents(document, document).full is Answer.YES, name


def test_schemas_of_published_documents_are_compatible_with_themselves(shared: Path) -> None:
    """So it is with each of the published documents."""
    result = published(shared / "corpus" / "docs")
    assert len(result) >= 100
    for name, form, data, fragment in result:
        if not name.startswith(BROKEN):
            document = Document(form, data, fragment, name)
            assert compare_documents(document, document).full is not Answer.NO, name


@pytest.mark.parametrize("depth", [20, 90])
def test_deep_schemas_are_compared_in_bounds(depth: int) -> None:
    """However deep a schema is, there is an answer."""
    documents = [b'{"type": "array", "items": ' * depth + inner + b"}" * depth for inner in (b'"int"', b'"string"')]
    assert compatible("Avro/1.11.1", *documents).full is Answer.NO
    schemas = [document.replace(b'"int"', b"{}").replace(b'"string"', b"false") for document in documents]
    assert compatible("JsonSchema/draft-07", *schemas).backward is not Answer.YES


def test_every_kind_of_change_is_in_the_table() -> None:
    """No kind is declared that no case shows."""
    shown = {(_family(case), verdict.kind) for case in CASES for verdict in of_case(case).verdicts}
    declared = {
        (family, kind) for family, table in kinds().items() for kind in table if kind not in {"language", "large"}
    }
    assert declared - shown == set()


def test_cases_that_a_reference_leads_to_are_looked_at() -> None:
    """A case that is met again through the reference that led to it proves nothing."""
    old = b'{"items": {"$ref": "#/definitions/some"}, "definitions": {"some": {"anyOf": [{"type": "null"}]}}}'
    assert compatible("JsonSchema/draft-07", old, b'{"items": false}').backward is not Answer.YES
    assert compatible("JsonSchema/draft/2020-12", old, b'{"items": false}').backward is not Answer.YES


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, 'Enum values removed: "b"; for example "b".'),
        ({"enum": ["a"]}, {"enum": ["a", "b", "c"]}, 'Enum values added: "b", "c"; for example "b".'),
        ({"enum": ["a"]}, {"enum": ["b"]}, 'Enum values removed: "a"; added: "b"; for example "a".'),
        (
            {"type": "integer", "enum": [1]},
            {"enum": [*range(1, 9)]},
            "Enum values added: 2, 3, 4, 5, 6, 2 more; for example 2.",
        ),
        ({"type": "string"}, {"enum": ["a"]}, 'The value is now limited to an enum; for example "".'),
        ({"enum": ["a"]}, {"type": "string"}, 'The value is no longer limited to an enum; for example "".'),
        *(
            ({**open_, "properties": {"state": {"enum": ["a"]}}}, open_, f"Property removed. {removed}")
            for open_ in ({"type": "object"}, {"type": "object", "additionalProperties": True})
            for removed in ["The schema allows extra properties, so new payloads may use this name differently."]
        ),
    ],
)
def test_words_name_what_changes(before: object, after: object, expected: str) -> None:
    """Values by themselves, and a removed property as one, whether its schema says or implies that it is open."""
    documents = (json.dumps(document).encode() for document in (before, after))
    assert [item.message for item in compatible("JsonSchema/draft-07", *documents).verdicts] == [expected]


def test_example_shows_what_it_stands_for() -> None:
    """Of two properties that are required now, each is shown by a payload without it."""
    new = b'{"type": "object", "required": ["door", "who"], "properties": {"door": {"type": "string"}}}'
    result = compatible("JsonSchema/draft-07", b'{"type": "object", "properties": {"door": {"type": "string"}}}', new)
    said = {item.where: item.message for item in result.verdicts if item.kind == "required"}
    assert said == {
        "door": 'The property is now required; for example {"who": {}}.',
        "who": 'The property is now required; for example {"door": ""}.',
    }


@pytest.mark.parametrize("case", IN_JSON, ids=lambda case: f"{case.language}: {case.change}")
def test_finding_shows_a_payload_that_is_refused(case: Case) -> None:
    """For JSON Schema and JSON Structure each "no" has an example, also where the other direction can't be told."""
    refused = [item for item in of_case(case).verdicts if Answer.NO in (item.backward, item.forward)]
    assert [item.message for item in refused if not re.search("; for example .*\\.$", item.message)] == []


def _family(case: Case) -> str:
    return {
        "JSON Schema": "JsonSchema",
        "JSON Structure": "JsonSchema",
        "Protobuf in JSON": "ProtobufJson",
        "XML Schema": "XSD",
    }.get(case.language, case.language)


def test_page_is_current(root: Path, golden: Callable[[str | Path, str | bytes], None]) -> None:
    """The page of the site is the one that these cases write."""
    golden(root / PAGE, page())


@pytest.mark.parametrize("case", loaded("counterexamples"), ids=lambda case: case["title"])
def test_counterexamples(case: dict[str, Any]) -> None:
    """Where an old payload is one that the new schema refuses, nothing says that all are read."""
    formats = case["format"], case.get("newformat", case["format"])
    old, new = (parse(form, case[side].encode()) for form, side in zip(formats, ("before", "after"), strict=True))
    if "payload" in case:
        payload = case["payload"].encode()
        assert not old.validate(payload)
        assert new.validate(payload)
    assert compare(old, new).described.backward is not Answer.YES
