"""The parser of Avro schema documents: types, faults in names, orders and defaults, and doubts.

Source: Avro specification, "Names", "Aliases", "Complex Types", "Schema Record" and "Decimal".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from xregit.json_pointer import KeyPath
from xregit.model.excerpts import cut, quote
from xregit.model.similarity import most_similar
from xregit.payloads.base import Document, Problem, SchemaError

Fault = tuple[KeyPath, str, str]

PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
_PART = "[A-Za-z_][A-Za-z0-9_]*"
_is_simple_name = re.compile(_PART).fullmatch
_is_full_name = re.compile(rf"{_PART}(?:\.{_PART})*").fullmatch
# With names of Java's inner classes and of servers, which Java's library reads, so that data with them exists.
_is_read_namespace = re.compile(r"[A-Za-z_][A-Za-z0-9_$-]*(?:\.[A-Za-z_][A-Za-z0-9_$-]*)*").fullmatch
_NAME_HELP = 'use letters, digits and "_", no digit first'
_KINDS = ("record", "enum", "fixed", "array", "map", *PRIMITIVES)
_NAMED_KINDS = ("record", "error", "enum", "fixed")
# The types that a logical type may annotate; on others it counts for nothing. Nanoseconds, which neither Python's times
# nor fastavro know, stay the numbers that they are, as the specification asks of readers that don't know a type.
LOGICAL: Mapping[str, tuple[str, ...]] = {
    "decimal": ("bytes", "fixed"),
    "uuid": ("string", "fixed"),
    "date": ("int",),
    "time-millis": ("int",),
    "time-micros": ("long",),
    "timestamp-millis": ("long",),
    "timestamp-micros": ("long",),
    "local-timestamp-millis": ("long",),
    "local-timestamp-micros": ("long",),
    "duration": ("fixed",),
}

# What must stand beside types that a name alone can't be.
_BARE: Mapping[str, str] = {
    "record": '"name": …, "fields": […]',
    "enum": '"name": …, "symbols": […]',
    "fixed": '"name": …, "size": …',
    "array": '"items": …',
    "map": '"values": …',
}


@dataclass(frozen=True, slots=True)
class Member:
    """One field of a record; ``default`` is what its author wrote, if anything, ``aliases`` are earlier names."""

    name: str
    type: Type
    doc: str
    has_default: bool
    default: Any = None
    aliases: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Type:
    """One type. A record's fields are filled in after it is made, since they may refer to it.

    ``inner`` holds the one item type of an array, the one value type of a map and the branches of a union. ``default``
    is the symbol of an enum that stands for those it doesn't know, ``aliases`` are earlier names.
    """

    kind: str
    name: str = ""
    logical: str = ""
    doc: str = ""
    members: tuple[Member, ...] = ()
    inner: tuple[Type, ...] = ()
    symbols: tuple[str, ...] = ()
    size: int = 0
    precision: int = 0
    scale: int = 0
    default: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """How a union in JSON names it: by its full name, or by its kind."""
        return self.name or self.kind


@dataclass(slots=True)
class Parser:
    """The types of one document by full name, its problems, and its objects and defaults with their places."""

    document: Document
    types: dict[str, Type] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    objects: list[tuple[KeyPath, Mapping[str, Any]]] = field(default_factory=list)
    defaults: list[tuple[Type, Any, KeyPath]] = field(default_factory=list)

    def report(self, path: KeyPath, message: str, help_: str, kind: str = "syntax") -> Type:
        """Add a problem, and return a type to go on with."""
        self.problems.append(self.document.problem(kind, message, help_, path))
        return Type("null")

    def type(self, schema: Any, namespace: str, path: KeyPath) -> Type:
        """Return the type that a schema describes."""
        if isinstance(schema, str):
            return self.reference(schema, namespace, path)
        if isinstance(schema, list):
            return self.union(schema, namespace, path)
        if not isinstance(schema, dict):
            return self.report(path, f"{schema!r} is not a type", 'write a name such as "string", an object or a list')
        return self.object(schema, namespace, path)

    def object(self, schema: dict[str, Any], namespace: str, path: KeyPath) -> Type:
        """Return the type that an object describes."""
        self.objects.append((path, schema))
        kind = schema.get("type")
        if isinstance(kind, dict | list):
            return self.type(kind, namespace, (*path, "type"))
        if not isinstance(kind, str):
            return self.report(path, "the type is missing", 'write "type", such as "record" or "string"')
        if kind in _NAMED_KINDS:
            return self.define(kind, schema, namespace, path)
        if kind in {"array", "map"}:
            return self.container(kind, schema, namespace, path)
        type_ = self.reference(kind, namespace, (*path, "type"))
        return _with_logical_type(type_, schema) if kind in PRIMITIVES else type_

    def reference(self, name: str, namespace: str, path: KeyPath) -> Type:
        """Return a primitive type, or one that was defined before."""
        if name in PRIMITIVES:
            return Type(name)
        type_ = self.types.get(_full_name(name, namespace)) or self.types.get(name)
        if type_ is None:
            known = "define the type before it is used, or use one of " + ", ".join(_KINDS)
            help_ = _type_help(name) or _type_help(most_similar(name, (*_KINDS, *LOGICAL))) or known
            return self.report(path, f'unknown Avro type "{name}"', help_, "reference")
        return type_

    def union(self, schema: list[Any], namespace: str, path: KeyPath) -> Type:
        """Return a union: at least one branch, no two alike, no union directly inside."""
        if not schema:
            return self.report(path, "the union has no branches, so nothing is a value of it", "list its branches")
        branches = [self.type(item, namespace, (*path, index)) for index, item in enumerate(schema)]
        earlier: set[str] = set()
        for index, branch in enumerate(branches):
            if branch.kind == "union":
                self.report((*path, index), "a union stands directly inside a union", "list all branches in one union")
            elif branch.label in earlier and not self.problems:
                self.report((*path, index), f'the union names "{branch.label}" twice', "remove one of them")
            earlier.add(branch.label)
        return Type("union", inner=tuple(branches))

    def container(self, kind: str, schema: dict[str, Any], namespace: str, path: KeyPath) -> Type:
        """Return an array or map."""
        key = {"array": "items", "map": "values"}[kind]
        if key not in schema:
            return self.report(path, f'"{key}" of the {kind} is missing', f'write "{key}" with the type of each')
        return Type(kind, inner=(self.type(schema[key], namespace, (*path, key)),))

    def define(self, kind: str, schema: dict[str, Any], namespace: str, path: KeyPath) -> Type:
        """Return a record, enum or fixed type, and keep it by its full name."""
        name = schema.get("name")
        if not isinstance(name, str) or not _is_full_name(name):
            message = f'"{name}" is not a name' if isinstance(name, str) else f"the name of the {kind} is missing"
            return self.report((*path, "name"), message, 'write "name": letters, digits and "_", no digit first')
        namespace = schema["namespace"] if isinstance(schema.get("namespace"), str) else namespace
        full = _full_name(name, namespace)
        if full in self.types:
            return self.report((*path, "name"), f'the type "{full}" is defined twice', "use its name alone here")
        inside = full.rpartition(".")[0]
        aliases = tuple(_full_name(alias, inside) for alias in _aliases(schema))
        type_ = Type("record" if kind == "error" else kind, full, doc=_doc(schema), aliases=aliases)
        self.types[full] = type_
        if kind == "enum":
            self.symbols(type_, schema, path)
        elif kind == "fixed":
            self.size(type_, schema, path)
        else:
            type_.members = tuple(self.members(schema, inside, path))
        return type_

    def symbols(self, type_: Type, schema: dict[str, Any], path: KeyPath) -> None:
        """Fill in an enum."""
        symbols = schema.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(item, str) for item in symbols) or not symbols:
            self.report(path, f'"symbols" of the enum "{type_.name}" is missing', "list its symbols")
            return
        type_.symbols = tuple(symbols)
        earlier: set[str] = set()
        for index, symbol in enumerate(symbols):
            if not _is_simple_name(symbol):
                self.report((*path, "symbols", index), f'"{symbol}" is not a symbol', _NAME_HELP)
            elif symbol in earlier:
                self.report((*path, "symbols", index), f'the symbol "{symbol}" stands there twice', "remove one")
            earlier.add(symbol)
        if "default" in schema and schema["default"] not in symbols:
            self.report((*path, "default"), "the default is none of the symbols", "use one of them")
        else:
            type_.default = schema.get("default", "")

    def size(self, type_: Type, schema: dict[str, Any], path: KeyPath) -> None:
        """Fill in a fixed type."""
        size = schema.get("size")
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            self.report(path, f'"size" of the fixed type "{type_.name}" is missing', "write how many bytes it has")
            return
        type_.size = size
        annotated = _with_logical_type(type_, schema)
        type_.logical, type_.precision, type_.scale = annotated.logical, annotated.precision, annotated.scale

    def members(self, schema: dict[str, Any], namespace: str, path: KeyPath) -> Iterator[Member]:
        """Yield the fields of a record."""
        fields = schema.get("fields")
        if not isinstance(fields, list):
            self.report(path, f'"fields" of the record "{schema["name"]}" is missing', "list its fields, possibly none")
            return
        earlier: set[str] = set()
        for index, item in enumerate(fields):
            place = (*path, "fields", index)
            name = item.get("name") if isinstance(item, dict) else None
            if not isinstance(name, str) or not _is_simple_name(name):
                self.report(place, "the field has no name that Avro allows", 'use letters, digits and "_"')
            elif name in earlier:
                self.report((*place, "name"), f'the record has two fields "{name}"', "rename or remove one of them")
            elif "type" not in item:
                self.report(place, f'the field "{name}" has no type', 'write "type"')
            else:
                earlier.add(name)
                type_ = self.type(item["type"], namespace, (*place, "type"))
                if isinstance(item["type"], str) and item["type"] in PRIMITIVES and "logicalType" in item:
                    type_ = _with_logical_type(type_, item)
                if "default" in item:
                    self.defaults.append((type_, item["default"], (*place, "default")))
                yield Member(name, type_, _doc(item), "default" in item, item.get("default"), _aliases(item))


def parse_types(document: Document) -> tuple[Type, Parser]:
    """Return the root type of a document, and the parser with all others.

    Raises:
        SchemaError: the document isn't an Avro schema.
    """
    parser = Parser(document)
    root = parser.type(document.value(), "", ())
    if parser.problems:
        raise SchemaError(*parser.problems)
    return root, parser


def _type_help(name: str) -> str:
    """Return what to write for a type, or instead of a name that alone is none; empty if the name is none of Avro's."""
    if name in _BARE:
        return f'write "type": {{"type": "{name}", {_BARE[name]}}}'
    if name in LOGICAL:
        return f'write "type": {{"type": "{LOGICAL[name][0]}", "logicalType": "{name}"}}'
    return f'did you mean "{name}"' if name in PRIMITIVES else ""


