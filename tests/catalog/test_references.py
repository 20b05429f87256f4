"""Typed views: contracts of endpoints, references to schemas, and who refers to whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.folders import registry_of
from xregit.catalog.references import local_xid, schema_address, schema_reference

FILES = {
    "messagegroups/g/messagegroup.yaml": "envelope: CloudEvents/1.0\n",
    "messagegroups/g/messages/a.yaml": """
        envelopemetadata: {type: {value: a}}
        dataschemaformat: Protobuf/3
        dataschemauri: /schemagroups/s/schemas/x:Payload
    """,
    "messagegroups/h/messages/b.yaml": "basemessage: /messagegroups/g/messages/a\nprotocol: kafka/2.0\n",
    "endpoints/e/endpoint.yaml": """
        usage: [producer]
        channel: q
        messagegroups: [/messagegroups/g, "#/messagegroups/h", "https://example.com/messagegroups/far"]
    """,
    "endpoints/e/messages/own.yaml": "name: Own\n",
    "endpoints/f/endpoint.yaml": "usage: [consumer]\nchannel: q\n",
    "schemagroups/s/schemas/x/schema.yaml": "format: protobuf/3\n",
    "schemagroups/s/schemas/x/versions/1.proto": "message Payload {}\n",
    "schemagroups/s/schemas/x:y/schema.yaml": "format: Protobuf/3\n",
    "schemagroups/s/schemas/x:y/versions/1.proto": "message Payload {}\n",
}


@pytest.mark.requirement("EP-38", "EP-39")
def test_a_contract_holds_own_messages_and_those_of_groups(tmp_path: Path) -> None:
    """Each message of a contract says through which group it comes."""
    endpoint = registry_of(tmp_path, FILES)["/endpoints/e"]
    assert [(entry.message.xid, entry.via) for entry in endpoint.contract] == [
        ("/endpoints/e/messages/own", "/endpoints/e"),
        ("/messagegroups/g/messages/a", "/messagegroups/g"),
        ("/messagegroups/h/messages/b", "/messagegroups/h"),
    ]


def test_a_message_knows_who_carries_it_and_who_derives_from_it(tmp_path: Path) -> None:
    """The same references, read backwards."""
    message = registry_of(tmp_path, FILES)["/messagegroups/g/messages/a"]
    assert [(endpoint.id, via) for endpoint, via in message.carriers] == [("e", "/messagegroups/g")]
    assert [item.id for item in message.derived] == ["b"]


def test_selectors_are_given_in_canonical_spelling(tmp_path: Path) -> None:
    """Readers of a view need not know how an author spelled a protocol."""
    message = registry_of(tmp_path, FILES)["/messagegroups/h/messages/b"]
    assert (message.protocol, message.envelope) == ("KAFKA", "CloudEvents/1.0")


REFERENCES = {
    "/schemagroups/s/schemas/x": ("x", "1", ""),
    "#/schemagroups/s/schemas/x": ("x", "1", ""),
    "/schemagroups/s/schemas/x/versions/1": ("x", "1", ""),
    "/schemagroups/s/schemas/x:Payload": ("x", "1", "Payload"),
    "/schemagroups/s/schemas/x/versions/1:Outer.Inner": ("x", "1", "Outer.Inner"),
    "/schemagroups/s/schemas/x:y": ("x:y", "1", ""),
    "/schemagroups/s/schemas/x:y:Payload": ("x:y", "1", "Payload"),
    "/schemagroups/s/schemas/x#/definitions/P": ("x", "1", "/definitions/P"),
    "/schemagroups/s/schemas/x:/definitions/P": ("x", "1", "/definitions/P"),
    "/schemagroups/s/schemas/x:y:messages/P": ("x:y", "1", "messages/P"),
    "#/schemagroups/s/schemas/x/versions/1/definitions/P": ("x", "1", "/definitions/P"),
    "#/schemagroups/s/schemas/x/versions/1:/definitions/P": ("x", "1", "/definitions/P"),
    "/schemagroups/s/schemas/x/version/1": ("x", None, ""),
    "/schemagroups/s/schemas/x/": ("x", None, ""),
    "/schemagroups/s/schemas/x/versions": ("x", None, ""),
    "/schemagroups/s/schemas/x/versions/2": ("x", None, ""),
    "/schemagroups/s/schemas/none": (None, None, ""),
}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("/schemagroups/s/schemas/x", "https://c.example/api/schemagroups/s/schemas/x"),
        ("#/schemagroups/s/schemas/x/versions/1", "https://c.example/api/schemagroups/s/schemas/x/versions/1"),
        ("/schemagroups/s/schemas/x:a.Payload", "https://c.example/api/schemagroups/s/schemas/x#a.Payload"),
        ("/schemagroups/s/schemas/x:y:Pay load", "https://c.example/api/schemagroups/s/schemas/x:y#Pay%20load"),
        ("/schemagroups/s/schemas/x:/$defs/P", "https://c.example/api/schemagroups/s/schemas/x#/$defs/P"),
        ("https://c.example/api/schemagroups/s/schemas/x", "https://c.example/api/schemagroups/s/schemas/x"),
        ("https://elsewhere.example/x:Payload", "https://elsewhere.example/x:Payload"),
        ("/schemagroups/s/schemas/none:P", "https://c.example/api/schemagroups/s/schemas/none:P"),
    ],
)
def test_address_of_a_schema_is_absolute_and_its_object_a_fragment(tmp_path: Path, text: str, address: str) -> None:
    """What events name leads to the document that the static API serves, and back to the same object."""
    registry = registry_of(tmp_path, {**FILES, "xregit.yaml": "baseurl: https://c.example/api/"})
    assert schema_address(registry, text) == address
    reference, again = schema_reference(registry, text), schema_reference(registry, address)
    assert (again.schema, again.version) == (reference.schema, reference.version)
    assert schema_address(registry_of(tmp_path / "b", FILES), "/schemagroups/s/schemas/x") == ""


@pytest.mark.requirement("MSG-41")
@pytest.mark.parametrize("text", REFERENCES)
def test_a_schema_reference_finds_schema_version_and_type(tmp_path: Path, text: str) -> None:
    """Ids may hold a colon themselves, so the longest known id wins."""
    result = schema_reference(registry_of(tmp_path, FILES), text)
    schema = result.schema.id if result.schema else None
    version = result.version.id if result.version else None
    assert (schema, version, result.selector) == REFERENCES[text]
    assert result.local


@pytest.mark.requirement("MSG-41")
@pytest.mark.parametrize("text", ["/messagegroups/g/messages/m", "../schemas/x.json", "x.json#/definitions/P", "x"])
def test_what_is_no_schema_of_the_registry_leads_nowhere(tmp_path: Path, text: str) -> None:
    """Neither does a message, nor a path that could be followed from a folder alone; neither leaves the registry."""
    files = {**FILES, "messagegroups/g/messages/m.yaml": "description: a message\n"}
    result = schema_reference(registry_of(tmp_path, files), text)
    assert (result.local, result.schema, result.version) == (True, None, None)


@pytest.mark.requirement("MSG-43")
@pytest.mark.parametrize("named", ["/schemagroups/t/schemas/y", "/schemagroups/t/schemas/y/versions/1"])
def test_a_reference_to_an_alias_names_the_alias(tmp_path: Path, named: str) -> None:
    """What it finds is the alias's target, whose address is another one."""
    files = {f"schemagroups/s/schemas/x/versions/{number}.json": "{}" for number in "12"}
    files["schemagroups/s/schemas/x/schema.yaml"] = "format: JsonSchema/draft-07\n"
    files["schemagroups/t/schemas/y/schema.yaml"] = "xref: /schemagroups/s/schemas/x\n"
    result = schema_reference(registry_of(tmp_path, files), f"#{named}:T")
    assert result.schema is not None
    assert (result.xid, result.schema.xid, result.selector) == (named, "/schemagroups/s/schemas/x", "T")


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("/schemagroups/s/schemas/x", "2"),
        ("/schemagroups/s/schemas/x/versions/1", "1"),
        ("/schemagroups/s/schemas/x/versions/1.json", "1"),
        ("https://catalog.example.com/api/schemagroups/s/schemas/x", "2"),
        ("https://catalog.example.com/api/schemagroups/s/schemas/x/versions/1", "1"),
        ("https://example.com/x/1", "1"),
        ("https://example.com/x/3", None),
        ("/schemagroups/s/schemas/x/versions/3", None),
    ],
)
def test_a_schema_document_has_several_names(tmp_path: Path, name: str, document: str | None) -> None:
    """Its xid, the path of its file, its address where the registry is served, and its own ``$id``."""
    texts = {number: f'{{"$id": "https://example.com/x/{number}"}}' for number in "12"}
    files = {f"schemagroups/s/schemas/x/versions/{number}.json": text for number, text in texts.items()}
    files["schemagroups/s/schemas/x/schema.yaml"] = "format: JsonSchema/draft-07\n"
    files["xregit.yaml"] = "baseurl: https://catalog.example.com/api\n"
    result = registry_of(tmp_path, files).schema_documents.get(name)
    assert result == (texts[document].encode() if document else None)


