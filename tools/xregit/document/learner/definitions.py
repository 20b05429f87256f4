"""Definitions in the making: what the samples of one kind have in common, and the message that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from xregit.document.learner.kinds import (
    FIELD,
    HEADER,
    NOTHING,
    ONLY,
    VARIABLE,
    Levels,
    PathTree,
    Variant,
    is_public,
    is_word,
    placeholder,
)
from xregit.document.learner.samples import Sample, fields_by_value
from xregit.document.learner.shapes import DRAFT, Observation, Shape, agreed, presence
from xregit.protocols.json import json_value

ENOUGH = 10  # samples, to say what a path looks like
MAX_LEVELS = 32  # the rest is one more
PLACE, EVENT_PATHS = "topic", ("source", "subject")
EVENT = "CloudEvents/1.0"
_ALWAYS = frozenset({"specversion", "id", "source", "type", "data", "data_base64", "datacontenttype"})
# An address of the schema would have to be that of the catalog.
_NEVER_CONSTANT = frozenset({"time", "dataschema"})
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+_-]+")
_AUTHORITY = re.compile(r"[a-z][a-z+.-]*://[^/]*")
_TEMPLATE = re.compile(r"\{([^}]*)\}")
# Of a URI template, a value would be read in another form.
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9/:._~-]")
_NATIVE_TYPES = {"integer", "boolean"}


class Place(NamedTuple):
    """Where a protocol says what a message is about: the option, what stands between its levels, and its headers."""

    option: str
    separator: str
    headers: str


PLACES = {
    "MQTT/5.0": Place("topic_name", "/", "user_properties"),
    "MQTT/3.1.1": Place("topic_name", "/", ""),
    "NATS": Place("subject", ".", "headers"),
    "KAFKA": Place("topic", "", "headers"),
    "HTTP": Place("path", "/", "headers"),
}
METHOD = "method"
# What clients, servers and proxies add of themselves, and no author writes down.
_USUAL_HEADERS = re.compile(
    r"(?i)content-(type|length|encoding)|accept(-.*)?|host|user-agent|date|server|connection|transfer-encoding|via"
    r"|x-forwarded-.*|x-real-ip|cache-control|authorization|cookie|traceparent|tracestate"
)


class Key(NamedTuple):
    """What tells definitions apart: the type of an event, or the levels of a topic or subject with a kind."""

    protocol: str
    levels: Levels
    variant: Variant = ONLY

    @classmethod
    def load(cls, state: Sequence[Any]) -> Key:
        """Return the key that a state has."""
        protocol, levels, variant = state
        return cls(protocol, tuple(levels), Variant(*variant))


def path_of(sample: Sample) -> Key | None:
    """Return the topic, subject or path of a message, which comes after its method, level by level."""
    message = sample.message
    place = PLACES.get(message.protocol)
    values = message.fields.get(place.option) if place else None
    if place is None or not values:
        return None
    levels = split(str(values[0]), place.separator)
    method = (str(next(iter(message.fields.get(METHOD, ())), "")),) if message.protocol == "HTTP" else ()
    return Key(message.protocol, (*method, *levels))


def split(text: str, separator: str) -> Levels:
    """Return the levels of a topic, or of a template that was learnt; the authority of a URI is one level."""
    if not separator:
        return (text,)
    head = _AUTHORITY.match(text)
    start = head.end() if head and separator == "/" else 0
    levels = text[start:].split(separator, MAX_LEVELS)
    if start:
        levels = [text[:start], *levels[1:]]
    return tuple(VARIABLE if _TEMPLATE.fullmatch(level) else level for level in levels)


@dataclass
class DefinitionDraft:
    """What the samples of one kind have in common; so many of them were learnt ``earlier``.

    ``properties`` are attributes or headers, ``paths`` the values of source, subject and an event's topic, None where
    nothing can be said of them, ``record_keys`` the fields that the key repeats, ``objects`` keys in JSON, ``names``
    the placeholders, and whether the payload's field of that name gave it.
    """

    key: Key
    before: Sequence[Mapping[str, Any]] = ()
    count: int = 0
    earlier: int = 0
    protocols: set[str] = field(default_factory=set)
    contenttypes: set[str] = field(default_factory=set)
    properties: dict[str, Shape] = field(default_factory=dict)
    record_keys: frozenset[str] | None = None
    objects: Shape = field(default_factory=Shape)
    paths: dict[str, PathTree | None] = field(default_factory=dict)
    payload: Shape | None = field(default_factory=Shape)
    names: dict[str, bool] = field(default_factory=dict)
    findings: list[Observation] = field(default_factory=list)

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> DefinitionDraft:
        """Return the definition that a state has."""
        return cls(
            Key.load(state["key"]),
            count=state["count"],
            earlier=state["count"],
            protocols=set(state["protocols"]),
            contenttypes=set(state["contenttypes"]),
            properties={name: Shape(name, item) for name, item in state["properties"].items()},
            record_keys=frozenset(state["record_keys"]),
            paths={name: None if item is None else PathTree(state=item) for name, item in state["paths"].items()},
            payload=None if state["payload"] is None else Shape("", state["payload"]),
        )

    def state(self) -> dict[str, Any]:
        """Return what the next run has to know; of paths that are not told it has no words."""
        stated = {name: tree for name, tree in self.paths.items() if tree is not None and self._stated(name)}
        return {
            "key": self.key,
            "count": self.count,
            "protocols": sorted(self.protocols),
            "contenttypes": sorted(name if _is_media_type(name) else "" for name in self.contenttypes),
            "properties": {name: self.properties[name].state() for name in sorted(self.properties)},
            "record_keys": sorted(self.record_keys or ()),
            "paths": {name: stated[name].state() if name in stated else None for name in sorted(self.paths)},
            "payload": None if self.payload is None else self.payload.state(),
        }

    def merge(self, other: DefinitionDraft) -> None:
        """Add the samples of another definition."""
        self.count += other.count
        self.earlier += other.earlier
        self.protocols |= other.protocols
        self.contenttypes |= other.contenttypes
        for name, shape in other.properties.items():
            self.properties.setdefault(name, Shape(name)).merge(shape)
        keys = other.record_keys or frozenset()
        self.record_keys = keys if self.record_keys is None else self.record_keys & keys
        for name, tree in other.paths.items():
            own = self.paths.setdefault(name, PathTree())
            if own is not None and tree is not None:
                own.merge(tree)
            else:
                self.paths[name] = None
        if self.payload is not None and other.payload is not None:
            self.payload.merge(other.payload)
        else:
            self.payload = None

    def add(self, sample: Sample) -> None:
        """Add a message of this kind."""
        self.count += 1
        message, payload = sample.message, sample.payload
        contenttype = message.contenttype.partition(";")[0].strip().lower()
        for values, value in ((self.contenttypes, contenttype), (self.protocols, message.protocol)):
            if len(values) <= 1:
                values.add(value)
        fields = fields_by_value(payload)
        key = next(iter(message.fields.get("key", ())), None)
        equal = fields.get(str(key), frozenset())
        self.record_keys = equal if self.record_keys is None else self.record_keys & equal
        if isinstance(key, str) and key.startswith("{"):
            self._add_object(key)
        if self.key.protocol:
            self._add_headers(message.fields)
        else:
            self._add_attributes(message.event or {}, fields)
            path = path_of(sample)
            several = path is None or path.protocol == "HTTP" or len(self.protocols) > 1  # a path is the endpoint's
            self._add_path(PLACE, None if several or path is None else path.levels, fields)
        if payload is NOTHING:
            self.payload = None
        elif self.payload is not None:
            self.payload.add(payload)

    def _add_object(self, key: str) -> None:
        try:
            self.objects.add(json_value(key.encode()))
        except ValueError:
            return

    def _add_attributes(self, event: Mapping[str, Any], fields: Mapping[str, frozenset[str]]) -> None:
        for name, value in event.items():
            if name not in _ALWAYS and is_word(name):
                self._add_property(name, value)
            if name in EVENT_PATHS:
                self._add_path(name, None if _NOT_PLAIN.search(value) else split(value, "/"), fields)

    def _add_path(self, name: str, levels: Levels | None, fields: Mapping[str, frozenset[str]]) -> None:
        tree = self.paths.setdefault(name, PathTree())
        if levels is None or tree is None:
            self.paths[name] = None
        else:
            tree.add(levels, fields)

    def _add_property(self, name: str, value: Any) -> None:
        if name not in self.properties:
            self.properties[name] = Shape(name)
        self.properties[name].add(value)

    def _add_headers(self, fields: Mapping[str, Sequence[Any]]) -> None:
        headers = PLACES[self.key.protocol].headers
        for path, values in fields.items():
            option, _, name = path.partition("/")
            if (
                option == headers
                and len(values) == 1
                and is_public(name)
                and name
                and not _USUAL_HEADERS.fullmatch(name)
            ):
                self._add_property(name, values[0] if isinstance(values[0], str) else None)

    def message(self, tree: PathTree | None) -> dict[str, Any]:
        """Return the message that says what all samples have in common; ``tree`` has the topics of its protocol."""
        value: dict[str, Any] = {}
        if self.key.protocol:
            value |= {"protocol": self.key.protocol, "protocoloptions": self._options(tree or PathTree())}
        else:
            value |= {"envelope": EVENT, "envelopemetadata": self._metadata(), **self._carrier()}
        contenttype = min(self.contenttypes, default="")
        if len(self.contenttypes) == 1 and _is_media_type(contenttype):
            value["datacontenttype"] = contenttype
        return value

    def schema(self) -> dict[str, Any] | None:
        """Return the schema of the payload; None where not all samples have one in JSON, or nothing can be said."""
        schema = self.payload.schema() if self.payload is not None else {}
        if not schema or self.payload is None:
            why = "not every sample has a JSON payload" if self.payload is None else "the payloads have too many fields"
            self._note(f"there is no schema, as {why}")
            return None
        variant = self.key.variant
        if variant.place == FIELD:
            schema.setdefault("properties", {})[variant.name] = {"type": "string", "const": variant.value}
            schema["required"] = list(dict.fromkeys([*schema.get("required", ()), variant.name]))
            self._agreed(f'"{variant.name}" is "{variant.value}", which tells it from others on its topic')
            if variant.name in self.payload.fields:
                self.payload.fields[variant.name].terms = None
        self.findings += self.payload.findings()
        return {"$schema": DRAFT, **schema}

    def _note(self, text: str, confidence: float | None = None) -> None:
        self.findings.append(Observation(text, self.count, confidence))

    def _agreed(self, text: str) -> None:
        self.findings.append(agreed(text, self.count))

    def _metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {"type": {"value": self.key.levels[0]}}
        if source := self._template("source", "/"):
            metadata["source"] = source
        return metadata | self._described_properties("attribute", "events")

    def _described_properties(self, noun: str, carriers: str) -> dict[str, dict[str, Any]]:
        """Return what is said of each attribute or header, which ``noun`` is, of the ``carriers`` that have them."""
        properties: dict[str, dict[str, Any]] = {}
        always: list[str] = []
        for name in sorted(self.properties):
            shape, definition = self.properties[name], {}
            required = shape.count == self.count
            if required:  # a property with a value has to be there
                definition = self._template(name, "/") if name in self.paths else self._constant(name)
                always += [] if definition else [name]
            else:
                self._note(f'{noun} "{name}" is optional: it is in {shape.count:,} of {self.count:,} samples', 1.0)
            if len(shape.types) == 1 and (native := min(shape.types)) in _NATIVE_TYPES:
                definition["type"] = native
            properties[name] = definition | {"required": required}
        if always:
            self.findings.append(presence(always, carriers, self.count))
        return properties

    def _constant(self, name: str) -> dict[str, Any]:
        """Return the value of an attribute or header, where all samples have the same word."""
        variant = self.key.variant
        if variant.place == HEADER and variant.name == name:
            self._agreed(f'"{name}" is "{variant.value}", which tells it from others on its topic')
            return {"value": variant.value}
        value = self.properties[name].constant
        if not value or name in _NEVER_CONSTANT:
            return {}
        self._agreed(f'"{name}" is "{value}" in all samples')
        return {"value": value}

    def _stated(self, name: str) -> Levels | None:
        """Return what all values of a path look like, None where nothing is to be said of it."""
        tree = self.paths.get(name)
        if tree is None:
            return None
        tree.settle()
        paths = list(tree.all_levels())
        if len(paths) != 1:
            return None
        names = tree.names(paths[0])
        if not names and name == "subject":
            return None  # one thing only is known, and it is likely that there are others
        return paths[0] if all(known for _, known in names) or len(paths[0]) > 1 else None

    def _template(self, name: str, separator: str) -> dict[str, Any]:
        """Return the value of a path, from so many samples on that what stays is told from what varies."""
        levels, tree = self._stated(name), self.paths.get(name)
        if tree is None or self.count < ENOUGH:
            return {}
        if levels is None:
            if (forms := len(list(tree.all_levels()))) > 1:
                self._note(f'"{name}" has {forms} forms; nothing is said of it')
            return {}
        text = self._text(levels, tree.names(levels), separator, self._earlier_texts(name))
        if VARIABLE in levels:
            return {"type": "uritemplate", "value": text}
        self._agreed(f'"{name}" is {text} in all samples')
        return {"value": text}

    def _carrier(self) -> dict[str, Any]:
        """Return the protocol and the topic or subject of events that all come over one."""
        place = PLACES.get(min(self.protocols, default="")) if len(self.protocols) == 1 else None
        if place is None:
            return {}
        topic = self._template(PLACE, place.separator)
        if not topic:
            return {}
        return {
            "protocol": min(self.protocols),
            "protocoloptions": {place.option: topic["value"], **self._record_key()},
        }

    def _earlier_texts(self, name: str) -> Iterator[str]:
        """Yield what was said before of an attribute, a topic or a subject."""
        for message in self.before:
            options = message.get("protocoloptions", {})
            option = next((item.option for item in PLACES.values() if item.option in options), "")
            yield (
                options.get(option, "") if name == PLACE else message["envelopemetadata"].get(name, {}).get("value", "")
            )

    def _record_key(self) -> dict[str, str]:
        if self.objects.count and self.objects.count == self.count - self.earlier:
            names = ", ".join(f'"{name}"' for name in self.objects.told)
            self._note(f"the key is a JSON object{f' with {names}' if names else ''}, which a definition can't state")
        name = min(self.record_keys or {""})
        if not re.fullmatch(r"[A-Za-z0-9]+", name) or not self.names.setdefault(placeholder(name), True):
            return {}
        self._agreed(f'the key is field "{name}"')
        return {"key": f"{{{placeholder(name)}}}"}

    def _options(self, tree: PathTree) -> dict[str, Any]:
        place, levels = PLACES[self.key.protocol], self.key.levels
        options: dict[str, Any] = {}
        names = tree.names(levels)
        if self.key.protocol == "HTTP":
            options, levels = ({METHOD: levels[0]} if levels[0] else {}), levels[1:]
        options[place.option] = self._text(levels, names, place.separator, self._earlier_texts(PLACE))
        options |= self._record_key()
        headers = self._described_properties("header", "headers")
        if headers and self.key.protocol == "KAFKA":
            options[place.headers] = headers
        elif headers:
            options[place.headers] = [{"name": name, **header} for name, header in headers.items()]
        return options

    def _text(self, levels: Levels, names: Sequence[tuple[str, bool]], separator: str, earlier: Iterator[str]) -> str:
        """Return a path with placeholders, which keep the names that they had ``earlier``."""
        old = _TEMPLATE.findall(next((text for text in earlier if split(text, separator) == levels), ""))
        fields = set(map(placeholder, self.payload.fields)) if self.payload is not None else set()
        used: list[str] = []
        for (name, known), before in zip(names, old or [""] * len(names), strict=True):
            own = known and name in fields and before in {"", name}
            text, number = before or name, 1
            # Two placeholders of one name stand for one value, which is sure of those of the payload's fields alone.
            while not before and text in self.names and (text in used or not (own and self.names[text])):
                number += 1
                text = f"{name}{number}"
            used.append(text)
            self.names[text] = own
            if own:
                self._agreed(f"{{{text}}} is the payload's field of that name")
            elif known:
                self._note(f"{{{text}}} has its name from a field of other payloads")
            else:
                self._note(f"{{{text}}} has its name from the word before it")
        rest = iter(used)
        return separator.join(level if level is not VARIABLE else f"{{{next(rest)}}}" for level in levels)


def _is_media_type(text: str) -> bool:
    return _MEDIA_TYPE.fullmatch(text) is not None and is_public(text.replace("+", "."))
