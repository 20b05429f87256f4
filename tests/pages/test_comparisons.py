"""Pages compare versions of a schema and a message at two commits, field by field, with whom each difference breaks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.catalog.folders import registry_of
from tests.pages.links import links_of, target
from tests.source.repositories import Repository, new_repository
from xregit.catalog import read_folder
from xregit.changes.change import Impact
from xregit.changes.field_diff import diff_versions
from xregit.pages import pages
from xregit.pages.comparison_pages import MAX_ANY_TWO, MAX_COMMITS, MAX_WITH_LAST, compared_pairs

SCHEMA = "schemagroups/g/schemas/s"
SAFE, BREAKS = Impact.COMPATIBLE, Impact.BREAKING
LIST = '{"type": "object", "properties": {"l": {"type": "array", "items": {"properties": {"x": {"enum": [%s]}}}}}}'
AVRO = '{"type": "record", "name": "R", "fields": [%s]}'
PROTO = 'syntax = "proto3"; message Here {%s} message There { string a = 1; }'
XSD = """<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="Bag"><complexType><sequence>
<element name="Owner" maxOccurs="9"><complexType><sequence>%s</sequence></complexType></element>
</sequence></complexType></element></schema>"""
# A format with two documents, and the fields that differ: place, before, after, the impact on producers and consumers.
CASES = {
    "added and required": (
        "JsonSchema/draft-07",
        '{"properties": {"a": {"type": "string"}}}',
        '{"properties": {"a": {"type": "string"}, "b": {"properties": {"c": {}}}}, "required": ["a"]}',
        [
            ("a", "string, optional", "string, required", BREAKS, SAFE),
            ("b", "", "record (object), optional", SAFE, SAFE),
        ],
    ),
    "inside a list": (
        "JsonSchema/draft-07",
        LIST % '"u"',
        LIST % '"u", "v"',
        [("l[].x", "enum, optional, one of u", "enum, optional, one of u, v", SAFE, BREAKS)],
    ),
    "Avro": (
        "Avro/1.11",
        AVRO % '{"name": "a", "type": "int"}, {"name": "m", "type": {"type": "map", "values": "int"}}',
        AVRO % '{"name": "a", "type": "long"}, {"name": "m", "type": {"type": "map", "values": "string"}}',
        [
            ("a", "int32 (int), required", "int64 (long), required", SAFE, BREAKS),
            ("m", "map of int32 (int), required", "map of string, required", BREAKS, BREAKS),
        ],
    ),
    "one of two messages": (
        "Protobuf/3",
        PROTO % "string a = 1;",
        PROTO % "bytes a = 1; int32 b = 2;",
        [
            ("Here: a", "string, required", "bytes, required", SAFE, BREAKS),
            ("Here: b", "", "int32, required", SAFE, SAFE),
        ],
    ),
    "XML": (
        "XSD/1.0",
        XSD % '<element name="N" type="string"/>',
        XSD % '<element name="N" type="int"/>',
        [("Owner[].N", "string (xs:string), required", "int32 (xs:int), required", BREAKS, SAFE)],
    ),
    "nothing": ("JsonSchema/draft-07", '{"title": "A"}', '{"title": "B"}', []),
}


@pytest.mark.parametrize("case", CASES)
def test_fields_that_differ(case: str, tmp_path: Path) -> None:
    """Each language says which fields differ, and the impact of each is that of a change that has no other."""
    schema_format, old, new, expected = CASES[case]
    files = {f"{SCHEMA}/schema.yaml": f"format: {schema_format}\n", f"{SCHEMA}/versions/1.txt": old}
    registry = registry_of(tmp_path, {**files, f"{SCHEMA}/versions/2.txt": new})
    schema = registry.resource(f"/{SCHEMA}")
    assert schema is not None
    (result,) = diff_versions(registry, schema, *schema.versions.values())
    assert [(each.place, each.before, each.after, each.producer, each.consumer) for each in result.fields] == expected
    worst = [min((each.producer for each in result.fields), key=list(Impact).index, default=SAFE)]
    assert expected == [] or worst == [result.change.producer]


def test_any_two_versions_are_compared(tmp_path: Path) -> None:
    """Each version leads to its comparisons with those before it: any two of the last ones, neighbours farther back."""
    count = MAX_ANY_TWO + 2
    files = {"schemagroups/g/schemas/s/schema.yaml": "format: JsonSchema/draft-07\n"} | {
        f"schemagroups/g/schemas/s/versions/{number}.json": json.dumps({"type": "integer", "maximum": number})
        for number in range(1, count + 1)
    }
    by_address = {page.address: page.html for page in pages(registry_of(tmp_path, files))}
    compared = [address for address in by_address if "/since/" in address]
    assert len(compared) == MAX_ANY_TWO * (MAX_ANY_TWO - 1) // 2 + 2 * 2
    schema = "schemagroups/g/schemas/s"
    linked = {target(f"{schema}/index.html", href) for href in links_of(by_address[f"{schema}/"]).linked}
    assert {(f"{schema}/versions/{count}/since/{old}/index.html", "") for old in range(1, count)} <= linked
    assert "breaks consumers" in by_address[f"{schema}/"]
    assert "integer, required, at most 1<" in by_address[f"{schema}/versions/{count}/since/1/"]


def test_what_cant_be_compared_is_said(tmp_path: Path) -> None:
    """Where nothing is known of the language, or the two have several, the page doesn't claim that nothing differs."""
    files = {
        "schemagroups/g/schemas/s/schema.yaml": "versions: {a: {format: Avro/1.11}, b: {format: JsonSchema/draft-07}}"
        "\n",
        "schemagroups/g/schemas/s/versions/a.avsc": '"string"',
        "schemagroups/g/schemas/s/versions/b.json": "{}",
        "schemagroups/g/schemas/t/schema.yaml": "format: Other/1\n",
        "schemagroups/g/schemas/t/versions/1.txt": "a",
        "schemagroups/g/schemas/t/versions/2.txt": "b",
    }
    by_address = {page.address: page.html for page in pages(registry_of(tmp_path, files))}
    assert "Avro/1.11 becomes JsonSchema/draft-07" in by_address["schemagroups/g/schemas/s/versions/b/since/a/"]
    assert "couldn&#39;t be determined" in by_address["schemagroups/g/schemas/t/versions/2/since/1/"]


