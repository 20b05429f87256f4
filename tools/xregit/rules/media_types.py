"""What messages say of the media type of their payload, in one place or several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from xregit.catalog.registry import Registry
from xregit.catalog.views import Message
from xregit.diagnostics import Finding, Severity
from xregit.json_pointer import KeyPath
from xregit.model.aliases import CLOUDEVENTS, EVENT_JSON, EVENTS, find_name
from xregit.model.datatypes import SYNTAXES
from xregit.model.language import MAPPINGS
from xregit.model.media_types import comparable, without_parameters
from xregit.model.protocols import facts
from xregit.rules.attributes import in_another_language, inside, items, mapping, selector_name, states, text
from xregit.rules.rule import finding, rule

CONTENTTYPE = "datacontenttype"
STATED_IN = (CONTENTTYPE, "protocoloptions", "envelopemetadata", "envelopeoptions")
OPTIONS, BINARY, STRUCTURED = "protocoloptions", "binary", "structured"
_USUAL = {"modes": (BINARY,), "contenttype": "headers/content-type"}
_INNER = ("envelopemetadata", CONTENTTYPE, "value")
_FORMAT = ("envelopeoptions", "format")
MODES = frozenset({BINARY, STRUCTURED})


class StatedMediaType(NamedTuple):
    """A media type and the path at which a message in full has it."""

    media: str
    path: KeyPath

    @property
    def name(self) -> str:
        """The path as a sentence names it."""
        return ".".join(map(str, self.path))


_NOTHING = StatedMediaType("", ())


@rule("message", Severity.ERROR, "MSG-44", "MSG-46", "MSG-47", "EP-16", attributes=STATED_IN)
def datacontenttype_differs(_registry: Registry, message: Message) -> Iterator[Finding]:
    """The media type of the payload is stated twice, differently."""
    # Different media types for the same bytes, by the message, its envelope or its protocol.
    own = message.entity.attributes
    media_types = _comparable_media_types(message.resolved.attributes)
    comparable_types = [item for item in media_types if SYNTAXES["mediatype"].test(item.media)]
    for one in comparable_types[1:]:
        if not _agree(one, comparable_types[0]):
            text_ = f'"{one.name}" is {one.media}, but "{comparable_types[0].name}" is {comparable_types[0].media}.'
            where = one if states(own, one.path) else comparable_types[0]
            if states(own, where.path):
                yield finding(*where.path, message=text_, help="Make both equal, or remove one of them.")


@rule(
    "message",
    Severity.ERROR,
    "MSG-45",
    "CEM-17",
    "CEM-18",
    attributes=(CONTENTTYPE, OPTIONS, "envelopeoptions", "protocol"),
    selector=("envelope", CLOUDEVENTS),
)
def datacontenttype_of_inner_data(registry: Registry, message: Message) -> Iterator[Finding]:
    """The media type of a structured event is not a media type of events."""
    attributes = message.resolved.attributes
    protocol = selector_name("protocol", attributes)
    if not _is_structured(attributes, protocol) or CONTENTTYPE in registry.doubtful(message.xid):
        return
    for one in (
        StatedMediaType(text(attributes, CONTENTTYPE), (CONTENTTYPE,)),
        _protocol_media_type(attributes, protocol),
    ):
        if not one.media or "{" in one.media or _is_of_event(one):
            continue
        if states(message.entity.attributes, one.path):
            text_ = f'The payload of a structured event is the event, not its data, so it can\'t be "{one.media}".'
            help_ = f'Write "{EVENT_JSON}" here, and the data\'s media type as "envelopemetadata.datacontenttype".'
            yield finding(*one.path, message=text_, help=help_)


@rule("message", Severity.ERROR, "CEM-5", "EP-14", attributes=STATED_IN, selector=("envelope", CLOUDEVENTS))
def event_media_type_in_binary_mode(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A media type of events is given for the payload of binary mode."""
    # A media type by which receivers would take the data for a whole event.
    attributes = message.resolved.attributes
    if text(attributes, "envelopeoptions", "mode") != BINARY:
        return
    media_types = _stated_media_types(attributes, selector_name("protocol", attributes))
    # Where another media type stands beside it, the two differ, and that is reported.
    for one in media_types if all(map(_is_of_event, media_types)) else ():
        if states(message.entity.attributes, one.path):
            text_ = f'Receivers treat "{one.media}" as a whole event, but in binary mode the payload is the data alone.'
            help_ = 'Write the data\'s own media type, or "mode: structured".'
            yield finding(*one.path, message=text_, help=help_)


