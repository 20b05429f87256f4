"""What to write instead of a value that doesn't fit: its right form if that can be guessed, else an example."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xregit.model import repairing
from xregit.model.datatypes import SYNTAXES, TEXTS
from xregit.model.names import named
from xregit.model.narrowing import fits_of
from xregit.model.protocols import syntaxes
from xregit.model.quoting import cut, either

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel

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
        **{name: said["example"] for name, said in syntaxes().items()},
    }
)
_ADDRESSES = frozenset({"uri", "uriabsolute", "urirelative", "url", "urlabsolute", "urlrelative"})
_NEEDS_QUOTES = re.compile(r"""[,\[\]{}]|:(?:\s|$)|\s#|^[#&*!|>'"%@`?-]|^$""")
_HEADER = re.compile(r"([^\s:]+): *(\S.*)")
_ANSWERS = {**dict.fromkeys(("yes", "y", "on"), "true"), **dict.fromkeys(("no", "n", "off"), "false")}
_WITHOUT_QUOTES = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true|false", re.IGNORECASE)


def instead(attribute: AttributeModel, value: Any, key: str | int, kind: str = "", example: str = "") -> str:
    """Return what to write instead of a value.

    If it is the value of a property, ``kind`` is its form, and ``example`` one that the property's definition has.
    """
    bare = attribute.property if attribute.type == "any" else ""
    text_due = (bare or attribute.type) in TEXTS or (attribute.type == "any" and not bare)
    if isinstance(value, (bool, int, float)) and text_due and not kind:
        return f"It may be {either(attribute.enum)}." if attribute.enum else "Put it in quotes if it is meant as text."
    if attribute.type in {"array", "map", "object"}:
        return _collection(attribute, value, key)
    if isinstance(value, (Mapping, list, tuple)):
        return _unwrapped(attribute, value, key)
    if isinstance(value, str):
        special = _of_scalar(attribute, value, key) or _of_text(attribute, value, key)
        if special:
            return special
    example = example or attribute.example or (_plain(attribute.enum[0]) if attribute.enum else "")
    if example:
        return _such_as(example, key)
    return _example(kind or attribute.names or attribute.syntax, key) or _example(bare or attribute.type, key)


def of_xid(attribute: AttributeModel, value: Any, key: str | int, fits: Callable[[Any], bool]) -> str:
    """Return what to write instead of a reference that isn't one: the same in its form, or the group around it."""
    text = value if isinstance(value, str) else ""
    if right := repairing.xid(text, attribute.targets, fits):
        return _write(key, right)
    if whole := repairing.xid_around(text, attribute.targets, fits):
        return f"{_write(key, whole).removesuffix('.')}, with the id of its group."
    return "Begin with a slash; then follow, with slashes between them, the type and the id of each entity on the way."


def renamed(name: object, fits: Callable[[Any], bool]) -> str:
    """Return what to do about a name that has characters it can't have."""
    right = re.sub(r"[^a-z0-9_.:\-]", "_", str(name).casefold())
    forms = (right, re.sub("[.:-]", "_", right), re.sub("[_.:]", "-", right), re.sub("[^a-z0-9]", "", right))
    tried = next((form for form in forms if fits(form)), "")
    return f'Rename it, for example to "{tried}".' if tried else "Rename it."


def _collection(attribute: AttributeModel, value: Any, key: str | int) -> str:
    if attribute.property:
        single = isinstance(value, (str, int, float))
        return _write(key, f"{{value: {_inside(value)}}}") if single else 'Write "value: …" under it.'
    if attribute.type == "object" and (first := _first(attribute, value)):
        return _write(first, _plain(value))
    if attribute.type != "array":
        return _named_lines(value)
    if not isinstance(value, str):
        by_name = isinstance(value, Mapping) and value and attribute.item and "name" in attribute.item.attributes
        such = f', such as "- name: {_plain(next(iter(value)))}"' if by_name else ""
        return f"Write a list, each item behind a hyphen on a line of its own{such}."
    first = _first(attribute.item, value) if attribute.item else ""
    if attribute.item and attribute.item.targets:
        value = repairing.xid(value, attribute.item.targets, fits_of(attribute.item)) or value
    if first:
        return _write(key, f"[{{{first}: {_inside(value)}}}]")
    header = _HEADER.fullmatch(value) if attribute.item and "name" in attribute.item.attributes else None
    item = f"{{name: {header[1]}, value: {_inside(header[2])}}}" if header else _inside(value)
    return _write(key, f"[{item}]")


