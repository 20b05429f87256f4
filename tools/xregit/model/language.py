"""The xRegistry model language as values: which groups, resources and attributes a registry may have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

NOTHING: Mapping[str, Any] = MappingProxyType({})
#: The types of all mappings here; testing for these is several times faster than testing for any Mapping.
MAPPINGS = (dict, MappingProxyType)


def nothing() -> Mapping[str, Any]:
    """Return NOTHING, the default of fields; the standard library refuses a mapping itself."""
    return NOTHING


@dataclass(frozen=True, eq=False, slots=True)
class AttributeModel:
    """One attribute of the model language; a name of ``*`` allows any further attribute of that type.

    Beyond the language, for documentation: ``source`` cites where a specification defines it, ``requirements``
    lists ids of the requirements table, the most specific first, ``cited`` is that one, or that of what the attribute
    is a part of, ``listed`` is the one that lists which attributes it may have, ``core`` marks what the core
    specification gives every entity, ``delivery`` what delivery sets, so that matching does not compare it.
    ``separators`` are the characters between the levels of such a value, ``refused`` those it may not hold at all,
    ``allowed`` the only ones that it may hold, written as within the brackets of a regular expression.

    Beyond the language, for checking (none of it is served):

    * ``property`` is the native type of a message property. The attribute is a property definition, an object;
      with type ``any`` it may also be the property's bare value.
    * ``syntax`` names a narrower form in `datatypes.SYNTAXES`, ``forms`` those that a property's value has instead
      where the property is of one of these types; ``keys`` is the form of a map's keys or of an
      object's undeclared names, ``names`` the table of `names` whose spellings count as the same.
    * ``inheritable`` says that a required attribute may come from a base message.
    * ``fold`` and ``unwrap`` name another way to write the value, which `interpreter` turns into this one.
    * ``example`` is a value as it stands in YAML, where its form alone would suggest another one.
    * ``targets`` are the types that ``target`` stands for once resource types shared by groups are counted.
    """

    name: str
    type: str = "string"
    description: str = ""
    enum: tuple[Any, ...] = ()
    strict: bool = True
    required: bool = False
    default: Any = None
    readonly: bool = False
    immutable: bool = False
    target: str = ""
    namecharset: str = "strict"
    attributes: Mapping[str, AttributeModel] = field(default_factory=nothing)
    item: AttributeModel | None = None
    ifvalues: Mapping[str, Mapping[str, AttributeModel]] = field(default_factory=nothing)
    source: str = ""
    requirements: tuple[str, ...] = ()
    cited: str = ""
    listed: str = ""
    core: bool = False
    delivery: bool = False
    separators: str = ""
    refused: str = ""
    allowed: str = ""
    property: str = ""
    syntax: str = ""
    forms: Mapping[str, str] = field(default_factory=nothing)
    keys: str = ""
    names: str = ""
    inheritable: bool = False
    fold: str = ""
    unwrap: str = ""
    example: str = ""
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class ResourceModel:
    """One resource type: ``attributes`` stand on its versions, ``metaattributes`` on its meta entity.

    ``resourceattributes`` stand on the resource itself: its id and the way to its meta entity and versions.
    """

    plural: str
    singular: str
    description: str = ""
    attributes: Mapping[str, AttributeModel] = field(default_factory=nothing)
    metaattributes: Mapping[str, AttributeModel] = field(default_factory=nothing)
    resourceattributes: Mapping[str, AttributeModel] = field(default_factory=nothing)
    maxversions: int = 0
    hasdocument: bool = True
    setdefaultversionsticky: bool = True
    flags: Mapping[str, Any] = field(default_factory=nothing)
    source: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class GroupModel:
    """One group type with its resource types; ``ximportresources`` names those it shares with others."""

    plural: str
    singular: str
    description: str = ""
    attributes: Mapping[str, AttributeModel] = field(default_factory=nothing)
    resources: Mapping[str, ResourceModel] = field(default_factory=nothing)
    ximportresources: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """Everything a registry of one specification version may contain."""

    specversion: str
    attributes: Mapping[str, AttributeModel] = field(default_factory=nothing)
    groups: Mapping[str, GroupModel] = field(default_factory=nothing)
    settings: Mapping[str, AttributeModel] = field(default_factory=nothing)
    waivers: Mapping[str, AttributeModel] = field(default_factory=nothing)


_COMPOUND = re.compile("(message|schema)groups?")


def type_label(name: str) -> str:
    """Return the display name of a type, given its singular or plural name, such as ``message group``."""
    return name.replace("group", " group") if _COMPOUND.fullmatch(name) else name.replace("_", " ")
