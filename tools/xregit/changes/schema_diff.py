"""How the payloads that two states of a schema or message allow relate to each other.

Source: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md, the format of pointers that replace documents.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from json import dumps
from typing import Any, NamedTuple

from xregit.catalog.entities import Resource, Version
from xregit.catalog.references import local_xid, schema_reference
from xregit.catalog.registry import Registry
from xregit.catalog.views import Message, SchemaDocuments, messages_of
from xregit.changes.attribute_diff import NARROWER, OTHER, SAME, WIDER, alike
from xregit.changes.change import Difference
from xregit.changes.message_diff import MessageState
from xregit.json_pointer import NamePath
from xregit.messages.payload import json_form, payload_media_type
from xregit.model import canonical
from xregit.payloads import SchemaError, language
from xregit.payloads.base import Document, fetch_nothing
from xregit.payloads.compatibility import Answer, Compatibility, Verdict, compare_documents
from xregit.payloads.compatibility.base import ROOT, messages, worst_first
from xregit.source import json_loader

EQUAL, UNCLEAR = "equal", "unclear"
# What may lead from a schema document into others: a reference that does not begin with "#", an import, and what can
# hide these, which is an escape in JSON, and UTF-16 in XML.
_ELSEWHERE = re.compile(
    rb'"\$(?:\w*[rR]ef|extends|import|importdefs)"\s*:\s*(?!"#)'
    rb"|\b(?:import|include|redefine|override|schemaLocation)\b|\\u|\x00"
)
REFERENCES = ("dataschemauri", "dataschemaxid")
_LFS_START, _LFS_HASH = b"version https://git-lfs.github.com/spec/", b"oid sha256:"
_MAX_LFS_BYTES = 1024
# How two schemas relate, by whether the new one reads old payloads, and the old one new payloads.
_RELATIONS: Mapping[tuple[Answer, Answer], str] = {
    (Answer.YES, Answer.YES): EQUAL,
    (Answer.YES, Answer.NO): WIDER,
    (Answer.NO, Answer.YES): NARROWER,
    (Answer.NO, Answer.NO): OTHER,
    (Answer.UNCLEAR, Answer.YES): "perhaps narrower",
    (Answer.YES, Answer.UNCLEAR): "perhaps wider",
    (Answer.UNCLEAR, Answer.NO): "wider, perhaps narrower",
    (Answer.NO, Answer.UNCLEAR): "narrower, perhaps wider",
    (Answer.UNCLEAR, Answer.UNCLEAR): UNCLEAR,
}


class Registries(NamedTuple):
    """The registries before and after, and whether schema documents differ, to which others may refer."""

    before: Registry
    after: Registry
    schemas_changed: bool = False


@dataclass(frozen=True, slots=True)
class Payload:
    """What describes a payload: a schema's language and document, and the name of the type inside it.

    ``document`` is the bytes of a file, a value in the message itself, or None for a document that is elsewhere. Its
    references are relative to ``uri``, its xid, and lead to ``documents``. ``contenttype`` is the media type in which
    messages carry it, of which Protobuf has two.
    """

    format: str
    document: Any
    selector: str = ""
    reference: str = ""
    uri: str = ""
    documents: SchemaDocuments | None = None
    contenttype: str = ""

    @property
    def schema_document(self) -> Document:
        """The document for the languages, with those to which it may refer."""
        fetch = self.documents.get if self.documents else fetch_nothing
        return Document(self.format, self.document, self.selector, self.uri, fetch)


@dataclass(frozen=True, slots=True)
class Relation:
    """How two payload schemas relate, as a key of the table of verdicts, why, and what to do about it.

    The relation is ``same`` if they mean the same, else ``equal`` if they read each other's payloads, ``wider`` where
    only the new one does, ``narrower`` where only the old one does, ``other`` where neither does, or one of
    ``_RELATIONS`` where that is unclear. ``detail`` says why where no ``verdicts`` do.
    """

    relation: str
    detail: str = ""
    verdicts: tuple[Verdict, ...] = ()

    def difference(self, xid: str, about: str, path: NamePath, before: Any, after: Any) -> Difference:
        """Return the difference in an entity that the relation is."""
        verdicts = worst_first(self.verdicts)
        words = {"detail": self.detail, "advice": f"{verdicts[0].help} " if verdicts else ""}
        difference = Difference(xid, about, "payload", self.relation, path, before, after, words)
        where = dict.fromkeys(item.where for item in verdicts)
        return replace(difference, details=tuple(messages(verdicts)), where=tuple(where))


def compare_payloads(old: Payload, new: Payload, *, follow: bool = False) -> Relation:
    """Return how what two schemas allow relates; with ``follow``, documents that they refer to may differ."""
    is_same = old.format == new.format and old.selector == new.selector and same_document(old.document, new.document)
    if is_same and not follow:
        return Relation(SAME)
    languages = {language(item.format) or item.format for item in (old, new) if item.format}
    if len(languages) > 1:
        return Relation(OTHER, f": {old.format} becomes {new.format}")
    if is_lfs_pointer(old.document) or is_lfs_pointer(new.document):
        return Relation(UNCLEAR, ": Git LFS keeps a document of it that is not in the history")
    if old.document is None or new.document is None or not all(language(item.format) for item in (old, new)):
        return Relation(UNCLEAR)
    try:
        comparison = compare_documents(old.schema_document, new.schema_document, contenttype=new.contenttype)
    except SchemaError as error:
        return Relation(UNCLEAR, f": {error}")
    stays = is_same and not comparison.verdicts
    return Relation(SAME if stays else relation_of(comparison), verdicts=comparison.verdicts)


def relation_of(comparison: Compatibility) -> str:
    """Return how two schemas relate by the verdicts on them.

    Nobody can rely on what nobody described: such a difference is reported, and breaks nothing.
    """
    answers = comparison.described
    return _RELATIONS[answers.backward, answers.forward]


def same_document(one: Any, other: Any) -> bool:
    """Return whether two documents mean the same whatever their language: the same text, or the same JSON."""
    if one is None or other is None:
        return False
    return alike(one, other) or alike(_parsed(one), _parsed(other))


def _parsed(document: Any) -> Any:
    """Return the value of a JSON document, else the lines of a document."""
    if not isinstance(document, bytes):
        return document
    result = json_loader.parse(document)
    return document.splitlines() if result.problems else result.value


def is_lfs_pointer(document: Any) -> bool:
    """Return whether a document is the pointer by which Git LFS replaces another one."""
    return isinstance(document, bytes) and len(document) < _MAX_LFS_BYTES and document.startswith(_LFS_START)


def points_to(pointer: Any, document: Any) -> bool:
    """Return whether a document is the one that a pointer leads to."""
    if not is_lfs_pointer(pointer) or not isinstance(document, bytes):
        return False
    return _LFS_HASH + sha256(document).hexdigest().encode() in pointer.splitlines()


def refers_elsewhere(document: Any) -> bool:
    """Return whether a document, or a schema in a message, may refer to other documents."""
    if isinstance(document, str):
        document = document.encode(errors="backslashreplace")
    data = document if isinstance(document, bytes) else dumps(document, default=str).encode()
    return _ELSEWHERE.search(data) is not None


def diff_message_schema(
    xid: str, before: MessageState, after: MessageState, *, others_changed: bool = False, leads_elsewhere: bool = False
) -> Iterator[Difference]:
    """Yield what differs in a message's own schema, or in its reference to one.

    ``others_changed`` says that some schema document differs, so that a schema which refers to others may too, and
    ``leads_elsewhere`` that the reference means another schema than before, as that to an alias may.
    """
    old, new = schema_attributes(before), schema_attributes(after)
    leads_elsewhere = leads_elsewhere and alike(old, new)
    refers = others_changed and old["dataschema"] is not None and refers_elsewhere(old["dataschema"])
    follow = leads_elsewhere or refers
    if alike(old, new) and not follow:
        return
    name = next((name for name in ("dataschema", *REFERENCES) if (old | new).get(name) is not None), "dataschemaformat")
    one, other = message_payload(before, old), message_payload(after, new)
    if one is None or other is None:
        was, now = (payload.reference or payload.format if payload else None for payload in (one, other))
        yield Difference(xid, "message", "payload", "added" if one is None else "removed", (name,), was, now)
        return
    # Documents state a schema's xid beside its URI, which files leave out.
    has_xids = old["dataschemaxid"] is not None and new["dataschemaxid"] is not None
    names = ("dataschema", *REFERENCES) if has_xids else ("dataschema", "dataschemauri")
    if follow or one.format != other.format or not all(alike(old[name], new[name]) for name in names):
        comparison = compare_payloads(one, other, follow=follow)
        if alike(old, new) and comparison.relation == SAME:
            return
        texts = (one.reference, other.reference)
        if leads_elsewhere:
            texts = (one.uri, other.uri)
            detail = f', as its reference leads to "{other.uri}" instead of "{one.uri}"{comparison.detail}'
            comparison = replace(comparison, detail=detail)
        yield comparison.difference(xid, "message", (name,), *texts)


def schema_attributes(state: MessageState) -> dict[str, Any]:
    """Return a message's attributes about its schema; references to the same entity are the same."""
    result: dict[str, Any] = {name: state.attributes.get(name) for name in ("dataschema", *REFERENCES)}
    for name in REFERENCES:
        if isinstance(text := result[name], str):
            result[name] = local_xid(text, state.registry.settings.baseurl) or text
    return {**result, "dataschemaformat": _canonical_format(state.attributes.get("dataschemaformat")) or None}


