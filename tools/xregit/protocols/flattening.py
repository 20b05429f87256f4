"""A message on the wire to its values by key, and back.

A key is the path of an option below ``protocoloptions``, where a part of a list stands by its name:
``topic_name``, ``headers/content-type``, ``application-properties/depot``.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xregit.model.quoting import shown
from xregit.protocols.reading import read_fields
from xregit.protocols.shapes import MAP, ONE, PAIRS, Shape, protocol_name, shape
from xregit.protocols.texts import to_text
from xregit.protocols.wire import Wire, WireError


def flatten(wire: Wire) -> dict[str, tuple[Any, ...]]:
    """Return all values of a message by their keys; those of a bare CloudEvent by the names of its attributes."""
    if not wire.protocol:
        return {name: (value,) for name, value in wire.fields.items()}
    known = shape(wire.protocol)
    if known is None:
        return {key: (value,) for key, value in _flatten_deep("", wire.fields)}
    found: dict[str, tuple[Any, ...]] = {}
    for name, value in wire.fields.items():
        if type(value) is tuple:
            folded = known.fields[name].folded
            for part, text in value:
                key = f"{name}/{part.lower() if folded else part}"
                found[key] = (*found[key], text) if key in found else (text,)
        elif type(value) is dict or isinstance(value, Mapping):
            for part, item in value.items():
                found[f"{name}/{part}"] = item if type(item) is tuple else (item,)
        else:
            found[name] = (value,)
    for name, twin in known.twins.items():
        _add_twin(found, name, twin)
    return found


def assemble(protocol: str, fields: Mapping[str, Sequence[Any]], body: bytes | None = None) -> Wire:
    """Return the message that has these values by key, and nothing else; the inverse of ``flatten``.

    Raises:
        WireError: there is no such field, a value does not fit, or several stand where one does; all is listed.
    """
    name = protocol_name(protocol)
    known = shape(name)
    problems: list[str] = []
    given = _group(known, fields, problems)
    if problems:
        raise WireError(tuple(problems))
    return Wire(name, read_fields(known, given), body)


def _flatten_deep(path: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, item in value.items():
        if isinstance(item, Mapping):
            yield from _flatten_deep(f"{path}{name}/", item)
        elif type(item) is tuple:
            yield from ((f"{path}{name}/{part}", text) for part, text in item)
        else:
            yield f"{path}{name}", item


def _add_twin(found: dict[str, tuple[Any, ...]], name: str, twin: str) -> None:
    """Add the text of bytes, or the base 64 of a text, under the twin's key: definitions may state either."""
    if name in found:
        data: bytes = found[name][0]
        found[name] = (b64encode(data).decode(),)
        try:
            found[twin] = (data.decode(),)
        except UnicodeDecodeError:
            return
    elif twin in found:
        found[name] = (b64encode(found[twin][0].encode()).decode(),)


def _group(known: Shape | None, fields: Mapping[str, Sequence[Any]], problems: list[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for key, values in fields.items():
        section, slash, part = key.partition("/")
        kind = known.fields[section].kind if known and slash and section in known.fields else ONE
        if kind == ONE:
            given[key] = _single(key, values, problems)
            continue
        whole = given.setdefault(section, {} if kind == MAP else [])
        # Something else may stand in place of the whole section; it is refused as that.
        if kind == PAIRS and isinstance(whole, list):
            whole.extend((part, value) for value in values)
        elif kind == MAP and isinstance(whole, dict):
            repeated = known is not None and known.fields[section].repeated
            whole[part] = list(values) if repeated else _single(key, values, problems)
    return _without_twins(known, given) if known else given


def _single(key: str, values: Sequence[Any], problems: list[str]) -> Any:
    if len(values) != 1:
        problems.append(f"{shown(key)} has {len(values)} values, but takes one.")
    return values[0] if values else None


def _without_twins(known: Shape, given: dict[str, Any]) -> dict[str, Any]:
    for name, twin in known.twins.items():
        if name in given and twin in given and _is_base64(given[name], of=given[twin]):
            del given[name]
    return given


def _is_base64(value: Any, *, of: Any) -> bool:
    """Tell whether a value is the same bytes as a text; one that is neither bytes nor a text is refused as that."""
    try:
        return to_text("binary", value) == b64encode(to_text("string", of).encode()).decode()
    except ValueError:
        return False
