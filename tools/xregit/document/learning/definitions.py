"""Definitions in the making: what the samples of one kind have in common, and the message that says so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from xregit.document.learning.paths import VARIABLE, Levels, PathTree
from xregit.document.learning.privacy import is_public, is_word
from xregit.document.learning.samples import NOTHING, Sample, fields_by_value
from xregit.document.learning.shapes import DRAFT, Shape

SURE = 10  # samples
MAX_LEVELS = 32  # the rest is one more
EVENT_PATHS = ("source", "subject")
EVENT = "CloudEvents/1.0"
SCHEMA_FORMAT = "JsonSchema/draft/2020-12"
_ALWAYS = frozenset({"specversion", "id", "source", "type", "data", "data_base64", "datacontenttype"})
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z.+-]+")
_AUTHORITY = re.compile(r"[a-z][a-z+.-]*://[^/]*")
_TEMPLATE = re.compile(r"\{[^}]*\}")
# Of a URI template, a value would be read in another form.
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9/:._~-]")
_NATIVE_TYPES = {int: "integer", bool: "boolean"}


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
}


class Key(NamedTuple):
    """What tells definitions apart: the type of an event, or the levels of a protocol's topic or subject."""

    protocol: str
    levels: Levels


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
class Definition:
    """What the samples of one kind have in common."""

    key: Key
    count: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    types: dict[str, set[type]] = field(default_factory=dict)
    contenttypes: set[str] = field(default_factory=set)
    record_keys: frozenset[str] | None = None
    trees: dict[str, PathTree] = field(default_factory=dict)
    shape: Shape | None = field(default_factory=Shape)
    sure: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    before: Mapping[str, Any] = field(default_factory=dict)

    def add(self, sample: Sample) -> None:
        """Add a message of this kind."""
        self.count += 1
        message, payload = sample.message, sample.payload
        self.contenttypes.add(message.contenttype)
        fields = fields_by_value(payload)
        if self.key.protocol:
            self._add_options(sample, fields)
        else:
            self._add_attributes(message.event or {}, fields)
        if payload is NOTHING:
            self.shape = None
        elif self.shape is not None:
            self.shape.add(payload)

    def _add_attributes(self, event: Mapping[str, Any], fields: Mapping[str, frozenset[str]]) -> None:
        for name, value in event.items():
            if name not in _ALWAYS:
                self.seen[name] += 1
                self.types.setdefault(name, set()).add(type(value))
        for name in EVENT_PATHS:
            if name in event and (name not in self.types or None not in self.types[name]):
                if _NOT_PLAIN.search(event[name]):
                    self.types.setdefault(name, set()).add(type(None))
                else:
                    self.trees.setdefault(name, PathTree()).add(split(event[name], "/"), fields)

    def _add_options(self, sample: Sample, fields: Mapping[str, frozenset[str]]) -> None:
        place = PLACES[self.key.protocol]
        for name, values in sample.message.fields.items():
            option, _, header = name.partition("/")
            if option == place.headers and header and len(values) == 1:
                self.seen[header] += 1
            elif name == "key":
                equal = fields.get(str(values[0]), frozenset())
                self.record_keys = equal if self.record_keys is None else self.record_keys & equal
                self.seen["key/"] += 1

    def message(self, tree: PathTree | None) -> dict[str, Any]:
        """Return the message that says what all samples have in common; ``tree`` has the topics of its protocol."""
        if self.count < SURE:
            self.unsure.append(f"there are fewer than {SURE} samples")
        value: dict[str, Any] = {}
        if not self.key.protocol:
            value |= {"envelope": EVENT, "envelopemetadata": self._metadata()}
        else:
            value |= {"protocol": self.key.protocol, "protocoloptions": self._options(tree or PathTree())}
        contenttype = min(self.contenttypes, default="")
        if len(self.contenttypes) == 1 and _MEDIA_TYPE.fullmatch(contenttype):
            value["datacontenttype"] = contenttype
        return value

    def schema(self) -> dict[str, Any] | None:
        """Return the schema of the payload; None where not all samples have one in JSON, or nothing can be said."""
        schema = self.shape.schema() if self.shape is not None else {}
        if not schema or self.shape is None:
            self.unsure.append("there is no schema, as not all payloads are JSON of one kind")
            return None
        for name, count in self.shape.optional():
            self.unsure.append(f'field "{name}" is optional: it is in {count:,} of {self.count:,} samples')
        return {"$schema": DRAFT, **schema}

    def _metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {"type": {"value": self.key.levels[0]}}
        used: set[str] = set()
        for name in ("source", *sorted(name for name in self.seen if is_word(name))):
            definition: dict[str, Any] = {}
            if name in EVENT_PATHS:
                definition |= self._template(name, used)
            types = self.types.get(name, set())
            if name not in _ALWAYS and len(types) == 1 and (native := _NATIVE_TYPES.get(min(types, key=str))):
                definition["type"] = native
            if name == "source" or self.seen[name] == self.count:
                definition["required"] = True
            else:
                self.unsure.append(f'"{name}" is optional: it is in {self.seen[name]:,} of {self.count:,} samples')
            if definition and (name in EVENT_PATHS or "required" in definition):
                metadata[name] = definition
        return metadata

    def _template(self, name: str, used: set[str]) -> dict[str, Any]:
        """Return the value of an attribute that is a path, where all samples have one."""
        tree = self.trees.get(name)
        if tree is None or type(None) in self.types.get(name, ()):
            return {}
        if self.count < SURE:
            return {}  # too few to tell what stays from what varies
        tree.settle()
        paths = list(tree.all_levels())
        if len(paths) != 1:
            self.unsure.append(f'"{name}" has {len(paths)} forms; nothing is said of it')
            return {}
        names = tree.names(paths[0])
        if not names and name == "subject":
            return {}  # one thing only is known, and it is likely that there are others
        if not all(known for _, known in names) and len(paths[0]) == 1:
            return {}
        text = self._text(paths[0], names, "/", used)
        if not names:
            self.unsure.append(f'"{name}" is {text} in all samples; it may vary')
        return {"type": "uritemplate", "value": text} if names else {"value": text}

    def _options(self, tree: PathTree) -> dict[str, Any]:
        place = PLACES[self.key.protocol]
        used: set[str] = set()
        names = tree.names(self.key.levels)
        options: dict[str, Any] = {place.option: self._text(self.key.levels, names, place.separator, used)}
        if self.record_keys and self.seen["key/"] == self.count:
            name = min(self.record_keys)
            if re.fullmatch(r"[A-Za-z0-9]+", name):
                options["key"] = f"{{{name.lower()}}}"
                (self.sure if self.count >= SURE else self.unsure).append(f'the key is field "{name}"')
        headers = [
            name for name, count in self.seen.items() if count == self.count and name != "key/" and _is_header(name)
        ]
        if headers and self.key.protocol == "KAFKA":
            options[place.headers] = {name: {"required": True} for name in sorted(headers)}
        elif headers:
            options[place.headers] = [{"name": name, "required": True} for name in sorted(headers)]
        return options

    def _text(self, levels: Levels, names: list[tuple[str, bool]], separator: str, used: set[str]) -> str:
        """Return a path with placeholders, each with a name of its own."""
        texts, rest = [], iter(names)
        for level in levels:
            if level is not VARIABLE:
                texts.append(level)
                continue
            name, known = next(rest)
            number = 1
            while f"{name}{number if number > 1 else ''}" in used:
                number += 1
            name = f"{name}{number if number > 1 else ''}"
            used.add(name)
            texts.append(f"{{{name}}}")
            if known and self.count >= SURE:
                self.sure.append(f"{{{name}}} is the payload's field of that name")
            elif known:
                self.unsure.append(f"{{{name}}} may be the payload's field of that name")
            else:
                self.unsure.append(f"{{{name}}} has its name from the word before it")
        return separator.join(texts)


def _is_header(name: str) -> bool:
    return name != "content-type" and is_public(name)
