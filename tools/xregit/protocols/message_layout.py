"""The fields of each protocol's messages, as the model files declare them, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from xregit.model import builtin, canonical, names, siblings
from xregit.model.datatypes import SYNTAXES, expected_property
from xregit.model.excerpts import either, quote
from xregit.model.language import NOTHING, AttributeModel
from xregit.model.protocols import facts
from xregit.model.similarity import suggest_similar
from xregit.protocols.canonical_text import from_text, to_text
from xregit.protocols.cloudevents import from_base64
from xregit.protocols.json import has_surrogates

ONE, PAIRS, MAP = "one", "pairs", "map"
#: The types whose values are not any text.
TYPED = frozenset({"boolean", "integer", "timestamp"})
_KINDS = {"array": PAIRS, "map": MAP, "object": MAP}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message: a single value, a list of names with texts, or a map.

    ``model`` is what the model says of it. ``folded`` says that names in it compare without regard to case,
    ``repeated`` that they may have several texts. ``twin`` names the field that has the same bytes as text.
    """

    name: str
    kind: str
    model: AttributeModel
    folded: bool = False
    repeated: bool = False
    twin: str = ""
    namesyntax: str = ""


@dataclass(frozen=True, slots=True)
class MessageLayout:
    """The fields of one protocol's messages by their names.

    ``twins`` has the fields for bytes with those that hold the same as text, ``aliases`` other names of fields,
    ``forbidden`` finds what no text of the message may hold.
    """

    protocol: str
    fields: Mapping[str, Field]
    twins: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    forbidden: re.Pattern[str] | None = None


def message_layout(protocol: str) -> MessageLayout | None:
    """Return what messages of a protocol look like, None for one that the specification doesn't know."""
    return _layout(protocol) if protocol in names("protocol") else None


@cache
def _layout(protocol: str) -> MessageLayout:
    wire_facts: Mapping[str, Any] = facts("wire").get(protocol, NOTHING)
    message = builtin().groups["messagegroups"].resources["messages"]
    options = siblings(message.attributes, {"protocol": protocol})["protocoloptions"].attributes
    forbidden = wire_facts.get("forbidden")
    return MessageLayout(
        protocol=protocol,
        fields=MappingProxyType({name: _field(name, model, wire_facts) for name, model in options.items()}),
        twins=MappingProxyType(wire_facts.get("twins", {})),
        aliases=MappingProxyType(wire_facts.get("aliases", {})),
        forbidden=re.compile(forbidden) if forbidden else None,
    )


def protocol_name(protocol: str) -> str:
    """Return a protocol's name as we write it."""
    return canonical("protocol", protocol)


def key_of(protocol: str, section: str, name: str) -> str:
    """Return the key that ``flatten`` gives a part of a section, such as ``headers/content-type``."""
    layout = message_layout(protocol)
    folded = layout is not None and section in layout.fields and layout.fields[section].folded
    return f"{section}/{name.lower() if folded else name}"


def _field(name: str, model: AttributeModel, wire_facts: Mapping[str, Any]) -> Field:
    name_model = model.item.attributes.get("name") if model.item is not None else None
    return Field(
        name=name,
        kind=_KINDS.get(model.type, ONE),
        model=model,
        folded=name in wire_facts.get("fold", ()),
        repeated=name in wire_facts.get("repeated", ()),
        twin=wire_facts.get("twins", {}).get(name, ""),
        namesyntax=name_model.syntax if name_model else "",
    )


BASE64 = "base64"
MAX_DEPTH = 50
_PAIR_KEYS = frozenset({"name", "value"})
_BYTES = frozenset({BASE64})


def unknown_field(key: object, owner: str, names: Iterable[str]) -> str:
    """Return the sentence that ``owner`` has no such key, with the keys that it may have."""
    hint = suggest_similar(str(key), names) or f"It may have {either(names)}."
    return f"{owner} has no {quote(str(key))}. {hint}"


