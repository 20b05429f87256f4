"""Names that are nearly known ones, where any name is allowed, and values that nobody can mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xregit.catalog.entities import VERSIONS, Group, Resource, file_attributes
from xregit.catalog.properties import PARTS
from xregit.catalog.registry import Registry
from xregit.catalog.uncertain_attributes import TABLES
from xregit.catalog.views import Endpoint
from xregit.diagnostics import Finding, Severity
from xregit.json_pointer import KeyPath
from xregit.model import canonical, check, find_name, names, odd_characters, siblings
from xregit.model.aliases import BATCH_JSON, EVENT_JSON, closest_name, habit, has_known_version
from xregit.model.excerpts import cut, quote
from xregit.model.language import MAPPINGS, NOTHING, AttributeModel
from xregit.model.similarity import fold_name, is_near
from xregit.rules.attributes import inside, items, nested_texts
from xregit.rules.rule import finding, rule

# What machines compare or send; all else is for people, who write as they like.
MACHINE = (
    *PARTS,
    *("envelope", "envelopeoptions", "protocol", "channel", "datacontenttype", "dataschemaformat", "dataschemauri"),
    *("dataschemaxid", "basemessage", "messagegroups", "format", "usage"),
)
PROSE = ("name", "description")
_FOR_PEOPLE = frozenset({"description", "specurl", "documentation"})
_UNFINISHED = re.compile(
    r"\s*(?:TODO|FIXME|TBD|XXX|CHANGE[ _-]?ME|REPLACE[ _-]?ME|LOREM IPSUM|\.\.\.$|\?\?\?)(?:\b|:|$)", re.IGNORECASE
)
_TO_FILL_IN = re.compile(r"<[A-Za-z][\w .-]*>")
_HOST_TO_FILL_IN = re.compile(r"[a-z+]+://(?:YOUR|MY)[_-][A-Z]")


@rule("entity", Severity.WARNING, attributes=MACHINE)
def odd_character(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """A value has an invisible character, or one that looks like another."""
    # Quotes, spaces, dashes and letters that machines don't take for those that they look like.
    for path, value in _texts(entity, MACHINE):
        character = odd_characters.describe(value) or ("a space around it" if value.strip() not in {value, ""} else "")
        if value.endswith("/") and path[:2] == (OPTIONS, "topic_name"):
            text_ = f"{quote(value)} ends with a slash, which adds a level without a name."
            yield finding(*path, message=text_, help=f"Write '{cut(value.rstrip('/'))}'.")
        if character:
            text_ = f"{quote(value)} has {character}, which is part of the value."
            right = odd_characters.repair(value).replace("'", "''")
            yield finding(*path, message=text_, help=f"Write '{cut(right)}', quotes included.")


@rule("entity", Severity.WARNING, attributes=(*MACHINE, *PROSE))
def unfinished_value(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """A value is unfinished."""
    # Marks such as TODO, and names in angle brackets where machines read them.
    for path, value in _texts(entity, (*MACHINE, *PROSE)):
        is_for_machines = path[0] not in PROSE
        to_fill_in = is_for_machines and (_TO_FILL_IN.fullmatch(value) or _HOST_TO_FILL_IN.match(value))
        if to_fill_in or _UNFINISHED.match(value):
            name = next(part for part in reversed(path) if isinstance(part, str))
            text_ = f'"{name}" is unfinished: {quote(value)}.'
            yield finding(*path, message=text_, help="Write the real value, or remove it.")


def _texts(entity: Group | Resource, names: tuple[str, ...]) -> Iterator[tuple[KeyPath, str]]:
    """Yield the texts that an entity states under some names, with their paths."""
    if isinstance(entity, Resource) and entity.xref:
        return
    for name in names:
        yield from nested_texts(entity.attributes.get(name), (name,), _FOR_PEOPLE)


FORMATS = ("dataschemaformat", "format")
ENDPOINTS, OPTIONS, ENVELOPE, ADDRESSES = "endpoints", "protocoloptions", "envelopeoptions", "endpoints"
# What only endpoints have: anything may have a name or a description of its own, and an address a protocol.
_OF_ADDRESSES = ("usage", "channel", "envelope", ENVELOPE, "messagegroups")
_OF_ENDPOINTS = (*_OF_ADDRESSES, "protocol")
_INTO_OPTIONS = f'Move it into "{OPTIONS}": indent it below that.'
_INTO_ENVELOPE = f'Move it into "{ENVELOPE}": indent it below that.'
_INTO_ADDRESS = f'Move it into an entry of the list "{ADDRESSES}" in "{OPTIONS}".'
_OUT_OF_OPTIONS = f'Move it out of "{OPTIONS}": indent it as that is.'
_OUT_OF_ADDRESS = f'Move it out of the entry: indent it as "{ADDRESSES}" is.'

_WILDCARD = "*"
# What documents of other releases call it (site/manual/contradictions.md, K35).
_FORMER = {"url": "uri"}

Attributes = Mapping[str, Any]
Models = Mapping[str, "AttributeModel"]


@rule("group", Severity.WARNING, "EP-23", "EP-37")
def misplaced_attribute(_registry: Registry, group: Group) -> Iterator[Finding]:
    """An attribute is in a place where it is treated as an extension attribute."""
    # What nobody looks for in a group, as it belongs to what is in it; and in an endpoint, in a wrong part.
    yield from misplaced_names(group)


def misplaced_names(group: Group) -> Iterator[Finding]:
    """Yield the findings of `misplaced_attribute`."""
    attributes = siblings(group.type.attributes, group.attributes)
    if group.type.plural == ENDPOINTS:
        yield from _misplaced_in_endpoint(group.attributes, attributes)
    elif any(name not in attributes for name in group.attributes):
        for resource in group.type.resources.values():
            advice = f"Groups do not pass this on: state it in each {resource.singular}."
            advice_by_name = _advice(siblings(resource.attributes, group.attributes), advice)
            yield from _misplaced_names(group.attributes, (), attributes, advice_by_name)


def _misplaced_in_endpoint(attributes: Attributes, models: Models) -> Iterator[Finding]:
    envelope, options = (models[name].attributes if name in models else NOTHING for name in (ENVELOPE, OPTIONS))
    entries = options[ADDRESSES].item if ADDRESSES in options else None
    address = entries.attributes if entries else NOTHING
    into = {**_advice(envelope, _INTO_ENVELOPE), **_advice(address, _INTO_ADDRESS)}
    yield from _misplaced_names(attributes, (), models, {**into, **_advice(options, _INTO_OPTIONS)})
    outer = {**into, **_advice(_OF_ENDPOINTS, _OUT_OF_OPTIONS)}
    values = attributes.get(OPTIONS)
    yield from _misplaced_names(values, (OPTIONS,), options, outer)
    outside = {
        **_advice(options, _OUT_OF_ADDRESS),
        **_advice(_OF_ADDRESSES, _OUT_OF_OPTIONS),
        "options": _OUT_OF_ADDRESS,
    }
    for index, entry in items(values, ADDRESSES):
        yield from _misplaced_names(entry, (OPTIONS, ADDRESSES, index), address, outside)


def _advice(names: Iterable[str], advice: str) -> dict[str, str]:
    """Return what to do with each of some names, where it is not known."""
    return dict.fromkeys((name for name in names if name != "*"), advice)


def _misplaced_names(value: Any, path: KeyPath, names: Iterable[str], advice: dict[str, str]) -> Iterator[Finding]:
    """Yield the names in a value that are known only elsewhere."""
    for name in value if isinstance(value, MAPPINGS) else ():
        if name in advice and name not in names:
            text_ = f'"{name}" is treated as an extension attribute here; nothing reads it.'
            yield finding(*path, name, message=text_, help=advice[name], on_key=True)


@rule("entity", Severity.WARNING)
def misspelled_attribute(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """The name of an attribute is nearly the name of one in the model."""
    # Names that are allowed only because any name is; elsewhere an unknown name is an error.
    for other in _misspellings(registry, entity):
        if not other.hyphenated:
            message = f'"{other.path[-1]}" is treated as an extension attribute; the model has "{other.suggestion}".'
            help_ = f'Write "{other.suggestion}", or choose a name that differs more from it.'
            yield finding(*other.path, message=message, help=help_, on_key=True)
        elif not other.faults:
            message = f'"{other.path[-1]}" is another way to write "{other.suggestion}".'
            yield finding(
                *other.path, message=message, help=f'Write "{other.suggestion}", as the model does.', on_key=True
            )


@rule("entity", Severity.WARNING)
def foreign_attribute(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """An attribute has its name in another language, such as AsyncAPI."""
    # Habits from AsyncAPI, OpenAPI and others where any name is allowed; elsewhere they are errors.
    if isinstance(entity, Resource) and (entity.xref or _WILDCARD not in entity.type.attributes):
        return
    models = siblings(entity.type.attributes, entity.attributes)
    if _WILDCARD not in models:
        return
    stated = _values(entity) if isinstance(entity, Resource) else [((), entity.attributes)]
    known = {*models, *file_attributes(entity.type)} if isinstance(entity, Resource) else {*models}
    moved = {item.path[-1] for item in misplaced_names(entity)} if isinstance(entity, Group) else set()
    for path, attributes in stated:
        for name in attributes:
            advice = "" if name in known or name in moved else habit(entity.type.singular, name)
            if advice and not any(is_near(name, other) for other in known):
                message = f'"{name}" is treated as an extension attribute; nothing reads it.'
                yield finding(*path, name, message=message, help=advice, on_key=True)


@rule("endpoint", Severity.ERROR, "EP-50", "EP-51", attributes=(OPTIONS,))
def invalid_under_another_name(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An option written without its hyphens has an invalid value."""
    # What would be wrong under the name that the document has for it (site/manual/contradictions.md, K36).
    for other in _misspellings(registry, endpoint.entity):
        for fault in other.faults if other.hyphenated else ():
            help_ = f'{fault.help} The name is written "{other.suggestion}".'
            yield finding(*other.path, *fault.path[1:], message=fault.message, help=help_)


