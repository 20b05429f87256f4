"""How the payloads that two states of a schema or message allow relate to each other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xregit.catalog.references import local_xid, schema_reference
from xregit.changes.attribute_diff import NARROWER, OTHER, SAME, WIDER
from xregit.changes.change import Difference
from xregit.changes.equality import alike, is_lfs_pointer, points_to, same_document
from xregit.model import canonical
from xregit.payloads import SchemaError, language
from xregit.payloads.base import Document, fetch_nothing
from xregit.payloads.compatibility import Answer, Verdict, compare_documents
from xregit.payloads.compatibility.base import ROOT, summarise, worst_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.entities import Resource, Version
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import SchemaDocuments
    from xregit.changes.message_diff import MessageState


UNCLEAR = "unclear"
REFERENCES = ("dataschemauri", "dataschemaxid")


@dataclass(frozen=True, slots=True)
class Payload:
    """What describes a payload: a schema's language and document, and the type inside it that is meant.

    ``document`` is the bytes of a file, a value that stands in the message itself, or None for what is kept elsewhere.
    What it refers to is relative to ``uri``, its xid, and found in ``documents``.
    """

    format: str
    document: Any
    selector: str = ""
    reference: str = ""
    uri: str = ""
    documents: SchemaDocuments | None = None


@dataclass(frozen=True, slots=True)
class _SchemaVersion:
    """A version of a schema in one of the two registries."""

    version: Version
    registry: Registry


@dataclass(frozen=True, slots=True)
class Relation:
    """How two payload schemas relate, as a key of the table of verdicts, why, and what to do about it.

    ``same`` is said of two that mean the same, ``equal`` of two that read each other's payloads, ``wider`` where only
    the new one does, ``narrower`` where only the old one does, ``other`` where neither does. What can't be told of one
    direction or both stands in ``_RELATIONS``. ``detail`` says why where no ``verdicts`` do.
    """

    relation: str
    detail: str = ""
    verdicts: tuple[Verdict, ...] = ()

    @property
    def kinds(self) -> tuple[object, ...]:
        """What is the same of two types in a document of which the same is said, if not of the same places in them."""
        return self.relation, self.detail, frozenset(item.message for item in self.verdicts)

    @property
    def words(self) -> Mapping[str, str]:
        """The end of a sentence that says why, and what to do about the worst of it."""
        verdicts = worst_first(self.verdicts)
        said = f". {summarise(verdicts)}" if verdicts else self.detail
        return {"detail": said, "advice": f"{verdicts[0].help} " if verdicts else ""}


# Whether the new schema reads old payloads, and the old one new payloads, to how they relate.
_RELATIONS: Mapping[tuple[Answer, Answer], str] = {
    (Answer.YES, Answer.YES): "equal",
    (Answer.YES, Answer.NO): WIDER,
    (Answer.NO, Answer.YES): NARROWER,
    (Answer.NO, Answer.NO): OTHER,
    (Answer.UNCLEAR, Answer.YES): "perhaps narrower",
    (Answer.YES, Answer.UNCLEAR): "perhaps wider",
    (Answer.UNCLEAR, Answer.NO): "wider, perhaps narrower",
    (Answer.NO, Answer.UNCLEAR): "narrower, perhaps wider",
    (Answer.UNCLEAR, Answer.UNCLEAR): UNCLEAR,
}


def compare_payloads(old: Payload, new: Payload) -> Relation:
    """Return how what two schemas allow relates."""
    if old.format == new.format and old.selector == new.selector and same_document(old.document, new.document):
        return Relation(SAME)
    languages = {language(item.format) or item.format for item in (old, new) if item.format}
    if len(languages) > 1:
        return Relation(OTHER, f": {old.format} becomes {new.format}")
    if is_lfs_pointer(old.document) or is_lfs_pointer(new.document):
        return Relation(UNCLEAR, ": Git LFS keeps a document of it that is not in the history")
    if old.document is None or new.document is None or not all(language(item.format) for item in (old, new)):
        return Relation(UNCLEAR)
    try:
        found = compare_documents(_document_of(old), _document_of(new))
    except SchemaError as error:
        return Relation(UNCLEAR, f": {error}")
    # What nobody described, nobody can rely on; it is told, and breaks nothing.
    judged = found.described
    return Relation(_RELATIONS[judged.backward, judged.forward], verdicts=found.verdicts)


def _document_of(payload: Payload) -> Document:
    fetch = payload.documents.get if payload.documents else fetch_nothing
    return Document(payload.format, payload.document, payload.selector, payload.uri, fetch)


def diff_message_schema(xid: str, before: MessageState, after: MessageState) -> Iterator[Difference]:
    """Give what differs in what a message itself says of its payload's schema."""
    old, new = _schema_reference(before), _schema_reference(after)
    if alike(old, new):
        return
    name = next((name for name in ("dataschema", *REFERENCES) if (old | new).get(name) is not None), "dataschemaformat")
    one, other = (_payload_of(side, stated) for side, stated in ((before, old), (after, new)))
    if one is None or other is None:
        was, now = (payload.reference or payload.format if payload else None for payload in (one, other))
        yield Difference(xid, "message", "payload", "added" if one is None else "removed", (name,), was, now)
        return
    if _is_same_reference(old, new) and one.format == other.format:
        return
    found = compare_payloads(one, other)
    yield Difference(xid, "message", "payload", found.relation, (name,), one.reference, other.reference, found.words)