@pytest.mark.parametrize("text", ["x", "x/versions/1", "x#/definitions/P", "x:Payload", "x/versions/1:Payload"])
def test_what_refers_into_a_schema_mentions_it(tmp_path: Path, text: str) -> None:
    """A reference to a version or to a part is one to the whole, so that what is used counts as used."""
    message = {"messagegroups/g/messages/a.yaml": f"dataschemauri: /schemagroups/s/schemas/{text}\n"}
    assert "/schemagroups/s/schemas/x" in registry_of(tmp_path, message).mentions


def test_a_foreign_schema_is_kept_as_it_is(tmp_path: Path) -> None:
    """A reference that leaves the registry is not followed."""
    result = schema_reference(registry_of(tmp_path, FILES), "https://example.com/x.json")
    assert (result.local, result.schema) == (False, None)


def test_the_users_of_a_schema_are_those_that_inherit_it_too(tmp_path: Path) -> None:
    """A message that takes its payload from its base uses the schema as well."""
    schema = registry_of(tmp_path, FILES)["/schemagroups/s/schemas/x"]
    assert [message.id for message in schema.users] == ["a", "b"]


LOCAL = {
    "/messagegroups/g": "/messagegroups/g",
    "#/messagegroups/g": "/messagegroups/g",
    "https://r.example/api/messagegroups/g": "/messagegroups/g",
    "https://elsewhere.example/messagegroups/g": "",
    "messagegroups/g": "",
}


