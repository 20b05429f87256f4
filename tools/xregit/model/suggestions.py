"""Suggestions of what to write instead of an invalid value: the value repaired if that is certain, else an example."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from xregit.model import odd_characters
from xregit.model.aliases import find_name
from xregit.model.datatypes import PROPERTY_TYPES, SYNTAXES, TEXTS, is_valid
from xregit.model.excerpts import cut, either
from xregit.model.language import AttributeModel
from xregit.model.protocols import syntaxes
from xregit.model.similarity import suggest_similar

#: Values of each narrower form, data type and type of property, as they would stand in YAML.
EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "absolute": "https://example.com/orders",
        "address": "https://example.com/orders",
        "any": "some text",
        "base64": "aGVsbG8=",
        "binary": "aGVsbG8=",
        "boolean": "true",
        "characters": "some text",
        "cloudevents": "orderid",
        "date": '"2026-12-31"',
        "decimal": "1.5",
        "duration": "PT5M",
        "envelope": "CloudEvents/1.0",
        "extendedname": "order-id",
        "format": "JsonSchema/draft-07",
        "id": "orders.placed",
        "imported": "/messagegroups/messages",
        "int32": "1",
        "integer": "1",
        "line": "some text",
        "mediatype": "application/json",
        "name": "order_id",
        "nameversion": "Name/1.0",
        "nonempty": "some text",
        "number": "1.5",
        "octet": "4",
        "oneline": "some text",
        "pattern": "registry/messagegroups/old.*",
        "plural": "orders",
        "protocol": "MQTT/5.0",
        "protocolname": "MQTT/5.0",
        "rulename": "unknown-attribute",
        "string": "some text",
        "symbol": "order_placed",
        "target": "/messagegroups/messages",
        "timestamp": '"2026-05-22T10:30:00Z"',
        "token": "order-id",
        "uint32": "1",
        "uint64": "1",
        "uinteger": "1",
        "ulong": "1",
        "uri": "https://example.com/orders",
        "uriabsolute": "https://example.com/orders",
        "urirelative": "orders/new",
        "uritemplate": '"https://example.com/orders/{order}"',
        "url": "https://example.com/orders",
        "urlabsolute": "https://example.com/orders",
        "urlrelative": "orders/new",
        "uuid": "123e4567-e89b-12d3-a456-426614174000",
        "versionid": '"1"',
        "web": "https://example.com/orders",
        "xid": "/messagegroups/g1/messages/m1",
        "xidtype": "/messagegroups/messages",
        **{name: syntax["example"] for name, syntax in syntaxes().items()},
    }
)
_ADDRESSES = frozenset({"uri", "uriabsolute", "urirelative", "url", "urlabsolute", "urlrelative"})
_NEEDS_QUOTES = re.compile(r"""[,\[\]{}]|:(?:\s|$)|\s#|^[#&*!|>'"%@`?-]|^$""")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?:[:/]\S*)?")
_HEADER = re.compile(r"([^\s:]+): *(\S.*)")
_BOOLEANS = {**dict.fromkeys(("yes", "y", "on"), "true"), **dict.fromkeys(("no", "n", "off"), "false")}
_WITHOUT_QUOTES = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true|false", re.IGNORECASE)


def suggest_value(attribute: AttributeModel, value: Any, key: str | int, kind: str = "", example: str = "") -> str:
    """Return what to write instead of a value.

    If it is the value of a property, ``kind`` is its form, and ``example`` one that the property's definition has.
    """
    character = odd_characters.describe(value) if isinstance(value, str) else ""
    if character:
        return f'Write "{_plain_scalar(odd_characters.repair(value))}": there is {character}.'
    return _suggest_value(attribute, value, key, kind, example)


def _suggest_value(attribute: AttributeModel, value: Any, key: str | int, kind: str, example: str) -> str:
    bare = attribute.property if attribute.type == "any" else ""
    text_due = (bare or attribute.type) in TEXTS or (attribute.type == "any" and not bare)
    if isinstance(value, (bool, int, float)) and text_due and not kind:
        return f"It may be {either(attribute.enum)}." if attribute.enum else "Put it in quotes if it is meant as text."
    if attribute.type in {"array", "map", "object"}:
        return _suggest_collection(attribute, value, key)
    if isinstance(value, (Mapping, list, tuple)):
        return _suggest_inner(attribute, value, key)
    if isinstance(value, str):
        special = _suggest_scalar(attribute, value, key) or _suggest_text(attribute, value, key)
        if special:
            return special
    example = example or attribute.example or (_plain_scalar(attribute.enum[0]) if attribute.enum else "")
    if example:
        return _suggest_example(example, key)
    return _example(kind or attribute.names or attribute.syntax, key) or _example(bare or attribute.type, key)


