"""Every schema of the example catalog and of the published documents: examples, round trips, tables of fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from xregit.catalog import Registry, read_folder
from xregit.payloads import SchemaError, language, parse, problems

# "}" stands twice at the end of these.
BROKEN = ("codegen-sample-minimal-proto",)
Found = tuple[str, str, bytes, str]


def of_catalog(registry: Registry) -> Iterator[Found]:
    """Give the schema documents of a registry, and the objects in them that messages name."""
    for schema in registry.schemas:
        for version in schema.versions:
            assert version.document is not None
            assert version.document.data is not None
            yield version.xid, schema.format, version.document.data, ""
    for message in registry.messages:
        reference = message.schema
        if reference is not None and reference.selector and reference.version and reference.version.document:
            data, form = reference.version.document.data, str(reference.version.attributes["format"])
            yield message.xid, form, data or b"", reference.selector


def of_document(value: Any, name: str) -> Iterator[Found]:
    """Give the schemas anywhere in a document."""
    if isinstance(value, dict):
        for form, schema in (("format", "schema"), ("schemaformat", "schema"), ("dataschemaformat", "dataschema")):
            if isinstance(value.get(form), str) and language(value[form]) and value.get(schema):
                content = value[schema]
                data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
                yield name, value[form], data, ""
        for item in value.values():
            yield from of_document(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from of_document(item, name)


@cache
def published(folder: Path) -> tuple[Found, ...]:
    """Return each schema of the published documents once."""
    result: dict[tuple[str, bytes], Found] = {}
    for file in sorted(folder.rglob("*.json")):
        try:
            value = json.loads(file.read_bytes())
        except ValueError:
            continue
        for item in of_document(value, file.name):
            result.setdefault((item[1], item[2]), item)
    return tuple(result.values())


def judge(found: Found) -> None:
    """Make an example, encode it in both ways, and read it again."""
    name, form, data, fragment = found
    schema = parse(form, data, fragment=fragment)
    value = schema.example()
    for contenttype in ("", "application/json"):
        body = schema.encode(value, contenttype)
        assert schema.validate(body, contenttype) == (), name
        assert schema.decode(body, contenttype) == value, name
    assert schema.fields(), name


@pytest.mark.requirement("MSG-41")
def test_schemas_of_the_example_catalog_can_be_used(root: Path) -> None:
    """Each schema has an example that is valid, however it is encoded."""
    results = list(of_catalog(read_folder(root / "registry")))
    assert len(results) > 50
    for item in results:
        form, several = item[1], "Protobuf" in item[1] and not item[3]
        assert problems(form, item[2]) == ()
        if not several:
            judge(item)


def test_schemas_of_published_documents_can_be_used(shared: Path) -> None:
    """So has each of the published documents, but for those that are broken."""
    result = published(shared / "corpus" / "docs")
    assert {language(item[1]) for item in result} >= {"JsonSchema", "Avro", "Protobuf", "JsonStructure"}
    assert len(result) > 300
    for item in result:
        if item[0].startswith(BROKEN):
            with pytest.raises(SchemaError):
                parse(item[1], item[2])
        else:
            judge(item)