@rule("endpoint", Severity.ERROR, "EP-37", attributes=(OPTIONS,))
def option_under_two_names(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint states one option under two names, with two values."""
    # What the document, which has one name for it, could not hold.
    model = siblings(endpoint.entity.type.attributes, endpoint.attributes).get(OPTIONS)
    for path, other in _duplicates(model, endpoint.options, (OPTIONS,)) if model else ():
        message = (
            f'"{".".join(map(str, path[1:]))}" and "{other}" are two names of one option, and their values differ.'
        )
        yield finding(*path, message=message, help="Keep one of the two.", on_key=True)


_NAMED = (*TABLES, "datacontenttype", "envelopemetadata", OPTIONS, "labels")
_MEDIA_TYPES = (
    *("application/json", "application/jsonl", "application/xml", "text/xml", "text/plain", "application/octet-stream"),
    *("application/avro", "application/vnd.apache.avro", "application/protobuf", "application/x-protobuf"),
    *(EVENT_JSON, BATCH_JSON),
)
_METHODS = ("GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE")
# Values of no selector that are nearly predefined: where they stand, and the predefined ones.
_PREDEFINED: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("datacontenttype",): _MEDIA_TYPES,
    ("envelopemetadata", "datacontenttype", "value"): _MEDIA_TYPES,
    (OPTIONS, "method"): _METHODS,
    (OPTIONS, "method", "value"): _METHODS,
    ("labels", "stage"): ("draft",),
}


@rule("entity", Severity.WARNING, "MSG-15", "MSG-19", "EP-17", attributes=_NAMED)
def misspelled_name(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """The name of an envelope, protocol, schema language, media type, method or stage is nearly a predefined one."""
    # What is taken for something of the author's own, of which nothing is known and nothing is checked.
    for name, table in TABLES.items():
        value = entity.attributes.get(name)
        name_ = closest_name(table, value) if isinstance(value, str) else ""
        if name_:
            message = f'"{value}" is not a predefined name, so its meaning is unknown.'
            yield finding(name, message=message, help=f'Did you mean "{names(table)[name_].example or name_}"?')
    for path, predefined in _PREDEFINED.items():
        value = inside(entity.attributes, *path)
        # That a method is in lower case is reported as that.
        if not isinstance(value, str) or value in predefined or (path[0] == OPTIONS and value.upper() in predefined):
            continue
        meant = next((each for each in predefined if is_near(value, each)), "")
        if meant:
            message = f'"{value}" is not a predefined value of "{path[-1] if path[-1] != "value" else path[-2]}".'
            yield finding(*path, message=message, help=f'Did you mean "{meant}"?')


@rule("entity", Severity.WARNING, "MSG-37", attributes=(*FORMATS, VERSIONS))
def format_without_version(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """The name of a schema language has no version, or one that does not exist."""
    # What leaves open by which rules a document is read; without a slash, a message's is an error already.
    for path, value, data in _formats(entity):
        known, version = find_name("format", value), canonical("format", value).partition("/")[2]
        if known is None or has_known_version(value) or (not version and path[-1] == FORMATS[0]):
            continue
        declared = re.search(known.declaration.encode(), data) if known.declaration else None
        right = f"{known.name}/{declared[1].decode()}" if declared else known.example
        fault = f'has no known version "{version}"' if version else "has no version here"
        text_ = f'{known.name} {fault}, so the rules for reading "{value}" are unknown.'
        yield finding(*path, message=text_, help=f'Write "{path[-1]}: {right}", if that is the version.')


def _formats(entity: Group | Resource) -> Iterator[tuple[KeyPath, str, bytes]]:
    """Yield the path and value of each format that an entity states, and the document that is written in it."""
    if isinstance(entity, Group):
        stated: Iterable[tuple[KeyPath, Mapping[str, Any]]] = [((), entity.attributes)]
        documents = {}
    else:
        stated = _values(entity)
        documents = {vid: item.document.data or b"" for vid, item in entity.versions.items() if item.document}
    for path, value in stated:
        data = documents.get(str(path[-1]), b"") if path else next(iter(documents.values()), b"")
        yield from (((*path, name), value[name], data) for name in FORMATS if isinstance(value.get(name), str))


@dataclass(frozen=True, slots=True)
class _Misspelling:
    """A name that the model doesn't know, where it stands, its value, and what is probably meant by it."""

    path: KeyPath
    value: Any
    suggestion: str
    model: AttributeModel

    @property
    def hyphenated(self) -> bool:
        """Whether it is nothing but another way to write what is meant: prose and samples leave hyphens out."""
        return "-" in self.suggestion and fold_name(str(self.path[-1])) == fold_name(self.suggestion)

    @property
    def faults(self) -> list[Finding]:
        """What would be wrong with the value if it stood under the name that is meant."""
        return check({self.suggestion: self.model}, {self.suggestion: self.value})


def _misspellings(registry: Registry, entity: Group | Resource) -> Iterator[_Misspelling]:
    """Yield the names that are nearly known ones in what an entity states."""
    if not isinstance(entity, Resource):
        yield from _misspellings_in(siblings(entity.type.attributes, entity.attributes), entity.attributes, ())
    elif not entity.xref:
        message = entity.type.plural == "messages"
        attributes = registry.resolved(entity.xid).attributes if message else entity.definition
        models = siblings(file_attributes(entity.type), attributes)
        for path, value in _values(entity):
            yield from _misspellings_in(models, value, path, entity.type.resourceattributes)


def _values(entity: Resource) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
    """Yield what a resource states, with its place: a document may state it of each version."""
    yield (), entity.definition
    versions = entity.definition.get("versions")
    for name, value in versions.items() if isinstance(versions, MAPPINGS) else ():
        if isinstance(value, MAPPINGS):
            yield ("versions", name), value


def _misspellings_in(models: Models, value: Any, path: KeyPath, others: Models = NOTHING) -> Iterator[_Misspelling]:
    """Yield each such name inside a value; the known one is perhaps among the others."""
    for name, item in value.items():
        model = models.get(name)
        if model is None and _WILDCARD in models and name not in others:
            suggestion = next(
                (choice for choice in (*models, *others) if choice not in value and is_near(name, choice)), ""
            )
            if suggestion:
                yield _Misspelling((*path, name), item, suggestion, models.get(suggestion) or others[suggestion])
        elif model is not None and _is_open(model):
            if model.item is None:
                yield from _misspellings_inside(model, item, (*path, name))
            else:
                for index, entry in enumerate(item if isinstance(item, list | tuple) else ()):
                    yield from _misspellings_inside(model.item, entry, (*path, name, index))


def _duplicates(model: AttributeModel, value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Yield the path of each member of a value that another one states too, and the other's name."""
    if model.item is not None:
        for index, each in enumerate(value if isinstance(value, list | tuple) else ()):
            yield from _duplicates(model.item, each, (*path, index))
    for name, item in value.items() if isinstance(value, MAPPINGS) else ():
        if name == model.unwrap and isinstance(item, MAPPINGS):
            yield from (((*path, name, inner), inner) for inner in item if inner in value)
        elif (other := _document_name(name, model.attributes)) and value.get(other, item) != item:
            yield (*path, name), other
        elif name in model.attributes:
            yield from _duplicates(model.attributes[name], item, (*path, name))


def _document_name(name: str, models: Models) -> str:
    """Return the known name that a document has instead, empty where there is none."""
    if name in models:
        return _FORMER[name] if _FORMER.get(name) in models else ""
    return next((each for each in models if fold_name(each) == fold_name(name)), "")


@lru_cache(maxsize=4096)
def _is_open(model: AttributeModel) -> bool:
    """Return whether any name is allowed somewhere inside an attribute, other than as the members of a property."""
    if model.property:
        return False
    if model.item is not None:
        return model.type == "array" and _is_open(model.item)
    clauses = (clause for item in model.attributes.values() for clause in item.ifvalues.values())
    inner = (item for members in (model.attributes, *clauses) for item in members.values())
    return _WILDCARD in model.attributes or any(_is_open(item) for item in inner)


def _misspellings_inside(model: AttributeModel, value: Any, path: KeyPath) -> Iterator[_Misspelling]:
    if isinstance(value, MAPPINGS):
        yield from _misspellings_in(siblings(model.attributes, value), value, path)
