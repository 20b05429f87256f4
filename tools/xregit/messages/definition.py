"""A message definition as plain data: what it demands of a CloudEvent's attributes and of protocol options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from xregit.catalog import Message
from xregit.catalog.properties import Property
from xregit.catalog.views import text_of
from xregit.messages.constraints import PLAIN_TYPES, Constraint, plain_text, text_or_none
from xregit.messages.template import Template
from xregit.model import times
from xregit.model.aliases import CLOUDEVENTS
from xregit.model.datatypes import PROPERTY_TYPES, has_placeholders
from xregit.model.language import AttributeModel
from xregit.model.protocols import matching_fact
from xregit.protocols import key_of
from xregit.protocols.binding import event_binding
from xregit.protocols.message_layout import message_layout

ENVELOPE, OPTIONS = "envelopemetadata", "protocoloptions"
_MEDIA_KEYS = frozenset({"datacontenttype"})
_URITEMPLATE = "uritemplate"


@dataclass(frozen=True)
class Definition:
    """One message definition as data that can be sent anywhere.

    ``envelope`` is what it asks of the attributes of a CloudEvent, ``options`` of the protocol's own properties, by
    the keys of `protocols.flatten`. ``mode`` and ``format`` say how its event travels, empty where that is open.
    ``contenttype`` is the payload's media type.
    """

    xid: str
    protocol: str = ""
    enveloped: bool = False
    envelope: tuple[Constraint, ...] = ()
    options: tuple[Constraint, ...] = ()
    mode: str = ""
    format: str = ""
    contenttype: str = ""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """All that it asks, of the envelope first."""
        return self.envelope + self.options

    @cached_property
    def placeholders(self) -> Mapping[str, tuple[str, ...]]:
        """The names of its placeholders, each with the attributes that hold it."""
        places: dict[str, tuple[str, ...]] = {}
        for item in self.constraints:
            for name in item.template.placeholders if item.template else ():
                places[name] = (*places.get(name, ()), item.attribute)
        return places


def to_definition(message: Message) -> Definition:
    """Return a message with its base messages as plain data; that of an alias is its target's."""
    attributes = message.resolved.attributes
    properties = message.properties
    protocol = message.protocol
    options = attributes.get("envelopeoptions")
    envelopeoptions = options if isinstance(options, Mapping) else {}
    return Definition(
        xid=target(message).xid,
        protocol=protocol,
        enveloped=message.envelope == CLOUDEVENTS,
        envelope=_sort(attribute_constraint(item) for item in properties if item.path[0] == ENVELOPE),
        options=_sort(_relaxed([option_constraint(item, protocol) for item in properties if item.path[0] == OPTIONS])),
        mode=text_of(envelopeoptions, "mode"),
        format=text_of(envelopeoptions, "format"),
        contenttype=text_of(attributes, "datacontenttype"),
    )


def is_now(kind: str, value: Any) -> bool:
    """Return whether the value of a property of a type stands for the time at which a message is made."""
    return kind == "timestamp" and times.is_now(value)


def target(message: Message) -> Message:
    """Return the message that an alias stands for, or the message itself."""
    resource = message.registry.resource(message.alias_of) if message.alias_of else None
    return type(message)(message.registry, resource) if resource is not None else message


def property_type(item: Property, protocol: str) -> str:
    """Return the type by which the values of a property are made and recognised, whatever its declaration says."""
    if item.path[0] == ENVELOPE:
        listed = item.type in matching_fact("templatetypes")[""]
    else:
        listed = "/".join(item.path[1:]) in matching_fact("templates").get(protocol, ())
    if listed and _may_be_template(item):
        return _URITEMPLATE
    # A symbol by default is really a media type or token, which no symbol can be (site/manual/contradictions.md, K10).
    part = _part(_model(item, protocol), item) if item.type == "symbol" else None
    return "string" if part is not None and part.property == "symbol" else item.type


def attribute_constraint(item: Property) -> Constraint:
    """Return what a declaration asks of an attribute of the event."""
    key = item.path[-1]
    return _constraint(item, property_type(item, ""), key, media=key in _MEDIA_KEYS)


def option_constraint(item: Property, protocol: str) -> Constraint:
    """Return what a declaration asks of one of the protocol's own properties."""
    section = item.path[1:-1]
    # The sections of a protocol that nobody knows may nest.
    key = key_of(protocol, section[0], item.name) if len(section) == 1 else "/".join((*section, item.name))
    binding = event_binding(protocol)
    part = _part(_model(item, protocol), item)
    media = binding is not None and key == binding.contenttype
    return _constraint(item, property_type(item, protocol), key, part, media=media)


def _model(item: Property, protocol: str) -> AttributeModel | None:
    layout = message_layout(protocol) if item.path[0] == OPTIONS else None
    return layout.fields[item.path[1]].model if layout and item.path[1] in layout.fields else None


def _may_be_template(item: Property) -> bool:
    """Return whether a declaration that states no type has a text that its document states to be a URI template."""
    return "type" not in item.members and has_placeholders(item.value) and PROPERTY_TYPES[_URITEMPLATE].test(item.value)


def _part(model: AttributeModel | None, item: Property) -> AttributeModel | None:
    """Return what the model says of the property itself, with what it says of the section that holds it."""
    if model is None or model.delivery:
        return model
    return model.attributes.get(item.path[-1], model) if item.path[2:] else model


def _constraint(item: Property, kind: str, key: str, model: AttributeModel | None = None, *, media: bool) -> Constraint:
    now = is_now(kind, item.value)
    value = None if now else item.value
    template = None
    if isinstance(value, str) and has_placeholders(value):
        bounds = {"separators": model.separators, "refused": model.refused, "allowed": model.allowed} if model else {}
        template = Template.parse(value, kind, **bounds)
    constant = _text(kind, value) if value is not None and template is None else None
    default = model.default if model is not None else None
    return Constraint(
        attribute="/".join((*item.path[:-1], item.name)),
        key=key,
        type=kind,
        required=item.required,
        constant=constant,
        template=template,
        media=media,
        delivery=model is not None and model.delivery,
        in_bytes=model is not None and model.property == "binary",
        now=now,
        implied=default is not None and template is None and constant in {None, _text(kind, default)},
        # The time of an event that is valid is one.
        any_text=kind in PLAIN_TYPES or (kind == "timestamp" and item.path == (ENVELOPE, "time")),
    )


def _text(kind: str, value: Any) -> str:
    """Return the text that a declared value compares by; one that is wrong for its type stands for itself."""
    text = text_or_none(kind, value)
    return plain_text(value) if text is None else text


def _relaxed(constraints: Sequence[Constraint]) -> Iterator[Constraint]:
    """Yield constraints where an optional one takes any text beside one that must be there under the same key.

    Which of several values is meant by which can't be told, and a single one is that of the other.
    """
    needed = {item.key for item in constraints if item.mandatory}
    for item in constraints:
        yield replace(item, any_text=True) if item.key in needed and not item.mandatory else item


def _sort(constraints: Iterator[Constraint]) -> tuple[Constraint, ...]:
    """Put what can be read in one way only first: what it says of placeholders helps to read the rest."""
    return tuple(sorted(constraints, key=lambda item: item.template.doubt if item.template is not None else 0))