@rule(
    "message", Severity.WARNING, "MSG-76", "CEM-4", attributes=("dataschemaformat",), selector=("envelope", CLOUDEVENTS)
)
def datacontenttype_missing(registry: Registry, message: Message) -> Iterator[Finding]:
    """The media type of an event's data is neither stated nor implied by its schema."""
    # Data that receivers take for JSON, unless who sends it says what it is.
    attributes = message.resolved.attributes
    format_ = text(attributes, "dataschemaformat")
    language = find_name("format", format_)
    if language is None or language.payload or CONTENTTYPE in registry.doubtful(message.xid):
        return
    is_due = mapping(attributes, "envelopemetadata", CONTENTTYPE).get("required") is True
    if is_due or in_another_language(message):
        return
    if all(map(_is_of_event, _stated_media_types(attributes, selector_name("protocol", attributes)))):
        text_ = f'Receivers treat the data as JSON, because no "{CONTENTTYPE}" states the encoding of {language.name}.'
        help_ = f'Write "envelopemetadata.{CONTENTTYPE}", such as application/avro or application/x-protobuf.'
        yield finding("dataschemaformat", message=text_, help=help_)


# What the end of a media type says of the bytes, and the languages whose payloads may be such bytes.
_LANGUAGES = {
    "json": ("JsonSchema", "JsonStructure", "Avro", "Protobuf"),
    "xml": ("XSD",),
    **dict.fromkeys(("avro", "x-avro", "vnd.apache.avro"), ("Avro",)),
    **dict.fromkeys(("protobuf", "x-protobuf", "vnd.google.protobuf"), ("Protobuf",)),
}


@rule("message", Severity.WARNING, "MSG-36", attributes=(*STATED_IN, "dataschemaformat"))
def datacontenttype_unfit_for_schema(_registry: Registry, message: Message) -> Iterator[Finding]:
    """The language of the schema can't describe the media type of the payload."""
    own, attributes = message.entity.attributes, message.resolved.attributes
    language = find_name("format", text(attributes, "dataschemaformat"))
    if language is None or in_another_language(message):
        return
    for one in _stated_media_types(attributes, selector_name("protocol", attributes))[:1]:
        subtype = without_parameters(one.media).rpartition("/")[2]
        languages = _LANGUAGES.get(subtype) or _LANGUAGES.get(subtype.rpartition("+")[2])
        if languages and language.name not in languages and not _is_of_event(one):
            text_ = f'"{one.media}" is not described by a schema in {language.name}.'
            where = next((path for path in (one.path, ("dataschemaformat",)) if states(own, path)), None)
            if where:
                help_ = "Correct the media type, or refer to a schema of its language."
                yield finding(*where, message=text_, help=help_)