def _canonical_format(value: object) -> str:
    return canonical("format", value) if isinstance(value, str) else ""


def message_payload(state: MessageState, attributes: Mapping[str, Any]) -> Payload | None:
    """Return the payload that a message describes by its attributes about its schema, None where it describes none."""
    format_, inline = attributes["dataschemaformat"] or "", attributes["dataschema"]
    if inline is not None:
        documents = state.registry.schema_documents
        media_type = payload_media_type(Message(state.registry, state.resource))
        return Payload(format_, inline, reference="a schema of its own", documents=documents, contenttype=media_type)
    reference = state.schema
    if reference is None:
        return Payload(format_, None) if format_ else None
    if reference.version is None:
        return Payload(format_, None, reference.selector, reference.text)
    payload = version_payload(reference.version, reference.selector, state.registry)
    media_type = payload_media_type(Message(state.registry, state.resource))
    return replace(payload, format=format_ or payload.format, reference=reference.text, contenttype=media_type)


def version_payload(version: Version, selector: str, registry: Registry) -> Payload:
    """Return the payload that a version of a schema describes."""
    attributes = version.attributes
    document = version.data
    if document is None:
        document = next((attributes[name] for name in ("schema", "schemabase64") if name in attributes), None)
    url = attributes.get("schemaurl") if document is None else None
    format_ = _canonical_format(attributes.get("format"))
    return Payload(format_, document, selector, str(url or ""), version.xid, registry.schema_documents)


