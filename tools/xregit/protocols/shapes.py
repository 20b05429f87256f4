"""What each protocol's messages look like: the fields of its options, from the model files, and their parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xregit.model import builtin, canonical, names, siblings
from xregit.model.language import NOTHING
from xregit.model.protocols import facts
from xregit.records import record

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel

ONE, PAIRS, MAP = "one", "pairs", "map"
#: The types whose values are not any text.
TYPED = frozenset({"boolean", "integer", "timestamp"})
_KINDS = {"array": PAIRS, "map": MAP, "object": MAP}


@record
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
    is_text: bool = False


@record
class Shape:
    """The fields of one protocol's messages by their names.

    ``twins`` has the fields for bytes with those that hold the same as text, ``aliases`` other names of fields,
    ``forbidden`` finds what no text of the message may hold.
    """

    protocol: str
    fields: Mapping[str, Field]
    twins: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    forbidden: re.Pattern[str] | None = None


def shape(protocol: str) -> Shape | None:
    """Return what messages of a protocol look like, None for one that the specification doesn't know."""
    return _shape(protocol) if protocol in names("protocol") else None


@cache
def _shape(protocol: str) -> Shape:
    said: Mapping[str, Any] = facts("wire").get(protocol, NOTHING)
    message = builtin().groups["messagegroups"].resources["messages"]
    options = siblings(message.attributes, {"protocol": protocol})["protocoloptions"].attributes
    forbidden = said.get("forbidden")
    return Shape(
        protocol=protocol,
        fields=MappingProxyType({name: _field(name, model, said) for name, model in options.items()}),
        twins=MappingProxyType(said.get("twins", {})),
        aliases=MappingProxyType(said.get("aliases", {})),
        forbidden=re.compile(forbidden) if forbidden else None,
    )


def protocol_name(protocol: str) -> str:
    """Return a protocol's name as we write it."""
    return canonical("protocol", protocol)


def key_of(protocol: str, section: str, name: str) -> str:
    """Return the key that ``flatten`` gives a part of a section, such as ``headers/content-type``."""
    known = shape(protocol)
    folded = known is not None and section in known.fields and known.fields[section].folded
    return f"{section}/{name.lower() if folded else name}"


def _field(name: str, model: AttributeModel, said: Mapping[str, Any]) -> Field:
    return Field(
        name=name,
        kind=_KINDS.get(model.type, ONE),
        model=model,
        folded=name in said.get("fold", ()),
        repeated=name in said.get("repeated", ()),
        twin=said.get("twins", {}).get(name, ""),
        namesyntax=_namesyntax(model),
        is_text=model.type not in _KINDS and model.property not in TYPED and name not in said.get("twins", {}),
    )


def _namesyntax(model: AttributeModel) -> str:
    if model.item is None or "name" not in model.item.attributes:
        return ""
    return model.item.attributes["name"].syntax