def suggest_xid(attribute: AttributeModel, value: Any, key: str | int, fits: Callable[[Any], bool]) -> str:
    """Return what to write instead of a reference that isn't one: the same in its form, or the group around it."""
    text = value if isinstance(value, str) else ""
    if right := repair_xid(text, attribute.targets, fits):
        return _write_line(key, right)
    if whole := repair_xid_of_resource(text, attribute.targets, fits):
        return f"{_write_line(key, whole).removesuffix('.')}, with the id of its group."
    return "Begin with a slash; then follow, with slashes between them, the type and the id of each entity on the way."


def suggest_name(name: object, fits: Callable[[Any], bool]) -> str:
    """Return what to do about a name that has characters it can't have."""
    right = re.sub(r"[^a-z0-9_.:\-]", "_", str(name).casefold())
    forms = (right, re.sub("[.:-]", "_", right), re.sub("[_.:]", "-", right), re.sub("[^a-z0-9]", "", right))
    suggestion = next((form for form in forms if fits(form)), "")
    return f'Rename it, for example to "{suggestion}".' if suggestion else "Rename it."


def _suggest_collection(attribute: AttributeModel, value: Any, key: str | int) -> str:
    if attribute.property:
        single = isinstance(value, (str, int, float))
        return _write_line(key, f"{{value: {_flow_scalar(value)}}}") if single else 'Write "value: …" under it.'
    if attribute.type == "object" and (first := _first_name(attribute, value)):
        return _write_line(first, _plain_scalar(value))
    if attribute.type != "array":
        return _suggest_lines(value)
    if not isinstance(value, str):
        by_name = isinstance(value, Mapping) and value and attribute.item and "name" in attribute.item.attributes
        such = f', such as "- name: {_plain_scalar(next(iter(value)))}"' if by_name else ""
        return f"Write a list, each item behind a hyphen on a line of its own{such}."
    first = _first_name(attribute.item, value) if attribute.item else ""
    if attribute.item and attribute.item.targets:
        value = repair_xid(value, attribute.item.targets, partial(is_valid, attribute.item)) or value
    if first:
        return _write_line(key, f"[{{{first}: {_flow_scalar(value)}}}]")
    header = _HEADER.fullmatch(value) if attribute.item and "name" in attribute.item.attributes else None
    item = f"{{name: {header[1]}, value: {_flow_scalar(header[2])}}}" if header else _flow_scalar(value)
    return _write_line(key, f"[{item}]")


def _suggest_lines(value: Any) -> str:
    """Return how to write a map of attributes instead of something else, such as a list whose items have names."""
    first = next(iter(value), None) if isinstance(value, list | tuple) else None
    if isinstance(first, Mapping) and isinstance(first.get("name"), str):
        name = cut(first["name"])
        return f'Write each name before a colon, such as "{name}:", and the rest of its item on lines below that.'
    if isinstance(first, Mapping) and first:
        return 'Write "name: value" lines under it, without hyphens or brackets.'
    return 'Write "name: value" lines under it, or {} if there is nothing to say.'


def _first_name(attribute: AttributeModel, value: Any) -> str:
    """Return the name of what a text would be if it stood in a map of attributes: the first that they have."""
    name, model = next(iter(attribute.attributes.items()), ("*", None))
    fits = isinstance(value, str) and model is not None and model.type in TEXTS and is_valid(model, value)
    return name if fits and name != "*" else ""


def _suggest_inner(attribute: AttributeModel, value: Mapping[Any, Any] | Iterable[Any], key: str | int) -> str:
    """Return what to write instead of a map or list: the one value inside that would fit, if there is one."""
    if isinstance(value, Mapping) and len(value) == 1 and next(iter(value.values())) is None:
        return f'Braces begin a map; put a template in quotes: "{{{_plain_scalar(next(iter(value)))}}}".'
    items = [item for item in (value.values() if isinstance(value, Mapping) else value) if item is not None]
    own = partial(is_valid, attribute)
    for test in (SYNTAXES["absolute"].test, own) if attribute.type in _ADDRESSES else (own,):
        inner = [item for item in items if test(item)]
        if len(inner) == 1 and attribute.type != "any":
            return _write_line(key, _plain_scalar(inner[0]))
    return "Write a single value."


def _suggest_scalar(attribute: AttributeModel, value: str, key: str | int) -> str:
    """Return what to do about the text of a number or truth value, or nothing."""
    if attribute.type in {"boolean", "integer", "uinteger", "decimal"} and _WITHOUT_QUOTES.fullmatch(value):
        return "Write it without quotes."
    answer = _BOOLEANS.get(value.casefold()) if attribute.type == "boolean" else None
    return _write_line(key, answer) if answer else ""