def diff_schema(xid: str, before: Resource, after: Resource, registries: Registries) -> Iterator[Difference]:
    """Yield what differs in a schema: versions that come and go, documents that change, the default that moves.

    The messages of the registry before refer to the schema.
    """
    users = schema_users(registries.before, before)
    default_ids = before.defaultversionid, after.defaultversionid
    for vid in dict.fromkeys((*before.versions, *after.versions)):
        old, new = before.versions.get(vid), after.versions.get(vid)
        if old is None or new is None:
            relation = "added" if old is None else "removed"
            reaches = tuple(user for xids in users.get(vid, {}).values() for user in xids)
            yield Difference(f"{xid}/versions/{vid}", "version", "entity", relation, reaches=reaches)
        else:
            version_users: dict[Usage, list[str]] = defaultdict(list)
            for name in (vid, "") if default_ids == (vid, vid) else (vid,):
                for usage, xids in users.get(name, {}).items():
                    version_users[usage] += xids
            pair = (old, new)
            yield from _diff_document(old.xid, ("document",), pair, registries, version_users)
    old, new = before.versions.get(default_ids[0]), after.versions.get(default_ids[1])
    if default_ids[0] != default_ids[1] and old and new:
        yield from _diff_document(xid, ("defaultversionid",), (old, new), registries, users.get("", {}))