def _full_name(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


def _doc(schema: Mapping[str, Any]) -> str:
    doc = schema.get("doc")
    return doc if isinstance(doc, str) else ""


def _aliases(schema: Mapping[str, Any]) -> tuple[str, ...]:
    aliases = schema.get("aliases")
    return tuple(item for item in aliases if isinstance(item, str)) if isinstance(aliases, list) else ()


def _with_logical_type(type_: Type, schema: Mapping[str, Any]) -> Type:
    """Return a type with its logical type; what the specification calls invalid is ignored, as it asks for."""
    logical = schema.get("logicalType")
    if not isinstance(logical, str) or type_.kind not in LOGICAL.get(logical, ()):
        return type_
    if logical != "decimal":
        return Type(type_.kind, type_.name, logical, type_.doc, size=type_.size)
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if not isinstance(precision, int) or not isinstance(scale, int) or not 0 <= scale <= precision or not precision:
        return type_
    return Type(type_.kind, type_.name, logical, type_.doc, size=type_.size, precision=precision, scale=scale)


_RECORDS, _DECIMALS = ("record", "error"), ("bytes", "fixed")
_ORDERS = ("ascending", "descending", "ignore")


def type_faults(schema: Mapping[str, Any], path: KeyPath) -> Iterator[Fault]:
    """Yield what is wrong in an object that can be read; a type is named where it is defined."""
    kind = schema.get("type")
    if kind in _NAMED_KINDS:
        yield from _name_faults(schema, path)
        yield from _alias_faults(schema, path, _is_full_name)
    if kind in _DECIMALS and schema.get("logicalType") == "decimal":
        yield from _decimal_faults(schema, path)
    names = {item["name"] for item in _member_schemas(schema)}
    for index, item in enumerate(_member_schemas(schema)):
        place = (*path, "fields", index)
        yield from _alias_faults(item, place, _is_simple_name, names)
        if "order" in item and item["order"] not in _ORDERS:
            yield (*place, "order"), f"{quote(item['order'])} is not an order", f"write one of {', '.join(_ORDERS)}"


def _name_faults(schema: Mapping[str, Any], path: KeyPath) -> Iterator[Fault]:
    namespace = schema.get("namespace", "")
    if not isinstance(namespace, str) or (namespace and not _is_read_namespace(namespace)):
        help_ = f"write names with dots between them: {_NAME_HELP}"
        yield (*path, "namespace"), f"{quote(namespace)} is not a namespace", help_
    if schema["name"] in PRIMITIVES:
        message = f'the {schema["type"]} has the name of the type "{schema["name"]}", so nobody can refer to it'
        yield (*path, "name"), message, "rename it"


def _alias_faults(schema: Mapping[str, Any], path: KeyPath, is_name: Any, names: Iterable[str] = ()) -> Iterator[Fault]:
    aliases = schema.get("aliases", [])
    if not isinstance(aliases, list):
        yield (*path, "aliases"), f"{quote(aliases)} is not a list of names", "write earlier names as a list"
        return
    for index, alias in enumerate(aliases):
        place = (*path, "aliases", index)
        if not isinstance(alias, str) or not is_name(alias):
            yield place, f"{quote(alias)} is not a name", _NAME_HELP
        elif alias in names:
            yield place, f'"{alias}" is the name of a field of this record', "remove the alias, or rename one of them"


def _decimal_faults(schema: Mapping[str, Any], path: KeyPath) -> Iterator[Fault]:
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if not _is_int(precision) or precision < 1:
        place = (*path, "precision") if "precision" in schema else path
        yield place, "the decimal has no precision, so it counts as bytes", "write how many digits it has, from 1"
    elif not _is_int(scale) or not 0 <= scale <= precision:
        help_ = f"write how many of its {precision} digits follow the point"
        yield (*path, "scale"), f"{quote(scale)} is no scale of {precision} digits, so it counts as bytes", help_


def _member_schemas(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the objects that describe the fields of a record; none of another type."""
    fields = schema.get("fields") if schema.get("type") in _RECORDS else None
    return fields if isinstance(fields, list) else []


def _is_int(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


# Whether a value fits a union, by the ids of both: a union that holds itself would else be compared again and again.
FitCache = dict[tuple[int, int], bool]


def default_mismatch(type_: Type, default: Any) -> str:
    """Return the type of which a default is no value, such as "no long", or an empty text if it is one.

    Of a union it should be the first branch; any will do, as release 1.12 has it and most readers do.
    """
    return "" if _default_fits(type_, default, {}) else f"no {_type_phrase(type_)}"


def _type_phrase(type_: Type) -> str:
    if type_.kind == "union":
        return " or ".join(map(_type_phrase, type_.inner)) or "value, as the union has none"
    return f'{type_.kind} "{type_.name}"' if type_.name else type_.kind


def _default_fits(type_: Type, value: Any, cache: FitCache) -> bool:
    if type_.kind == "record":
        return isinstance(value, dict) and all(
            _default_fits(member.type, value[member.name], cache) if member.name in value else member.has_default
            for member in type_.members
        )
    if type_.kind == "array":
        return isinstance(value, list) and all(_default_fits(type_.inner[0], item, cache) for item in value)
    if type_.kind == "map":
        return isinstance(value, dict) and all(_default_fits(type_.inner[0], item, cache) for item in value.values())
    if type_.kind == "union":
        key = (id(type_), id(value))
        if key not in cache:
            cache[key] = any(_default_fits(branch, value, cache) for branch in type_.inner)
        return cache[key]
    return _SCALAR_TESTS[type_.kind](type_, value)


def _is_latin(value: Any) -> bool:
    """Return whether a value is bytes as a text, each as the character of that number."""
    return isinstance(value, str) and all(ord(character) < 2**8 for character in value)


_SCALAR_TESTS: Mapping[str, Callable[[Type, Any], bool]] = {
    "null": lambda _, value: value is None,
    "boolean": lambda _, value: isinstance(value, bool),
    "int": lambda _, value: _is_int(value) and -(2**31) <= value < 2**31,
    "long": lambda _, value: _is_int(value) and -(2**63) <= value < 2**63,
    "float": lambda _, value: _is_int(value) or isinstance(value, float),
    "double": lambda _, value: _is_int(value) or isinstance(value, float),
    "bytes": lambda _, value: _is_latin(value),
    "string": lambda _, value: isinstance(value, str),
    "fixed": lambda type_, value: _is_latin(value) and len(value) == type_.size,
    "enum": lambda type_, value: isinstance(value, str) and value in type_.symbols,
}


_ANY_BRANCH = (1, 12)


def doubts(parser: Parser, version: str) -> Iterator[Fault]:
    """Yield what is doubtful in a document without faults; ``version`` is that of its format, such as ``1.11.0``."""
    for path, item in parser.objects:
        kind = item.get("type")
        if isinstance(kind, str):
            yield from _logical_doubts(item, path)
            namespace = str(item.get("namespace")) if kind in _NAMED_KINDS else ""
            if _is_read_namespace(namespace) and not _is_full_name(namespace):
                message = f"{quote(namespace)} is not a valid namespace, and some readers refuse it"
                yield (*path, "namespace"), message, _NAME_HELP
        for index, member in enumerate(_member_schemas(item)):
            place = (*path, "fields", index)
            if "logicalType" in member:
                message = f'"logicalType" counts for nothing beside the type of the field "{cut(member["name"])}"'
                logical = member["logicalType"] if isinstance(member["logicalType"], str) else ""
                inner = LOGICAL.get(logical, (member["type"] if isinstance(member["type"], str) else "…",))[0]
                help_ = f'write "type": {{"type": "{cut(inner)}", "logicalType": {quote(logical)}}}'
                yield (*place, "logicalType"), message, help_
    if _release(version) < _ANY_BRANCH:
        yield from _default_doubts(parser.defaults)


def _logical_doubts(schema: Mapping[str, Any], path: KeyPath) -> Iterator[Fault]:
    logical, kind = schema.get("logicalType"), schema["type"]
    known = LOGICAL.get(logical, ()) if isinstance(logical, str) else ()
    if known and kind not in known and (kind in PRIMITIVES or kind == "fixed"):
        message = f'"{logical}" is not a logical type of {kind}, so it is ignored'
        yield (*path, "logicalType"), message, f'write "type": "{known[0]}"'


def _default_doubts(defaults: list[tuple[Type, Any, KeyPath]]) -> Iterator[Fault]:
    for type_, default, path in defaults:
        if type_.kind == "union" and type_.inner and not default_mismatch(type_, default):
            first = default_mismatch(type_.inner[0], default)
            if first:
                message = f"the default {quote(default)} is {first}, which is the first branch of the union"
                yield path, message, "put the branch of the default first: readers before Avro 1.12 look at that alone"


_NUMBER = re.compile("[0-9]{1,9}")


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if _NUMBER.fullmatch(part))
