"""Messages as clients of brokers print them in a shell, such as ``kcat -J``, in the JSON shape of the wire."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from xregit.model.protocols import facts
from xregit.protocols.message_layout import MAP, ONE, message_layout


def is_message(value: object) -> bool:
    """Return whether a JSON value looks like a message or an event, and not like the payload of one."""
    return isinstance(value, Mapping) and ("protocol" in value or "specversion" in value or value.keys() >= EVENT)


EVENT = frozenset({"id", "source", "type"})


def printed_forms(value: object) -> tuple[dict[str, Any], ...]:
    """Return the messages that a client's print may stand for, one for each protocol; none if it is no such print."""
    if not isinstance(value, Mapping) or is_message(value):
        return ()
    printed = facts("printed").items()
    return tuple(_form(protocol, value, fact) for protocol, fact in printed if value.keys() >= set(fact["signs"]))


def _form(protocol: str, value: Mapping[str, Any], fact: Mapping[str, Any]) -> dict[str, Any]:
    form: dict[str, Any] = {"protocol": protocol}
    for path, name in fact["fields"].items():
        item: Any = value
        for part in path.split("/"):
            item = item.get(part) if isinstance(item, Mapping) else None
        if item is not None:
            form[name] = _field(protocol, name, item)
    body = value.get(fact["body"])
    return form if body is None else {**form, "body": body}


def _field(protocol: str, name: str, value: Any) -> Any:
    layout = message_layout(protocol)
    field = layout.fields[name] if layout else None
    if field is None or field.kind == ONE:
        is_text = isinstance(value, str) and field is not None and field.model.property == "binary"
        return {"base64": b64encode(value.encode()).decode()} if is_text else value
    pairs = [(key, item) for key, item in _pairs(value) if item is not None]
    if field.kind == MAP:
        names = dict.fromkeys(key for key, _ in pairs)
        return {key: [item for other, item in pairs if other == key] for key in names}
    return [{"name": key, "value": item} for key, item in pairs]


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield names with values, whether they come as an object, as several, or in turn."""
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        for item in value:
            yield from item.items()
    elif isinstance(value, list):
        yield from zip(map(str, value[::2]), value[1::2], strict=False)