@dataclass(frozen=True, slots=True)
class Usage:
    """What messages take of a schema document: the type inside it, and Protobuf's JSON form or not."""

    selector: str = ""
    contenttype: str = ""

    @property
    def label(self) -> str:
        """How a sentence names it."""
        return " ".join(filter(None, (self.selector, "in JSON" if self.contenttype else "")))


def schema_users(registry: Registry, schema: Resource) -> Mapping[str, Mapping[Usage, list[str]]]:
    """Return the messages that refer to a schema, by the id of its version, empty for the default, and by usage."""
    users: dict[str, dict[Usage, list[str]]] = defaultdict(lambda: defaultdict(list))
    for message in messages_of(registry, registry.indexes.schema_users.get(schema.xid, ())):
        attributes = message.resolved.attributes
        text = next(str(attributes[name]) for name in REFERENCES if attributes.get(name))
        reference = schema_reference(registry, text)
        users[reference.pinned][Usage(reference.selector, json_form(message))].append(message.xid)
    return users


def _diff_document(
    xid: str,
    path: tuple[str],
    versions: tuple[Version, Version],
    registries: Registries,
    users: Mapping[Usage, list[str]],
) -> Iterator[Difference]:
    """Yield how two documents relate for each type inside them that messages refer to, those that agree together."""
    relations: dict[tuple[object, ...], dict[Usage, Relation]] = defaultdict(dict)
    about = "version" if path == ("document",) else "schema"
    ids: tuple[Any, Any] = (versions[0].id, versions[1].id) if about == "schema" else (None, None)
    for usage in users or (Usage(),):
        old, new = (
            replace(version_payload(version, usage.selector, side), contenttype=usage.contenttype)
            for version, side in zip(versions, registries[:2], strict=True)
        )
        stays = _is_same_content(old.document, new.document, versions)
        follow = registries.schemas_changed and stays and old.document is not None and refers_elsewhere(old.document)
        if about == "schema" or not stays or follow or (old.format, old.reference) != (new.format, new.reference):
            relation = compare_payloads(old, new, follow=follow)
            if about == "version" and follow and relation.relation == SAME:
                continue
            sentences = frozenset(item.message for item in relation.verdicts)
            relations[relation.relation, relation.detail, sentences][usage] = relation
    for by_usage in relations.values():
        relation = _join_relations(by_usage)
        reaches = tuple(user for usage in by_usage for user in users.get(usage, ()))
        yield replace(relation.difference(xid, about, path, *ids), reaches=reaches)


def _join_relations(relations: Mapping[Usage, Relation]) -> Relation:
    """Return one relation for several types inside a document; each place has the name of its type before it."""
    first, *others = relations.values()
    if not others and not any(usage.contenttype for usage in relations):
        return first
    verdicts = (
        replace(verdict, where=usage.label if verdict.where == ROOT else f"{usage.label}: {verdict.where}")
        for usage, relation in relations.items()
        for verdict in relation.verdicts
    )
    return replace(first, verdicts=tuple(verdicts))


def _is_same_content(one: Any, other: Any, versions: tuple[Version, Version]) -> bool:
    """Return whether two documents are the same, or one is a file and the other its copy in a registry's document.

    A pointer of Git LFS is the same as the document that it leads to.
    """
    if alike(one, other) or points_to(one, other) or points_to(other, one):
        return True
    is_inline = {bool(version.document and version.document.place.pointer) for version in versions}
    return len(is_inline) > 1 and same_document(one, other)