def diff_schema(
    xid: str, before: Resource, after: Resource, registries: tuple[Registry, Registry]
) -> Iterator[Difference]:
    """Give what differs in a schema: versions that come and go, documents that change, the default that moves.

    ``registries`` are the ones before and after; the messages of the first refer to the schema.
    """
    users = _schema_users(registries[0], before)
    for vid in dict.fromkeys((*before.versions, *after.versions)):
        old, new = before.versions.get(vid), after.versions.get(vid)
        if old is None or new is None:
            relation = "added" if old is None else "removed"
            reaches = tuple(user for users_of in users.get(vid, {}).values() for user in users_of)
            yield Difference(f"{xid}/versions/{vid}", "version", "entity", relation, reaches=reaches)
        else:
            stays = vid == before.defaultversionid == after.defaultversionid
            held = _SchemaVersion(old, registries[0]), _SchemaVersion(new, registries[1])
            yield from _diff_document(old.xid, ("document",), held, _merge_users(users, vid, "" if stays else vid))
    if before.defaultversionid != after.defaultversionid:
        default = tuple(item.versions.get(item.defaultversionid) for item in (before, after))
        if default[0] and default[1]:
            held = _SchemaVersion(default[0], registries[0]), _SchemaVersion(default[1], registries[1])
            yield from _diff_document(xid, ("defaultversionid",), held, users.get("", {}))


def _diff_document(
    xid: str, path: tuple[str], versions: tuple[_SchemaVersion, _SchemaVersion], users: Mapping[str, list[str]]
) -> Iterator[Difference]:
    """Give how two documents relate for each type inside them that messages refer to, those that agree together."""
    found: dict[tuple[object, ...], dict[str, Relation]] = defaultdict(dict)
    about = "version" if path == ("document",) else "schema"
    shown: tuple[Any, Any] = (versions[0].version.id, versions[1].version.id) if about == "schema" else (None, None)
    for selector in users or ("",):
        old, new = (_version_payload(held.version, selector, held.registry) for held in versions)
        kept = _is_same_document(old.document, new.document, versions)
        stays = kept and (old.format, old.reference) == (new.format, new.reference)
        if about == "schema" or not stays:
            relation = compare_payloads(old, new)
            found[relation.kinds][selector] = relation
    for relations in found.values():
        together = _join_relations(relations)
        reaches = tuple(xid for selector in relations for xid in users.get(selector, ()))
        yield Difference(xid, about, "payload", together.relation, path, *shown, together.words, reaches)


