"""Protocol options to the binding objects of AsyncAPI, row by row of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.document.asyncapi.schemas import object_schema, property_schema
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xregit.document.asyncapi.facts import BindingMember, Protocol
    from xregit.document.asyncapi.options import OptionValues

_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
}


def bindings(known: Protocol, level: str, options: OptionValues) -> dict[str, Any]:
    """Return the member ``bindings`` of a server, operation or message, or nothing."""
    if not known.binding:
        return {}
    pairs = ((name, _FORMS[row.form](row, options)) for name, row in known.rows.get(level, NOTHING).items())
    members = {name: value for name, value in pairs if value is not None}
    if not members and level != "operation":
        return {}
    version = {"bindingVersion": known.version} if known.version else {}
    return {"bindings": {known.binding: {**members, **version}}}


def _value(row: BindingMember, options: OptionValues) -> Any:
    """Return a constant that the binding takes, or nothing."""
    found = options.first(row.sources)
    if found is None:
        return row.default
    if found.placeholders:
        return None
    value = _parse_number(found.value) if row.type == "integer" else found.value
    fits = value in row.enum and not isinstance(value, bool) if row.enum else _TYPES[row.type](value)
    return value if fits else None


def _parse_number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10 else value  # noqa: PLR2004 - digits that every reader takes


def _binding_schema(row: BindingMember, options: OptionValues) -> Any:
    found = options.first(row.sources)
    return property_schema(found) if found else None


def _binding_object(row: BindingMember, options: OptionValues) -> Any:
    found = options.all(row.sources)
    return object_schema(found) if found else None


_FORMS: Mapping[str, Callable[[BindingMember, OptionValues], Any]] = {
    "value": _value,
    "schema": _binding_schema,
    "object": _binding_object,
}
