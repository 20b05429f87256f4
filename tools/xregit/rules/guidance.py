"""What the specification recommends for messages, and what nothing in a catalog uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xregit.catalog.entities import Group, Resource
from xregit.catalog.registry import Registry
from xregit.catalog.views import Message, Schema
from xregit.diagnostics import Finding, Severity
from xregit.model.aliases import CLOUDEVENTS
from xregit.model.language import type_label
from xregit.rules.attributes import inside, selector_name, text
from xregit.rules.rule import finding, rule
from xregit.source import json_loader
from xregit.xid import is_id

TYPE = ("envelopemetadata", "type", "value")
REFERENCES = frozenset({"dataschemauri", "dataschemaxid"})
DESCRIBED = frozenset({"messagegroup", "message", "endpoint", "schemagroup", "schema"})


@rule("message", Severity.WARNING, "MSG-5", attributes=TYPE[:1], selector=("envelope", CLOUDEVENTS))
def messageid_differs_from_type(registry: Registry, message: Message) -> Iterator[Finding]:
    """The id of a message is not the type of its events."""
    # A type that is the id of no message; once, where several messages bind it to several protocols.
    kind = inside(message.entity.attributes, *TYPE)
    if not isinstance(kind, str) or kind == message.id or "{" in kind or not is_id(kind):
        return
    xids = registry.indexes.by_type.get(kind, ())
    declaring = [xid for xid in xids if inside(_attributes(registry, xid), *TYPE) == kind]
    if any(xid.endswith(f"/messages/{kind}") for xid in xids) or declaring[:1] != [message.xid]:
        return
    others = len(xids) - 1
    more = f" (as for {others} more {'message' if others == 1 else 'messages'} of this type)" if others > 0 else ""
    text_ = f'The type of the events is "{kind}", but the id of the message is "{message.id}"{more}.'
    help_ = "Rename one to match the other, so that receivers find the message by the type."
    yield finding(*TYPE, message=text_, help=help_)


@rule("group", Severity.INFO, "MSG-4", "MSG-9")
def messages_without_cloudevents(registry: Registry, group: Group) -> Iterator[Finding]:
    """Messages of a group are not CloudEvents."""
    # Each group once, however many of its messages have no envelope or another one.
    messages = list(group.collections.get("messages", {}))
    others = [mid for mid in messages if not _is_cloudevent(registry, f"{group.xid}/messages/{mid}")]
    if others:
        whose = "None of the messages is a CloudEvent" if len(others) == len(messages) else ""
        message = whose or f'"{others[0]}" is not a CloudEvent ({len(others)} of {len(messages)} messages)'
        help_ = (
            'Add "envelope: CloudEvents/1.0" if they are; otherwise describe how receivers tell the messages apart, '
            "and accept the finding."
        )
        yield finding(message=f"{message}.", help=help_, on_key=True)


@rule("entity", Severity.INFO)
def description_missing(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """An entity has no description."""
    # What nobody described, unless a base message is described in its place.
    singular = entity.type.singular
    if singular not in DESCRIBED or (isinstance(entity, Resource) and entity.xref):
        return
    message = singular == "message" and isinstance(entity, Resource)
    attributes = registry.resolved(entity.xid).attributes if message else entity.attributes
    description = attributes.get("description")
    is_missing = description is None or (isinstance(description, str) and not description.strip())
    if is_missing and "description" not in registry.doubtful(entity.xid):
        text_ = f"The {type_label(singular)} has no description."
        what = "what it reports, and when it is sent" if message else "what it is for"
        yield finding(message=text_, help=f'Say in "description" {what}.', on_key=True)


@rule("message", Severity.INFO)
def uncarried_message(registry: Registry, message: Message) -> Iterator[Finding]:
    """No endpoint carries a message."""
    # A message from which none derives and to which nothing refers, in a registry with endpoints. What can't be read
    # may refer to it.
    if message.derived or not registry.endpoints or message.carriers or message.deprecated is not None:
        return
    if registry.broken or message.xid in registry.mentions or registry.doubts:
        return
    help_ = "Add it or its group to an endpoint, derive a message from it, or remove it."
    yield finding(message="No endpoint carries this message, and no message derives from it.", help=help_, on_key=True)


@rule("schema", Severity.WARNING)
def unused_schema(registry: Registry, schema: Schema) -> Iterator[Finding]:
    """No message has a payload of this schema."""
    # A schema that nothing refers to, in a registry that has messages; one that is deprecated may stay.
    # What can't be read may refer to it.
    if schema.users or registry.broken or not registry.messages or "deprecated" in schema.entity.meta:
        return
    if registry.indexes.aliases.get(schema.xid) or _is_mentioned(registry, schema) or _is_intended(registry, schema):
        return
    help_ = 'Refer to it in a message by "dataschemauri", mark it as "deprecated", or remove it.'
    yield finding(message="Nothing in the registry refers to the schema.", help=help_, on_key=True)


def _attributes(registry: Registry, xid: str) -> object:
    resource = registry.resource(xid)
    return resource.attributes if resource else None


def _is_cloudevent(registry: Registry, xid: str) -> bool:
    """Return whether a message is a CloudEvent, or one from which others derive that may be."""
    if selector_name("envelope", registry.resolved(xid).attributes) == CLOUDEVENTS:
        return True
    if "envelope" in registry.doubtful(xid):
        return True
    return xid in registry.indexes.derived and not text(registry.resolved(xid).attributes, "envelope")


def _is_mentioned(registry: Registry, schema: Schema) -> bool:
    others = registry.document_references.get(schema.id, frozenset()) - {schema.xid}
    types = (_avro_type(version.document.data) for version in schema.versions if version.document)
    parts = (registry.document_references.get(name, frozenset()) - {schema.xid} for name in types if name)
    return schema.xid in registry.mentions or bool(others) or any(parts)


def _avro_type(data: bytes | None) -> str:
    """Return the name of the type that a document of Avro defines, which other documents may hold."""
    value = json_loader.parse(data or b"").value
    return text(value, "name") if isinstance(value, Mapping) and "fields" in value else ""


def _is_intended(registry: Registry, schema: Schema) -> bool:
    """Return whether a reference that leads nowhere, or that can't be read, may mean the schema."""
    if any(names & REFERENCES for names in registry.doubts.values()):
        return True
    _, groups, gid, *_ = schema.xid.split("/")
    inside = f"/{groups}/{gid}/"
    return any(xid.startswith(inside) and registry.entity(xid) is None for xid in registry.mentions)
