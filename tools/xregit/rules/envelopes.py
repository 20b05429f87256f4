"""What messages and endpoints say of the CloudEvents envelope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.references import local_xid
from xregit.catalog.registry import Registry
from xregit.catalog.views import Message
from xregit.diagnostics import Finding, Severity
from xregit.messages.constraints import Constraint
from xregit.messages.overlap import contradictions
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON
from xregit.model.aliases import EVENTS as MEDIA_TYPE_OF_EVENTS
from xregit.model.datatypes import DATATYPES, has_placeholders
from xregit.model.excerpts import cut, quote
from xregit.model.language import MAPPINGS, NOTHING
from xregit.model.media_types import without_parameters
from xregit.model.protocols import facts
from xregit.model.similarity import is_near
from xregit.model.times import NOW, is_now
from xregit.rules.attributes import inside, mapping, selector_name, states, text
from xregit.rules.media_types import BINARY, in_binary, in_json_alone, modes
from xregit.rules.rule import finding, rule

METADATA, OPTIONS = "envelopemetadata", "envelopeoptions"
DECLARED = frozenset({"description", "required", "specurl", "type", "value"})
EVENTS = ("envelope", CLOUDEVENTS)
# What every event has and its maker has to know, with an example; id, specversion and time follow by themselves.
NEEDED: Mapping[str, str] = {"type": "com.example.order.placed", "source": "/orders"}
_MAX_NAME = 20


@rule("message", Severity.WARNING, "MSG-72", selector=EVENTS)
def event_attribute_missing(registry: Registry, message: Message) -> Iterator[Finding]:
    """A message does not declare an attribute that every event has."""
    # Messages without type or source; those that others derive from may leave both to them.
    own, attributes = message.entity.attributes, message.resolved.attributes
    if METADATA not in attributes or METADATA in registry.doubtful(message.xid):
        return
    if registry.indexes.derived.get(message.xid) or message.resolved.missing or message.resolved.cycle:
        return
    declared = mapping(attributes, METADATA)
    missing = [name for name in NEEDED if declared.get(name) is None and not _has_near(declared, name)]
    if missing:
        names = " and ".join(f'"{name}"' for name in missing)
        text_ = (
            f'Every CloudEvent needs {names}, and "{METADATA}" says nothing of {"them" if len(missing) > 1 else "it"}.'
        )
        examples = " and ".join(f'"{name}: {{value: {NEEDED[name]}}}"' for name in missing)
        where = (METADATA,) if METADATA in own else ()
        yield finding(*where, message=text_, help=f"Add, for example, {examples}.", on_key=True)


def _has_near(declared: Mapping[str, Any], name: str) -> bool:
    """Return whether a name is there, but misspelled, which is reported as that."""
    return any(is_near(other, name) for other in declared)


@rule("message", Severity.INFO, "MSG-68", attributes=(METADATA,), selector=EVENTS)
def attribute_name_long(_registry: Registry, message: Message) -> Iterator[Finding]:
    """The name of an attribute of events is long."""
    # Names of more than twenty characters, which some receivers refuse (CloudEvents, naming convention).
    for name in mapping(message.entity.attributes, METADATA):
        if len(name) > _MAX_NAME:
            text_ = f'"{cut(name)}" has {len(name)} characters; names of attributes should have at most {_MAX_NAME}.'
            yield finding(METADATA, name, message=text_, help="Shorten it.", on_key=True)


@rule("message", Severity.WARNING, "MSG-73", attributes=(METADATA,), selector=EVENTS)
def id_with_value(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A value is declared for the id of events, which differs each time."""
    # A literal or template for the CloudEvents attribute "id".
    if inside(message.entity.attributes, METADATA, "id", "value") is not None:
        text_ = 'Every event has a new "id", so it can\'t have a fixed value.'
        yield finding(METADATA, "id", "value", message=text_, help="Remove the value.")