@dataclass(frozen=True, slots=True)
class FieldReader:
    """A message being read: the characters that its texts can't have, and what is wrong so far.

    Each method returns a value as a `Wire` has it, and notes what is wrong with it under its name.
    """

    forbidden: re.Pattern[str] | None
    problems: list[str]

    def undeclared(self, name: str, value: Any) -> Any:
        """Read the value of a field of a protocol that nothing is known of."""
        if (
            isinstance(value, list)
            and value
            and all(isinstance(item, Mapping) and item.keys() == _PAIR_KEYS for item in value)
        ):
            return tuple((str(item["name"]), self.anything(name, item["value"])) for item in value)
        return self.anything(name, value)

    def field(self, field: Field, value: Any) -> Any:
        """Read the value of a field that the protocol has."""
        if field.twin:
            return value if isinstance(value, bytes) else self._bytes(field.name, value)
        if field.kind == ONE:
            return self.single(field.model, field.name, value)
        if field.kind == PAIRS:
            return self.pairs(field, value)
        return self.map(field, value)

    def pairs(self, field: Field, value: Any) -> tuple[tuple[str, str], ...]:
        """Read a list of names with texts; a map will do where no name repeats."""
        syntax = SYNTAXES[field.namesyntax or "nonempty"]
        pairs: list[tuple[str, str]] = []
        for name, item in self._items(field.name, value):
            if not name or not syntax.test(name):
                self.problems.append(f'A name in "{field.name}" must be {syntax.about}, but is {quote(name)}.')
            elif item is not None:
                self.text("name", name)
                pairs.append((name, self.text(f"{field.name}/{name}", item)))
        return tuple(pairs)

    def _items(self, label: str, value: Any) -> Iterator[tuple[str, Any]]:
        """Yield the names of a list or map with their values."""
        if isinstance(value, Mapping):
            for name, item in value.items():
                for each in item if isinstance(item, list | tuple) else (item,):
                    yield str(name), each
            return
        if not isinstance(value, list | tuple):
            self.problems.append(f"{quote(label)} must be a list of names with values, but is {quote(value)}.")
            return
        for number, item in enumerate(value, start=1):
            if isinstance(item, Mapping) and item.keys() >= _PAIR_KEYS and isinstance(item["name"], str):
                yield item["name"], item["value"]
            elif isinstance(item, tuple) and len(item) == len(_PAIR_KEYS) and isinstance(item[0], str):
                yield item
            else:
                self.problems.append(f'Item {number} of "{label}" must have "name", a text, and "value".')

    def map(self, field: Field, value: Any) -> dict[str, Any]:
        """Read a map; a list of names with values will do where names are free."""
        result: dict[str, Any] = {}
        free = not field.model.attributes
        if not isinstance(value, Mapping) and not free:
            self.problems.append(f'"{field.name}" must be an object, but is {quote(value)}.')
            return result
        if field.repeated:
            return self._texts_by_name(field, value)
        for name, item in self._entries(field.name, value):
            label = f"{field.name}/{name}"
            if item is None:
                continue
            if free:
                result[name] = self.anything(label, item)
            elif name in field.model.attributes:
                result[name] = self.single(field.model.attributes[name], label, item)
            else:
                self.problems.append(unknown_field(name, f'"{field.name}"', field.model.attributes))
        return result

    def _entries(self, label: str, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Mapping):
            yield from ((str(name), item) for name, item in value.items())
            return
        names: set[str] = set()
        for name, item in self._items(label, value):
            if item is None:
                continue
            if name in names:
                self.problems.append(f"{quote(label)} has {quote(name)} twice.")
            names.add(name)
            yield name, item

    def _texts_by_name(self, field: Field, value: Any) -> dict[str, Any]:
        texts: dict[str, Any] = {}
        for name, item in self._items(field.name, value):
            if item is None:
                continue
            self.text("name", name)
            text = self.text_or_bytes(f"{field.name}/{name}", item)
            if name in texts:
                before = texts[name] if isinstance(texts[name], tuple) else (texts[name],)
                texts[name] = (*before, text)
            else:
                texts[name] = text
        return texts

    def single(self, model: AttributeModel, label: str, value: Any) -> Any:
        """Read a single value of the type that the model gives it."""
        kind = model.property
        if kind in TYPED:
            return self._typed(model, label, value)
        types = model.attributes["type"].enum
        if isinstance(value, int) and not isinstance(value, bool) and "ulong" in types:
            return self._number(label, value)
        return self.text_or_bytes(label, value) if "binary" in types else self.text(label, value)

    def _typed(self, model: AttributeModel, label: str, value: Any) -> Any:
        kind = model.property
        try:
            read = from_text(kind, to_text(kind, value))
        except ValueError as error:
            self.problems.append(f"{quote(label)} {error}, but is {quote(value)}.")
            return None
        expected = expected_property(model, kind, read)
        if expected:
            self.problems.append(f"{quote(label)} must be {expected}, but is {quote(value)}.")
        return read

    def text(self, label: str, value: Any) -> str:
        """Read a text; numbers and truth values are written as one."""
        if not isinstance(value, str):
            try:
                return self.text(label, to_text("string", value))
            except ValueError as error:
                self.problems.append(f"{quote(label)} {error}, but is {quote(value)}.")
                return ""
        if self.forbidden is not None and self.forbidden.search(value):
            self.problems.append(f"{quote(label)} has characters that its protocol can't carry: {quote(value)}.")
        elif not value.isascii() and has_surrogates(value):
            self.problems.append(f"{quote(label)} has a lone surrogate.")
        return value

    def text_or_bytes(self, label: str, value: Any) -> str | bytes:
        """Read a text, or bytes as ``{"base64": …}``."""
        if isinstance(value, bytes):
            return value
        if isinstance(value, Mapping) and value.keys() == _BYTES:
            return self._bytes(label, value[BASE64])
        return self.text(label, value)

    def _bytes(self, label: str, value: Any) -> bytes:
        try:
            return from_base64(value)
        except ValueError as error:
            self.problems.append(f"{quote(label)} {error}.")
            return b""

    def anything(self, label: str, value: Any, depth: int = 0) -> Any:
        """Read any JSON value, with bytes as ``{"base64": …}``."""
        if isinstance(value, str | bytes) or (isinstance(value, Mapping) and value.keys() == _BYTES):
            return self.text_or_bytes(label, value)
        if value is None or isinstance(value, bool | int | float):
            return self._number(label, value)
        if depth < MAX_DEPTH and isinstance(value, Mapping):
            return {str(name): self.anything(label, item, depth + 1) for name, item in value.items()}
        if depth < MAX_DEPTH and isinstance(value, list | tuple):
            return [self.anything(label, item, depth + 1) for item in value]
        self.problems.append(f"{quote(label)} must be a JSON value, nested at most {MAX_DEPTH} times.")
        return None

    def _number(self, label: str, value: Any) -> Any:
        if value is not None:
            try:
                to_text("integer" if type(value) is int else "any", value)
            except ValueError as error:
                self.problems.append(f"{quote(label)} {error}.")
        return value