MESSAGE = "registry__messagegroups__g__messages__m"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository in which a message, its base and its schema changed, one after another."""
    result = new_repository(tmp_path / "repository")
    schema = "registry__schemagroups__g__schemas__s"
    stated = "dataschemaformat: JsonSchema/draft-07\ndataschemauri: /schemagroups/g/schemas/s\n"
    based = f"basemessage: /messagegroups/g/messages/base\n{stated}"
    files = {
        "registry__registry.yaml": "registryid: test\n",
        "registry__messagegroups__g__messagegroup.yaml": "envelope: CloudEvents/1.0\n",
        "registry__messagegroups__g__messages__base.yaml": "envelopemetadata: {subject: {value: one}}\n",
        "registry__schemagroups__g__schemagroup.yaml": "description: x\n",
        f"{schema}__schema.yaml": "format: JsonSchema/draft-07\n",
        f"{schema}__versions__1.json": '{"properties": {"a": {"type": "string"}}}',
        f"{MESSAGE}.yaml": based,
    }
    result.commit("Begin", **files)
    result.commit("Type", **{f"{MESSAGE}.yaml": f"{based}envelopemetadata: {{type: {{value: x}}}}\n"})
    base = "registry__messagegroups__g__messages__base.yaml"
    result.commit("Subject", **{base: "envelopemetadata: {subject: {value: two}}\n"})
    result.commit("Number", **{f"{schema}__versions__1.json": '{"properties": {"a": {"type": "integer"}}}'})
    return result


def test_message_is_compared_at_any_two_commits(repository: Repository) -> None:
    """What its base and its schema changed is among it, by the same verdicts as between two versions."""
    by_address = {page.address: page.html for page in pages(read_folder(repository.root / "registry"))}
    page = "messagegroups/g/messages/m/"
    shas = [sha[:9] for sha in repository.git("log", "--reverse", "--format=%H").split()]
    begin, type_, _, number = shas
    compared = {address for address in by_address if address.startswith(f"{page}commits/")}
    linked = {target(f"{page}index.html", href) for href in links_of(by_address[page]).linked}
    assert {(f"{address}index.html", "") for address in compared if f"/{number}/" in address} <= linked
    whole = by_address[f"{page}commits/{number}/since/{begin}/"]
    rows = re.findall(r'<td class="xr-name"><code>(.*?)</code>', whole.replace("<wbr>", ""))
    assert rows == ["envelopemetadata.subject", "envelopemetadata.type", "a"]
    assert '<td data-label="Before">string, optional</td>' in whole
    first = by_address[f"{page}commits/{type_}/since/{begin}/"]
    assert "envelopemetadata" in first
    assert "Fields" not in first


def test_commits_of_a_message_are_bounded(repository: Repository) -> None:
    """However often a message changed, the last few commits of it are compared."""
    for number in range(MAX_COMMITS + 3):
        repository.commit(
            f"Change {number}", **{f"{MESSAGE}.yaml": f"envelopemetadata: {{type: {{value: x{number}}}}}\n"}
        )
    compared = [page for page in pages(read_folder(repository.root / "registry")) if "/m/commits/" in page.address]
    assert len(compared) == MAX_COMMITS * (MAX_COMMITS - 1) // 2


def test_number_of_comparisons_is_that_of_versions() -> None:
    """Each version is compared with the next, and a fixed number with the last."""
    ids = [str(number) for number in range(1_000)]
    pairs = list(compared_pairs(ids))
    assert len(pairs) < len(ids) + MAX_WITH_LAST + MAX_ANY_TWO**2
    assert len([old for old, new in pairs if new == ids[-1]]) == MAX_WITH_LAST - 1