@pytest.mark.parametrize("text", LOCAL)
def test_references_below_the_base_url_are_local(text: str) -> None:
    """What the registry serves itself is the same as its xid."""
    assert local_xid(text, "https://r.example/api/") == LOCAL[text]


def test_all_views_have_what_every_entity_has(tmp_path: Path) -> None:
    """Name, description, documentation, labels and deprecation are asked for alike, stated or not."""
    said = "name: N\ndescription: D\ndocumentation: https://example.com/d\nlabels: {a: b}\ndeprecated: {}\n"
    files = {
        "messagegroups/g/messagegroup.yaml": said + "envelope: cloudevents/1.0\nprotocol: kafka/2.0\n",
        "messagegroups/g/messages/a.yaml": said,
        "endpoints/e/endpoint.yaml": said + "usage: [producer]\n",
        "schemagroups/s/schemagroup.yaml": said,
        "schemagroups/s/schemas/x/schema.yaml": said + "format: Avro\n",
        "schemagroups/s/schemas/x/versions/1.avsc": '"string"',
    }
    bare = {path: "usage: [producer]\n" if "usage" in text else "{}" for path, text in files.items()}
    for texts, due in ((files, ("N", "D", "https://example.com/d", {"a": "b"}, {})), (bare, ("", "", "", {}, None))):
        registry = registry_of(tmp_path / due[0], texts)
        for xid in registry:
            view = registry[xid]
            assert due == (view.name, view.description, view.documentation, view.labels, view.deprecated), xid
    group = registry_of(tmp_path / "again", files)["/messagegroups/g"]
    assert (group.envelope, group.protocol) == ("CloudEvents/1.0", "KAFKA")


def test_a_schema_knows_its_group(tmp_path: Path) -> None:
    """As a message does."""
    registry = registry_of(tmp_path, FILES)
    assert registry["/schemagroups/s/schemas/x"].group is registry.groups["schemagroups"]["s"]