def _join_relations(relations: Mapping[str, Relation]) -> Relation:
    """Return what is said of several types inside a document, each place with the name of its type."""
    first, *others = relations.values()
    if not others:
        return first
    verdicts = (
        replace(verdict, where=selector if verdict.where == ROOT else f"{selector}: {verdict.where}")
        for selector, relation in relations.items()
        for verdict in relation.verdicts
    )
    return replace(first, verdicts=tuple(verdicts))


def _merge_users(users: Mapping[str, Mapping[str, list[str]]], one: str, other: str) -> Mapping[str, list[str]]:
    """Return the users of two names of one version."""
    found = {selector: list(xids) for selector, xids in users.get(one, {}).items()}
    for selector, xids in users.get(other, {}).items() if other != one else ():
        found.setdefault(selector, []).extend(xids)
    return found


def _schema_users(registry: Registry, schema: Resource) -> Mapping[str, Mapping[str, list[str]]]:
    """Return the messages that refer to a schema, by the version that they name, none if the default, and by type."""
    users: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for xid in registry.indexes.schema_users.get(schema.xid, ()):
        attributes = registry.resolved(xid).attributes
        text = next(str(attributes[name]) for name in REFERENCES if attributes.get(name))
        reference = schema_reference(registry, text)
        named = reference.version.id if reference.version and "/versions/" in text else ""
        users[named][reference.selector].append(xid)
    return users


def _schema_reference(side: MessageState) -> dict[str, Any]:
    """Return what a message says of its schema; references to the same entity are the same."""
    attributes = side.attributes
    stated: dict[str, Any] = {name: attributes.get(name) for name in ("dataschema", *REFERENCES)}
    for name in REFERENCES:
        text = stated[name]
        if isinstance(text, str):
            stated[name] = local_xid(text, side.registry.settings.baseurl) or text
    written = attributes.get("dataschemaformat")
    return {**stated, "dataschemaformat": canonical("format", written) if isinstance(written, str) else None}


def _is_same_reference(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Tell whether two messages name one schema; documents state its xid beside its URI, which files leave out."""
    unsaid = old["dataschemaxid"] is None or new["dataschemaxid"] is None
    names = ("dataschema", "dataschemauri") if unsaid else ("dataschema", *REFERENCES)
    return all(alike(old[name], new[name]) for name in names)


def _payload_of(side: MessageState, stated: Mapping[str, Any]) -> Payload | None:
    written = stated["dataschemaformat"] or ""
    if stated["dataschema"] is not None:
        return Payload(
            written, stated["dataschema"], reference="a schema of its own", documents=side.registry.schema_documents
        )
    reference = side.schema
    if reference is None:
        return Payload(written, None) if written else None
    if reference.version is None:
        return Payload(written, None, reference.selector, reference.text)
    found = _version_payload(reference.version, reference.selector, side.registry)
    return replace(found, format=written or found.format, reference=reference.text)


def _version_payload(version: Version, selector: str, registry: Registry) -> Payload:
    written = version.attributes.get("format")
    inline = next((version.attributes[name] for name in ("schema", "schemabase64") if name in version.attributes), None)
    document = version.document.data if version.document and version.document.data is not None else inline
    stated = canonical("format", written) if isinstance(written, str) else ""
    elsewhere = version.attributes.get("schemaurl") if document is None else None
    return Payload(stated, document, selector, str(elsewhere or ""), version.xid, registry.schema_documents)


def _is_same_document(one: Any, other: Any, versions: tuple[_SchemaVersion, _SchemaVersion]) -> bool:
    """Tell whether two documents are the same, or one a file and the other what is kept of it elsewhere.

    That is what a registry's document has of it, or a pointer to it.
    """
    inside = {bool(held.version.document and held.version.document.place.pointer) for held in versions}
    kept = alike(one, other) or points_to(one, other) or points_to(other, one)
    return kept or (len(inside) > 1 and same_document(one, other))