@rule("message", Severity.ERROR, "MSG-48", attributes=(OPTIONS,))
def malformed_content_type(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A header states a content type that is not a media type."""
    # What the model can't see, since a header may have any name; other content types it checks itself.
    section, header = _content_type_place(selector_name("protocol", message.resolved.attributes))
    if not header or inside(message.entity.attributes, OPTIONS, section) is None:
        return
    one = _header(message.entity.attributes, section, header)
    if one.media and "{" not in one.media and not SYNTAXES["mediatype"].test(one.media):
        text_ = f'The content type must be {SYNTAXES["mediatype"].about}, but is "{one.media}".'
        yield finding(*one.path, message=text_, help="Write the one media type that the payload has.")


def in_binary(protocol: str) -> bool:
    """Return whether events can travel in binary mode."""
    return BINARY in _event_binding(protocol)["modes"]


def in_json_alone(protocol: str) -> bool:
    """Return whether events travel as JSON and in no other format, since no message says what it holds."""
    carrier = _event_binding(protocol)
    return not in_binary(protocol) and not carrier.get("contenttype")


def modes(attributes: Mapping[str, Any], protocol: str) -> frozenset[str]:
    """Return the modes in which the events of a message can travel by a protocol, one of two or both."""
    mode = text(attributes, "envelopeoptions", "mode")
    if mode in MODES:
        return frozenset({mode})
    media_types = (text(attributes, CONTENTTYPE), _protocol_media_type(attributes, protocol).media)
    is_event = text(attributes, *_FORMAT) or any(media.lower().startswith(EVENTS) for media in media_types)
    return frozenset({STRUCTURED}) if is_event or not in_binary(protocol) else MODES


def _is_structured(attributes: Mapping[str, Any], protocol: str) -> bool:
    """Return whether events are sent in structured mode, as the message says or as its protocol can only do.

    A format alone says so too: it is what the payload's media type has to be (endpoint/spec.md, "envelopeoptions").
    """
    mode, format_ = text(attributes, "envelopeoptions", "mode"), text(attributes, *_FORMAT)
    return mode == STRUCTURED or (bool(format_) and mode != BINARY) or not in_binary(protocol)


def _is_of_event(one: StatedMediaType) -> bool:
    return one.media.lower().startswith(EVENTS)


def _agree(one: StatedMediaType, other: StatedMediaType) -> bool:
    """Return whether two media types say the same; what a format of events is called has no parameters."""
    as_compared = without_parameters if _FORMAT in (one.path, other.path) else comparable
    return as_compared(one.media) == as_compared(other.media)


def _comparable_media_types(attributes: Mapping[str, Any]) -> list[StatedMediaType]:
    """Return the media types that must agree, as far as stated.

    None is given where there are not two to compare. In structured mode the payload is the event, so what the event
    says of its data is another matter. Where no mode is stated, either is possible, and a media type of events says
    nothing of the data.
    """
    protocol = selector_name("protocol", attributes)
    media_types = _stated_media_types(attributes, protocol)
    if not media_types[1:] and not text(attributes, *_FORMAT):
        return []
    mode = text(attributes, "envelopeoptions", "mode")
    if selector_name("envelope", attributes) != CLOUDEVENTS:
        return [item for item in media_types if item.path != _INNER]
    if _is_structured(attributes, protocol):
        # What is no media type of events is reported by the rule below.
        events = [item for item in media_types if item.path != _INNER and _is_of_event(item)]
        return [*events, StatedMediaType(text(attributes, *_FORMAT), _FORMAT)]
    return media_types if mode == BINARY else [item for item in media_types if not _is_of_event(item)]


def _stated_media_types(attributes: Mapping[str, Any], protocol: str) -> list[StatedMediaType]:
    """Return the media types that a message, its envelope and its protocol state."""
    result = []
    for media, path in ((text(attributes, CONTENTTYPE), (CONTENTTYPE,)), (text(attributes, *_INNER), _INNER)):
        if media:
            result.append(StatedMediaType(media, path))
    own = _protocol_media_type(attributes, protocol)
    if own.media:
        result.append(own)
    return result


def _protocol_media_type(attributes: Mapping[str, Any], protocol: str) -> StatedMediaType:
    """Return the media type that the protocol's own property or header states, if any."""
    return _header(attributes, *_content_type_place(protocol))


def _header(attributes: Mapping[str, Any], section: str, header: str) -> StatedMediaType:
    """Return the media type that a property states, or one of the headers in it, if one is due."""
    value = inside(attributes, OPTIONS, section)
    if value is None:
        return _NOTHING
    if not header:
        return _property(value, (OPTIONS, section))
    for index, entry in items(value):
        if text(entry, "name").lower() == header:
            return _property(entry, (OPTIONS, section, index))
    for name, entry in mapping(value).items():
        if name.lower() == header:
            return _property(entry, (OPTIONS, section, name))
    return _NOTHING


@lru_cache(maxsize=1024)
def _content_type_place(protocol: str) -> tuple[str, str]:
    """Return where a protocol has the media type: among its options, or in which header of a section of them."""
    section, _, header = _event_binding(protocol).get("contenttype", "").partition("/")
    return section, header


def _event_binding(protocol: str) -> Mapping[str, Any]:
    """Return how a protocol carries events; one whose binding nobody knows is taken for one that has headers."""
    binding: Mapping[str, Any] = facts("cloudevents").get(protocol, _USUAL)
    return binding


def _property(value: Any, path: KeyPath) -> StatedMediaType:
    if isinstance(value, MAPPINGS):
        return StatedMediaType(text(value, "value"), (*path, "value"))
    return StatedMediaType(value if isinstance(value, str) else "", path)