def _named_lines(value: Any) -> str:
    """Return how to write a map of attributes instead of something else, such as a list whose items have names."""
    first = next(iter(value), None) if isinstance(value, list | tuple) else None
    if isinstance(first, Mapping) and isinstance(first.get("name"), str):
        name = cut(first["name"])
        return f'Write each name before a colon, such as "{name}:", and the rest of its item on lines below that.'
    if isinstance(first, Mapping) and first:
        return 'Write "name: value" lines under it, without hyphens or brackets.'
    return 'Write "name: value" lines under it, or {} if there is nothing to say.'


def _first(attribute: AttributeModel, value: Any) -> str:
    """Return the name of what a text would be if it stood in a map of attributes: the first that they have."""
    name, model = next(iter(attribute.attributes.items()), ("*", None))
    fits = isinstance(value, str) and model is not None and model.type in TEXTS and fits_of(model)(value)
    return name if fits and name != "*" else ""


def _unwrapped(attribute: AttributeModel, value: Mapping[Any, Any] | Iterable[Any], key: str | int) -> str:
    """Return what to write instead of a map or list: the one value inside that would fit, if there is one."""
    if isinstance(value, Mapping) and len(value) == 1 and next(iter(value.values())) is None:
        return f'Braces begin a map; put a template in quotes: "{{{_plain(next(iter(value)))}}}".'
    held = [item for item in (value.values() if isinstance(value, Mapping) else value) if item is not None]
    own = fits_of(attribute)
    for test in (SYNTAXES["absolute"].test, own) if attribute.type in _ADDRESSES else (own,):
        inner = [item for item in held if test(item)]
        if len(inner) == 1 and attribute.type != "any":
            return _write(key, _plain(inner[0]))
    return "Write a single value."


def _of_scalar(attribute: AttributeModel, value: str, key: str | int) -> str:
    """Return what to do about the text of a number or truth value, or nothing."""
    if attribute.type in {"boolean", "integer", "uinteger", "decimal"} and _WITHOUT_QUOTES.fullmatch(value):
        return "Write it without quotes."
    answer = _ANSWERS.get(value.casefold()) if attribute.type == "boolean" else None
    return _write(key, answer) if answer else ""


def _of_text(attribute: AttributeModel, value: str, key: str | int) -> str:
    """Return what to do about a text that is nearly right, or nothing."""
    if attribute.type in _ADDRESSES and value != value.strip():
        return "Remove the spaces around it."
    if attribute.syntax == "web" and (address := _browsed(value)):
        return _write(key, address)
    if attribute.type in _ADDRESSES and " " in value:
        return 'Write the address of a page; prose belongs in "description".'
    if attribute.type == "timestamp" or attribute.syntax == "date":
        meant = repairing.time(value, fits_of(attribute))
        return _write(key, meant) if meant else ""
    known = named(attribute.names, value) if attribute.names else None
    return _write(key, known.example) if known and known.example else ""


def _browsed(value: str) -> str:
    """Return the address of a page that a text probably means: a host without scheme, or what Git clones from."""
    cloned = re.fullmatch(r"(?:git@([\w.-]+):|ssh://(?:[\w.-]+@)?([\w.-]+)(?::[0-9]+)?/)([\w~][\w./~-]*)", value)
    if cloned:
        return f"https://{cloned[1] or cloned[2]}/{cloned[3].rstrip('/').removesuffix('.git')}"
    return f"https://{value}" if re.fullmatch(r"[\w-]+(?:\.[\w-]+)+(?:[:/]\S*)?", value) else ""


def _example(form: str, key: str | int) -> str:
    example = EXAMPLES.get(form, "")
    return _such_as(example, key) if example else ""


def _such_as(example: str, key: str | int) -> str:
    named_ = f"{key}: " if isinstance(key, str) else ""
    return f"Write, for example, {named_}{example}."


def _write(key: str | int, value: str) -> str:
    return f'Write "{key}: {value}".' if isinstance(key, str) else f'Write "{value}".'


def _inside(value: object) -> str:
    """Return a value as it stands in brackets or braces, in quotes where it needs them there."""
    text = _plain(value)
    return "'" + text.replace("'", "''") + "'" if _NEEDS_QUOTES.search(text) else text


def _plain(value: object) -> str:
    """Return a value as it stands in YAML without quotes."""
    return cut({True: "true", False: "false"}[value] if isinstance(value, bool) else value)