@rule("message", Severity.WARNING, "MSG-75", "MSG-74", attributes=(METADATA,), selector=EVENTS)
def time_with_value(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A fixed value is declared for the time of events."""
    # Any value of the CloudEvents attribute "time" but that which stands for the current time.
    value = inside(message.entity.attributes, METADATA, "time", "value")
    # A value that is no timestamp is an invalid attribute already.
    if isinstance(value, str) and not is_now(value) and DATATYPES["timestamp"].test(value):
        text_ = f'The "time" of every event would be {value}.'
        help_ = f"Remove the value; events then have the time at which they are made, as with {NOW}."
        yield finding(METADATA, "time", "value", message=text_, help=help_)


@rule("message", Severity.ERROR, "MSG-78", "MSG-77", attributes=(METADATA, "dataschemauri"), selector=EVENTS)
def dataschema_differs_from_dataschemauri(registry: Registry, message: Message) -> Iterator[Finding]:
    """The CloudEvents attribute dataschema differs from dataschemauri."""
    # Two different places of one schema; a template can't be compared.
    own, attributes = message.entity.attributes, message.resolved.attributes
    declared, uri = inside(attributes, METADATA, "dataschema", "value"), text(attributes, "dataschemauri")
    if not isinstance(declared, str) or not uri or "{" in declared:
        return
    is_own = inside(own, METADATA, "dataschema", "value") is not None
    if not is_own and "dataschemauri" not in own:
        return
    base = registry.settings.baseurl
    if (local_xid(declared, base) or declared) != (local_xid(uri, base) or uri):
        text_ = f'The attribute "dataschema" is {declared}, but "dataschemauri" is {uri}.'
        help_ = "Remove the value; it follows from dataschemauri."
        where = (METADATA, "dataschema", "value") if is_own else ("dataschemauri",)
        yield finding(*where, message=text_, help=help_)


@rule("entity", Severity.WARNING, "EP-15", attributes=(OPTIONS,))
def format_in_binary_mode(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """A format is given for binary mode."""
    # "format" beside "mode: binary"; it means the media type of structured events only.
    options = entity.attributes.get(OPTIONS)
    if text(options, "mode") != "binary" or not text(options, "format"):
        return
    text_ = 'In binary mode there is no "format": the payload is the data itself.'
    help_ = 'Remove "format" (the data\'s media type is "datacontenttype"), or write "mode: structured".'
    yield finding(OPTIONS, "format", message=text_, help=help_, on_key=True)


@rule("entity", Severity.WARNING, "EP-16", "CEM-5", attributes=(OPTIONS, "envelope", "protocol"))
def format_of_no_event(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """The format of structured events is not a media type of events."""
    # A "format" that is the content type of messages which nobody takes for events.
    attributes = _resolved_attributes(registry, entity)
    format_, protocol = text(attributes, OPTIONS, "format"), selector_name("protocol", attributes)
    is_recognised = (
        not format_ or without_parameters(format_).startswith(MEDIA_TYPE_OF_EVENTS) or has_placeholders(format_)
    )
    # Where there can be no such format at all, other rules say so.
    is_out_of_place = text(attributes, OPTIONS, "mode") == BINARY or in_json_alone(protocol)
    if is_recognised or is_out_of_place or selector_name("envelope", attributes) != CLOUDEVENTS:
        return
    text_ = f'Receivers recognise an event by a media type such as "{EVENT_JSON}"; "{format_}" is plain data to them.'
    help_ = f'Write "format: {EVENT_JSON}", and the data\'s media type as "envelopemetadata.datacontenttype".'
    yield finding(OPTIONS, "format", message=text_, help=help_)


@rule("entity", Severity.ERROR, "CEM-1", "CEM-8", attributes=(OPTIONS, "protocol"))
def binary_mode_in_mqtt_3(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Binary mode is asked for with a protocol that has no place for attributes, such as MQTT 3.1.1."""
    attributes = _resolved_attributes(registry, entity)
    if text(attributes, OPTIONS, "mode") != BINARY:
        return
    protocol = selector_name("protocol", attributes)
    if not in_binary(protocol):
        text_ = f"{protocol} can't carry events in binary mode: its messages have no properties for the attributes."
        help_ = 'Write "mode: structured", or use a protocol with such properties, such as MQTT/5.0.'
        yield finding(OPTIONS, "mode", message=text_, help=help_)


@rule("entity", Severity.ERROR, "CEM-8", "CEM-18", attributes=(OPTIONS, "protocol"))
def format_in_mqtt_3(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """A format other than JSON is asked for with a protocol whose events are always JSON, such as MQTT 3.1.1."""
    attributes = _resolved_attributes(registry, entity)
    format_, protocol = text(attributes, OPTIONS, "format"), selector_name("protocol", attributes)
    if not format_ or without_parameters(format_) == EVENT_JSON or not in_json_alone(protocol):
        return
    text_ = f'Messages of {protocol} have no content type, so events in them are JSON, not "{format_}".'
    yield finding(OPTIONS, "format", message=text_, help=f'Write "format: {EVENT_JSON}", or leave it out.')


@rule("message", Severity.ERROR, "MSG-33", "MSG-34", attributes=(OPTIONS,), selector=EVENTS)
def attribute_among_options(_registry: Registry, message: Message) -> Iterator[Finding]:
    """An attribute of events is declared among the options of the envelope."""
    # Declarations of attributes beside "mode" and "format", as an example of the specification has them.
    for name, value in mapping(message.entity.attributes, OPTIONS).items():
        if isinstance(value, MAPPINGS) and value and DECLARED.issuperset(value):
            text_ = f'"{name}" is an attribute of events, not an option of the envelope.'
            yield finding(OPTIONS, name, message=text_, help=f'Move it to "{METADATA}".', on_key=True)


@rule(
    "message",
    Severity.ERROR,
    "MSG-49",
    "MSG-51",
    "CEM-11",
    "CEM-14",
    attributes=(METADATA, "protocoloptions", "protocol", OPTIONS),
    selector=EVENTS,
)
def option_differs_from_attribute(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A property of the protocol is an attribute of the event in binary mode, but has another value."""
    # Headers such as "ce-type" that no message can have together with the attribute that they are.
    attributes = message.resolved.attributes
    if not _has_attribute_option(attributes) or BINARY not in modes(attributes, selector_name("protocol", attributes)):
        return

    own = message.entity.attributes
    for item in contradictions(message):
        section = tuple(int(part) if part.isdecimal() else part for part in item.option.path)
        at_option = (*section, "value") if states(own, (*section, "value")) else section
        where = next((path for path in (at_option, (METADATA, item.attribute)) if states(own, path)), ())
        if where:
            own_value, event_value = _expected_value(item.constraint), _expected_value(item.of_event)
            text_ = (
                f'"{item.option.name}" is the attribute "{item.attribute}" of the event in binary mode, '
                f"so it can't be {own_value} where the attribute is {event_value}."
            )
            help_ = "Remove it, as it follows from the attribute; or make both equal."
            yield finding(*where, message=text_, help=help_)


@rule("message", Severity.WARNING, "CEM-11", attributes=("protocoloptions", "protocol"))
def attribute_of_another_protocol(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A header has the name that an attribute of events has in another protocol."""
    # For example, "ce-type" among the headers of a Kafka record, where the attribute is "ce_type".
    protocol = selector_name("protocol", message.resolved.attributes)
    section, prefixes = _attribute_options(protocol)
    headers = inside(message.entity.attributes, "protocoloptions", section) if section else None
    is_map = isinstance(headers, MAPPINGS)
    for index, item in enumerate(headers if isinstance(headers, (*MAPPINGS, list, tuple)) else ()):
        name = item if isinstance(item, str) else text(item, "name")
        other = next((each for each in sorted(_all_prefixes()) if name.casefold().startswith(each)), "")
        if not prefixes or not other or other in prefixes or not name[len(other) :].isalnum():
            continue
        text_ = f'{protocol} has no event attribute named "{name}", so receivers ignore it.'
        where = (name,) if is_map else (index, "name")
        help_ = f'Write "{prefixes[0]}{name[len(other) :]}", or remove it: it follows from "{METADATA}".'
        yield finding("protocoloptions", section, *where, message=text_, help=help_, on_key=is_map)


@cache
def _all_prefixes() -> frozenset[str]:
    """Return what stands before the names of attributes in any protocol, in lower case."""
    tables = facts("cloudevents").values()
    return frozenset(prefix.casefold() for table in tables for prefix in table.get("prefixes", ()) if prefix)


def _has_attribute_option(attributes: Mapping[str, Any]) -> bool:
    """Return whether a property of the protocol has the name of an attribute that the message declares."""
    section, prefixes = _attribute_options(selector_name("protocol", attributes))
    options = inside(attributes, "protocoloptions", section) if section else None
    declared = mapping(attributes, METADATA)
    for item in options if isinstance(options, (*MAPPINGS, list, tuple)) else ():
        name = (item if isinstance(item, str) else text(item, "name")).casefold()
        for prefix in prefixes:
            attribute = name.removeprefix(prefix)
            if attribute in declared or attribute == "specversion":
                return True
    return False


@cache
def _attribute_options(protocol: str) -> tuple[str, tuple[str, ...]]:
    """Return the options that are attributes of events in binary mode, and what may stand before their names."""
    binding: Mapping[str, Any] = facts("cloudevents").get(protocol, NOTHING)
    return binding.get("attributes", ""), tuple(prefix.casefold() for prefix in binding.get("prefixes", ()))


def _expected_value(item: Constraint) -> str:
    return item.expected if item.constant is None and item.template is None else quote(item.expected)


def _resolved_attributes(registry: Registry, entity: Group | Resource) -> Mapping[str, Any]:
    if isinstance(entity, Group) or entity.type.singular != "message" or entity.xref:
        return entity.attributes
    return registry.resolved(entity.xid).attributes
