"""The shapes of payloads, headers and attributes, and the JSON Schemas that describe them.

A schema says what is so in every sample: types, fields, which of them are always there, formats, lists of words and
natural bounds. It never says other values, nor names of fields that look like values, as in an object with an entry for
each customer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from xregit.document.learner.kinds import is_field, is_plural, is_term, names_person
from xregit.messages.decoder import TIME

DRAFT = "https://json-schema.org/draft/2020-12/schema"
MAX_NAMES = 200  # of an object; where there are more, they are values
MAX_DEPTH = 32
# What keeps other values out is said from so many samples on; a list has so many words, each seen so often.
ENOUGH, MAX_TERMS, REPEATED = 50, 12, 10
# An object is a map if it has as many names, each in less than half of the samples.
_MAP_NAMES = 3
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_UNKNOWN = ""  # the type of what is too deep or too wide
_FORMATS = {
    "date-time": re.compile(TIME, re.ASCII),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "date": re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"),
    "email": re.compile(r"[^\s@\"<>]{1,64}@[a-zA-Z0-9-]{1,63}(\.[a-zA-Z0-9-]{1,63})+"),
    "uri": re.compile(r"[a-z][a-z0-9+.-]{1,19}://[^\s\"<>\\^`{|}]+"),
    "ipv4": re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(?:\.(?!$)|$)){4}"),
}
# Quantities whose bounds follow from what they are, by the end of a field's name: parts of a circle or of a whole, and
# what is counted or measured from nothing on. A temperature, a balance or a difference may always fall below zero.
_BOUNDS = (
    (re.compile(r"(?i)(.*_)?lat(itude)?|.*(?-i:Lat|Latitude)"), -90, 90),
    (re.compile(r"(?i)(.*_)?(lon|lng|longitude)|.*(?-i:Lon|Lng|Longitude)"), -180, 180),
    (re.compile(r"(?i).*(percent|percentage|pct|humidity|soc)"), 0, 100),
    (re.compile(r"(?i).*(heading|bearing|azimuth)"), 0, 360),
    (
        re.compile(
            r"(?i)(.*[_-])?(count|quantity|qty|size|length|duration|distance|age|bytes|attempts?|retries)"
            r"|.*(?-i:Count|Quantity|Qty|Size|Length|Duration|Distance|Age|Bytes|Attempts?|Retries)"
        ),
        0,
        None,
    ),
)
Bounds = tuple[int | None, int | None]


class Observation(NamedTuple):
    """What samples say of a definition.

    ``confidence`` is the chance that the next message agrees, 0 to 1, by Laplace's rule: (n + 1) / (n + 2) after n
    samples that all do, and 1 for what one sample shows. It is None for a guess that samples can't confirm, such as a
    name.
    """

    text: str
    samples: int
    confidence: float | None


def agreed(text: str, samples: int) -> Observation:
    """Return what all of so many samples agree on."""
    return Observation(text, samples, (samples + 1) / (samples + 2))


def presence(names: Sequence[str], carriers: str, samples: int) -> Observation:
    """Return that some names are in all of so many payloads, events or headers."""
    quoted = ", ".join(f'"{name}"' for name in names)
    return agreed(f"{quoted} {'is' if len(names) == 1 else 'are'} in all {carriers}", samples)


class Shape:
    """What all values of one place have in common: how many there are of each type, and what these look like.

    A word seen less often than REPEATED times may be about somebody. The state keeps no words of a field that has such.
    """

    __slots__ = (
        "earlier", "fields", "formats", "high", "is_map", "items", "low", "name", "natural", "terms", "types", "values",
    )  # fmt: skip

    def __init__(self, name: str = "", state: Mapping[str, Any] | None = None) -> None:
        """Begin without values, or with those of a state; ``name`` is that of the field that they stand in."""
        state = state or {}
        self.name = name
        self.types: Counter[str] = Counter(state.get("types"))
        self.formats: set[str] | None = set(state.get("formats", ())) if self.types["string"] else None
        terms = state.get("terms") if self.types["string"] else {}
        self.terms: dict[str, int] | None = None if names_person(name) or terms is None else dict(terms)
        self.natural: Bounds | None = None if state.get("unbounded") else natural_bounds(name)
        self.low, self.high = float("inf"), float("-inf")  # of this run alone, as they may be about somebody
        self.earlier = self.numbers
        self.fields = {field: Shape(field, item) for field, item in state.get("fields", {}).items()}
        self.items = Shape(name, state["items"]) if "items" in state else None
        self.is_map = is_plural(name) and names_person(name)  # whatever the names of its objects look like
        self.values = _map_values(state["values"]) if "values" in state else None

    def state(self) -> dict[str, Any]:
        """Return what the next run has to know."""
        if _UNKNOWN in self.types:
            return {"types": {_UNKNOWN: self.count}}
        fields, values = self._told()
        state: dict[str, Any] = {
            "types": dict(self.types),
            "formats": sorted(self.formats or ()),
            "fields": {name: field.state() for name, field in fields.items()},
        }
        state = {name: item for name, item in state.items() if item}
        if self.terms and min(self.terms.values()) >= REPEATED:
            state["terms"] = dict(sorted(self.terms.items()))
        if self.numbers and self.natural is None and natural_bounds(self.name):
            state["unbounded"] = True
        if self.items is not None:
            state["items"] = self.items.state()
        return state | ({"values": values.state()} if values is not None else {})

    @property
    def count(self) -> int:
        """The number of values."""
        return self.types.total()

    @property
    def numbers(self) -> int:
        """How many of the values are numbers."""
        return self.types["integer"] + self.types["number"]

    def add(self, value: Any, depth: int = 0) -> None:
        """Add a value as JSON has it; what is deeper than anybody reads stays open."""
        if depth > MAX_DEPTH:
            self.types[_UNKNOWN] += 1
        elif isinstance(value, dict):
            self._add_object(value, depth)
        elif isinstance(value, list):
            self.types["array"] += 1
            if self.items is None:
                self.items = Shape(self.name)
            for item in value:
                self.items.add(item, depth + 1)
        else:
            self.types[_TYPES[type(value)]] += 1
            if isinstance(value, str):
                self._add_string(value)
            elif value is not None and value is not True and value is not False:
                self.low, self.high = min(self.low, value), max(self.high, value)
                if self.natural is not None and not _within(value, self.natural):
                    self.natural = None

    def _add_string(self, value: str) -> None:
        if self.formats is None:
            self.formats = {name for name, pattern in _FORMATS.items() if pattern.fullmatch(value)}
        elif self.formats:
            self.formats = {name for name in self.formats if _FORMATS[name].fullmatch(value)}
        if self.terms is None:
            return
        if value in self.terms:
            self.terms[value] += 1
        elif len(self.terms) < MAX_TERMS and is_term(value, self.name):
            self.terms[value] = 1
        else:
            self.terms = None

    def _add_object(self, value: dict[str, Any], depth: int) -> None:
        self.types["object"] += 1
        for name, item in value.items():
            field = self.fields.get(name)
            if field is None and (self.is_map or not is_field(name)):
                field = self.values = self.values or _map_values()
            elif field is None:
                field = self.fields[name] = Shape(name)
            field.add(item, depth + 1)
        if len(self.fields) > MAX_NAMES:
            self.is_map, self.fields = True, {}
            self.types[_UNKNOWN] += 1  # what the fields were is not known any more

    def merge(self, other: Shape) -> None:
        """Add the values of another shape."""
        self.types += other.types
        self.earlier += other.earlier
        if other.formats is not None:
            self.formats = other.formats if self.formats is None else self.formats & other.formats
        if self.terms is None or other.terms is None or len(self.terms | other.terms) > MAX_TERMS:
            self.terms = None
        else:
            self.terms = dict(Counter(self.terms) + Counter(other.terms))
        if other.numbers and other.natural is None:
            self.natural = None
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        for name, theirs in (("items", other.items), ("values", other.values)):
            if theirs is not None:
                ours = getattr(self, name) or (_map_values() if name == "values" else Shape(self.name))
                ours.merge(theirs)
                setattr(self, name, ours)
        for name, field in other.fields.items():
            self.fields.setdefault(name, Shape(name)).merge(field)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema that all values fit."""
        types = self.types.keys() - ({"integer"} if "number" in self.types else ())
        if not types or _UNKNOWN in types:
            return {}
        schema: dict[str, Any] = {"type": min(types) if len(types) == 1 else sorted(types)}
        if self.formats:
            schema["format"] = min(self.formats)
        if terms := self.enumeration:
            schema["enum"] = [*terms, *([None] if "null" in types else [])]
        bounds = zip(("minimum", "maximum"), self.bounds, strict=True)
        schema |= {name: bound for name, bound in bounds if bound is not None}
        if self.items is not None and (items := self.items.schema()):
            schema["items"] = items
        if self.types["object"]:
            schema |= self._object_schema()
        return schema

    @property
    def enumeration(self) -> list[str]:
        """The words that all texts are, none where they are not told."""
        terms = self.terms or {}
        if not self.types.keys() <= {"string", "null"} or self.types["string"] < ENOUGH or len(terms) < 2:  # noqa: PLR2004
            return []
        return sorted(terms) if min(terms.values()) >= REPEATED else []

    @property
    def constant(self) -> str:
        """The word that all values are, if any."""
        terms = self.terms or {}
        same = self.types.keys() == {"string"} and self.count >= ENOUGH and len(terms) == 1
        return min(terms) if same else ""

    @property
    def bounds(self) -> Bounds:
        """The least and the greatest number, where such bounds are natural and all numbers keep to them."""
        return self.natural if self.natural is not None and self.numbers >= ENOUGH else (None, None)

    def _object_schema(self) -> dict[str, Any]:
        """Return the keywords about an object's fields."""
        fields, values = self._told()
        required = [name for name, field in fields.items() if field.count == self.types["object"]]
        schema: dict[str, Any] = {
            "properties": {name: field.schema() for name, field in fields.items()},
            "additionalProperties": values.schema() if values is not None else {},
            "required": required,
        }
        return {name: value for name, value in schema.items() if value}

    @property
    def told(self) -> Collection[str]:
        """The names of an object's fields, but for those that look like values."""
        return self._told()[0]

    def _told(self) -> tuple[dict[str, Shape], Shape | None]:
        """Return the fields whose names are told, and what the others hold, if there are any."""
        count = self.types["object"]
        fields = self.fields
        if self.values is not None:  # where some names are values, others are fields only if all objects have them
            fields = {name: field for name, field in fields.items() if field.count == count >= REPEATED}
        elif len(fields) >= _MAP_NAMES and all(field.count * 2 < count for field in fields.values()):
            fields = {}
        if self.values is None and len(fields) == len(self.fields):
            return fields, None
        values = _map_values()
        for name, field in self.fields.items():
            if name not in fields:
                values.merge(field)
        values.merge(self.values or _map_values())
        return fields, values

    def findings(self, path: str = "") -> Iterator[Observation]:
        """Yield what is told of an object's fields, and of those within them; ``path`` is the object's."""
        (fields, values), count = self._told(), self.types["object"]
        if values is not None:
            place = f'"{path.removesuffix(".")}"' if path else "the payload"
            yield Observation(f"{place} has {'other ' if fields else ''}names that look like values", count, None)
        if always := [f"{path}{name}" for name, field in fields.items() if field.count == count]:
            yield presence(always, "payloads", count)
        for name, field in fields.items():
            full = f"{path}{name}"
            if field.count < count:
                text = f'field "{full}" is optional: it is in {field.count:,} of {count:,} samples'
                yield Observation(text, count, 1.0)
            yield from field.value_findings(full)
            yield from field.findings(f"{full}.")
            if field.items is not None:
                yield from field.items.value_findings(f"{full}[]")
                yield from field.items.findings(f"{full}[].")

    def value_findings(self, path: str) -> Iterator[Observation]:
        """Yield what is told of the values themselves."""
        strings, terms = self.types["string"], self.terms or {}
        if self.types["null"]:
            text = f'"{path}" is null in {self.types["null"]:,} of {self.count:,} samples'
            yield Observation(text, self.count, 1.0)
        if self.formats:
            yield agreed(f'"{path}" has the format {min(self.formats)}', strings)
        if words := self.enumeration:
            yield agreed(f'"{path}" is one of {", ".join(words)}', strings)
        elif len(terms) == 1 and strings:
            yield Observation(f'"{path}" is the same word in all samples; the schema takes any text', strings, None)
        if (numbers := self.numbers - self.earlier) > 1:
            pairs = zip(("at least", "at most"), self.bounds, strict=True)
            bounds = [f"{name} {bound}" for name, bound in pairs if bound is not None]
            says = f"; the schema says {' and '.join(bounds)}" if bounds else ""
            text = f'"{path}" is from {_number(self.low)} to {_number(self.high)}{says}'
            yield Observation(text, numbers, (numbers - 1) / (numbers + 1))


def natural_bounds(name: str) -> Bounds | None:
    """Return the bounds that follow from what a number is, None where it may be any."""
    return next(((low, high) for pattern, low, high in _BOUNDS if pattern.fullmatch(name)), None)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _within(value: float, bounds: Bounds) -> bool:
    low, high = bounds
    return (low is None or low <= value) and (high is None or value <= high)


def _map_values(state: Mapping[str, Any] | None = None) -> Shape:
    """Return the shape of the values of a map, whose words may be names."""
    shape = Shape("", state)
    shape.terms = None
    return shape
