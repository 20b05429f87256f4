"""Definitions and the facts of protocols as JSON, so that a program in another language can match messages.

``pages/assets/recognise.js`` is one; it does with them what this package does, payload schemas aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from xregit.catalog import Message
from xregit.messages.constraints import Constraint
from xregit.messages.definition import Definition
from xregit.messages.payload import schema_source
from xregit.messages.template import Template
from xregit.model import names
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, SYNTAXES
from xregit.model.language import AttributeModel
from xregit.model.protocols import facts as said_of
from xregit.model.protocols import matching_fact
from xregit.protocols.message_layout import TYPED, Field, message_layout

#: Fields that only making messages needs.
_MAKING = frozenset({"separators", "refused", "allowed", "text"})
#: The fields of a constraint, and those of a template, that recognising messages needs.
_COMPARED = tuple(item.name for item in fields(Constraint))
_READ = tuple(item.name for item in fields(Template) if item.name not in _MAKING)
_compared, _read = attrgetter(*_COMPARED), attrgetter(*_READ)


def export_definition(message: Message, definition: Definition) -> dict[str, Any]:
    """Return the definition of a message as JSON; members that are empty or false are left out."""
    members = {
        "xid": definition.xid,
        "protocol": definition.protocol,
        "enveloped": definition.enveloped,
        "envelope": [_constraint(item) for item in definition.envelope],
        "options": [_constraint(item) for item in definition.options],
        "mode": definition.mode,
        "format": definition.format,
        "contenttype": definition.contenttype,
        "schema": schema_source(message) is not None,
    }
    return {name: value for name, value in members.items() if value}


def export_facts() -> dict[str, Any]:
    """Return what the specifications say of messages of each protocol, and of the texts of types."""
    selectors = matching_fact("selectors")
    return {
        "names": [[spelling, name.name, name.versions == "any"] for name in names("protocol").values()
                  for spelling in (name.name.casefold(), *(alias.casefold() for alias in name.aliases))],
        "wire": {protocol: _wire(protocol, said_of("wire").get(protocol, {})) for protocol in names("protocol")},
        "carriers": dict(said_of("cloudevents")),
        "printed": dict(said_of("printed")),
        "selectors": {"envelope": selectors[""], "protocols": {name: keys for name, keys in selectors.items() if name}},
        "patterns": {
            "uri": DATATYPES["uri"].schema["pattern"],
            "timestamp": DATATYPES["timestamp"].schema["pattern"],
            "binary": DATATYPES["binary"].schema["pattern"],
            "duration": PROPERTY_TYPES["duration"].schema["pattern"],
        },
    }  # fmt: skip


def _constraint(item: Constraint) -> dict[str, Any]:
    members: dict[str, Any] = dict(zip(_COMPARED, _compared(item), strict=True))
    members["template"] = _template(item.template) if item.template else None
    # A constant may be an empty text.
    return {name: value for name, value in members.items() if value or (name == "constant" and value is not None)}


def _template(item: Template) -> dict[str, Any]:
    return {name: value for name, value in zip(_READ, _read(item), strict=True) if value}


def _wire(protocol: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    layout = message_layout(protocol)
    listed = layout.fields.items() if layout else ()
    return {
        "fields": {name: _field(field) for name, field in listed},
        "twins": dict(facts.get("twins", {})),
        "aliases": dict(facts.get("aliases", {})),
        "forbidden": facts.get("forbidden", ""),
    }


def _field(field: Field) -> dict[str, Any]:
    inner = field.model.attributes if field.kind == "map" else {}
    members = {
        "kind": field.kind,
        "folded": field.folded,
        "repeated": field.repeated,
        "twin": field.twin,
        "names": SYNTAXES[field.namesyntax].schema.get("pattern", "") if field.namesyntax else "",
        "value": _value(field.model) if field.kind == "one" else None,
        "attributes": {name: _value(model) for name, model in inner.items()},
    }
    return {name: value for name, value in members.items() if value}


def _value(model: AttributeModel) -> dict[str, Any]:
    """Return what one value must be: of which type, where not any text will do, and of which narrower form."""
    typed = model.property if model.property in TYPED else ""
    types = () if typed else model.attributes["type"].enum
    members = {
        "typed": typed,
        "ulong": "ulong" in types,
        "binary": "binary" in types,
        "enum": [str(item) for item in model.enum],
        "within": _within(model.syntax) if typed and model.syntax else None,
    }
    return {name: value for name, value in members.items() if value}


def _within(syntax: str) -> list[int]:
    schema = SYNTAXES[syntax].schema
    return [schema["minimum"], schema["maximum"]]