def _suggest_text(attribute: AttributeModel, value: str, key: str | int) -> str:
    """Return what to do about a text that is nearly right, or nothing."""
    if attribute.type in _ADDRESSES and value != value.strip():
        return "Remove the spaces around it."
    if attribute.syntax == "web" and _HOST.fullmatch(value):
        return _write_line(key, f"https://{value}")
    if attribute.type in _ADDRESSES and " " in value:
        return 'Write the address of a page; prose belongs in "description".'
    if attribute.type == "timestamp":
        forms = (f"{value}T00:00:00Z", *(f"{value.replace(' ', 'T')}{end}" for end in ("Z", ":00Z")))
        return next((_write_line(key, form) for form in forms if is_valid(attribute, form)), "")
    name = find_name(attribute.names, value) if attribute.names else None
    return _write_line(key, name.example) if name and name.example else ""


def _example(form: str, key: str | int) -> str:
    example = EXAMPLES.get(form, "")
    return _suggest_example(example, key) if example else ""


def _suggest_example(example: str, key: str | int) -> str:
    prefix = f"{key}: " if isinstance(key, str) else ""
    return f"Write, for example, {prefix}{example}."


def _write_line(key: str | int, value: str) -> str:
    return f'Write "{key}: {value}".' if isinstance(key, str) else f'Write "{value}".'


def _flow_scalar(value: object) -> str:
    """Return a value as it stands in brackets or braces, in quotes where it needs them there."""
    text = _plain_scalar(value)
    return "'" + text.replace("'", "''") + "'" if _NEEDS_QUOTES.search(text) else text


def _plain_scalar(value: object) -> str:
    """Return a value as it stands in YAML without quotes."""
    return cut({True: "true", False: "false"}[value] if isinstance(value, bool) else value)


_EXPRESSION = re.compile(r"\{([+#./?&;]?)([^{}]*)\}")
# RFC 6570, 3.2: what stands before the first value of an expression, and between two.
_BEFORE = {"#": "#", ".": ".", "/": "/", "?": "?", "&": "&", ";": ";"}
_BETWEEN = {".": ".", "/": "/", "?": "&", "&": "&", ";": ";"}
_NAMED_OPERATORS = frozenset("?&;")
_RELATIVE = re.compile(r"^(?:\.{1,2}/)+")


def repair_template(text: str) -> str:
    """Return the text with each placeholder as ``{name}``, none with an operator; empty where that is no template."""
    repaired = _EXPRESSION.sub(_level_1, text.replace("{{", "{").replace("}}", "}"))
    return repaired if PROPERTY_TYPES["uritemplate"].test(repaired) else ""


def _level_1(expression: re.Match[str]) -> str:
    operator, inner = expression.groups()
    names = [re.sub(r"[^A-Za-z0-9_]+", "_", name.partition(":")[0].strip(" *")) for name in inner.split(",")]
    values = [f"{name}={{{name}}}" if operator in _NAMED_OPERATORS else f"{{{name}}}" for name in names]
    return _BEFORE.get(operator, "") + _BETWEEN.get(operator, ",").join(values)


def repair_xid(text: str, targets: Iterable[str], fits: Callable[[str], bool]) -> str:
    """Return the xid that a text means which lacks a slash, misspells a type, or is the path of a file; or nothing."""
    path = _path(text)
    around = "/".join(path.split("/")[:2])
    plain = (path, text.rstrip("/").removeprefix("#/"), around, path.partition("/")[2])
    completed = (f"{target.strip('/')}/{path}" for target in targets)
    inside = (f"{_target_types(target)[0]}/{path}" for target in targets)  # the path of a file from that of another one
    candidates = (
        *plain,
        *completed,
        *inside,
        *(form for target in targets for form in _with_known_types(path, target)),
    )
    return next((f"/{form}" for form in candidates if fits(f"/{form}")), "")


def repair_xid_of_resource(text: str, targets: Iterable[str], fits: Callable[[str], bool]) -> str:
    """Return the xid, with ``<id>`` for its group, that the id of a resource alone means; or nothing."""
    for group, *inside in map(_target_types, targets):
        for resource in inside:
            name = _path(text).removeprefix(f"{resource}/")
            if "/" not in name and fits(f"/{group}/g/{resource}/{name}"):
                return f"/{group}/<id>/{resource}/{name}"
    return ""


def _path(text: str) -> str:
    return re.sub(r"\.ya?ml$", "", _RELATIVE.sub("", text.removeprefix("#"))).strip("/")


def _target_types(target: str) -> list[str]:
    """Return the types in a target such as ``/messagegroups/messages``."""
    return target.removesuffix("[/versions]").strip("/").split("/")


def _with_known_types(path: str, target: str) -> Iterator[str]:
    """Yield the path with the types of a target, such as ``/messagegroups/messages``, where it nearly has them."""
    types, parts = _target_types(target), path.split("/")
    if len(parts) == 2 * len(types) and all(
        suggest_similar(part, (type_,)) for part, type_ in zip(parts[::2], types, strict=True)
    ):
        yield "/".join(part for pair in zip(types, parts[1::2], strict=True) for part in pair)
