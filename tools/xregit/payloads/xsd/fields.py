"""The fields of XML Schema elements and types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from xregit.payloads.fields import (
    MAX_FIELDS,
    MORE_FIELDS,
    WILDCARD,
    Field,
    beyond_type,
    count_text,
    has_budget,
    pattern_texts,
    range_text,
    with_budget,
)
from xregit.payloads.xsd.schema import XSD

# Built-in types to the types of fields; those that are missing are strings.
_TYPES: Mapping[str, str] = {
    "boolean": "boolean",
    "decimal": "decimal",
    "float": "float32",
    "double": "float64",
    "date": "date",
    "time": "time",
    "dateTime": "timestamp",
    "dateTimeStamp": "timestamp",
    "duration": "duration",
    "hexBinary": "bytes",
    "base64Binary": "bytes",
    "anyURI": "uri",
    "byte": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "unsignedByte": "uint8",
    "unsignedShort": "uint16",
    "unsignedInt": "uint32",
    "unsignedLong": "uint64",
    "integer": "integer",
    "positiveInteger": "integer",
    "negativeInteger": "integer",
    "nonNegativeInteger": "integer",
    "nonPositiveInteger": "integer",
}
TEXT_FIELD = "$"


@with_budget(MAX_FIELDS)
def fields(component: Any) -> tuple[Field, ...]:
    """Return the attributes and child elements of an element or type; the text alone where there are none.

    Attributes have ``@`` before their names, and text beside attributes is called ``$``, as in the decoded values.
    """
    field = _field_of_type("", component, required=True, nullable=False, trail=())
    return field.fields if field.type == "record" else (field,)


def _elements(type_: Any, trail: tuple[str, ...]) -> Iterator[Field]:
    """Yield the fields of child elements, each once; lists of those that may stand there more than once."""
    repeated, names = repeated_names(type_), set()
    for element in type_.content.iter_elements():
        if element.name is None or not hasattr(element, "type"):
            yield WILDCARD
        elif element.name not in names:
            names.add(element.name)
            yield _element(element, trail, is_list=element.name in repeated)


def _element(element: Any, trail: tuple[str, ...], *, is_list: bool) -> Field:
    required = element.min_occurs > 0 and not _optional_group(element)
    if not is_list:
        return _field_of_type(element.local_name, element, required=required, nullable=element.nillable, trail=trail)
    item = _field_of_type("item", element, required=True, nullable=element.nillable, trail=trail)
    return Field(element.local_name, "array", item.native, required, description=item.description, fields=(item,))


def repeated_names(type_: Any) -> frozenset[str]:
    """Return the names of the child elements of a type that may stand there more than once."""
    return frozenset(name for name, most in _max_counts(type_.content).items() if most > 1)


def _max_counts(particle: Any) -> Mapping[str, float]:
    """Return how many elements of each name may stand in a group at most."""
    times = inf if particle.max_occurs is None else particle.max_occurs
    if not hasattr(particle, "model"):
        return {particle.name: times} if particle.name is not None else {}
    parts = [_max_counts(part) for part in particle]
    most: dict[str, float] = {}
    for part in parts:
        for name, count in part.items():
            before = most.get(name, 0)
            most[name] = max(before, count) if particle.model == "choice" else before + count
    return {name: count * times for name, count in most.items() if count}


def _optional_group(element: Any) -> bool:
    """Return whether a group around the element may be left out, or is a choice."""
    group = getattr(element, "parent", None)
    while group is not None and hasattr(group, "model"):
        if group.min_occurs == 0 or (group.model == "choice" and len(group) > 1):
            return True
        group = group.parent
    return False


def _field_of_type(name: str, component: Any, *, required: bool, nullable: bool, trail: tuple[str, ...]) -> Field:
    if not has_budget():
        return MORE_FIELDS
    type_ = getattr(component, "type", component)
    description = documentation(component) or documentation(type_)
    native = type_.prefixed_name or type_.local_name or ""
    if is_text_only(type_):
        return _simple_field(name, type_, description, required=required, nullable=nullable)
    if type_.name is not None and type_.name in trail:
        return Field(name, "record", native, required, nullable, description, recursive=True)
    if type_.name == f"{{{XSD}}}anyType":
        return Field(name, "any", native, required, nullable, description)
    members = tuple(_inner_fields(type_, (*trail, type_.name) if type_.name else trail))
    return Field(name, "record", native, required, nullable, description, members)


def is_text_only(type_: Any) -> bool:
    """Return whether the elements of a type are texts, without attributes beside them."""
    return type_.is_simple() or (type_.has_simple_content() and not type_.attributes)


def _inner_fields(type_: Any, trail: tuple[str, ...]) -> Iterator[Field]:
    for key, attribute in type_.attributes.items():
        if key is not None:
            required = attribute.use == "required"
            text = documentation(attribute) or documentation(attribute.type)
            yield _simple_field(f"@{attribute.local_name}", attribute.type, text, required=required, nullable=False)
    if type_.has_simple_content():
        yield _simple_field(TEXT_FIELD, type_.content, "", required=True, nullable=False)
    elif len(trail) <= _MAX_TRAIL:
        yield from _elements(type_, trail)
        if type_.mixed:
            yield Field(TEXT_FIELD, "string", "mixed")


_MAX_TRAIL = 30


def _simple_field(name: str, type_: Any, description: str, *, required: bool, nullable: bool) -> Field:
    simple = type_.content if type_.is_complex() else type_
    native = simple.prefixed_name or built_in(simple)
    if simple.is_list():
        item = _simple_field("item", item_type(simple), "", required=True, nullable=False)
        return Field(name, "array", native, required, nullable, description, (item,))
    if simple.enumeration:
        values = tuple(str(item) if reads_as_text(simple) else item for item in simple.enumeration)
        return Field(name, "enum", native, required, nullable, description, values=values)
    kind = _TYPES.get(built_in(simple), "string")
    digits, scale = (facet(simple, item) for item in ("totalDigits", "fractionDigits"))
    if digits is None or scale is None:  # digits alone leave open where the point is
        digits = scale = 0
    limits = _bound_texts(simple) if kind in _UNBOUNDED else beyond_type(_bound_texts(simple))
    return Field(name, kind, native, required, nullable, description, precision=digits, scale=scale, limits=limits)


def reads_as_text(simple: Any) -> bool:
    """Return whether values are shown as texts: those of unions and of most enumerations."""
    base = simple
    while base is not None and getattr(base, "member_types", None) is None:
        base = base.base_type
    return base is not None or any(type(item) is not int for item in simple.enumeration or ())


def item_type(type_: Any) -> Any:
    """Return the type of the items of a list; one that narrows another list, as NMTOKENS does, leaves that to it."""
    while getattr(type_, "item_type", None) is None:
        type_ = type_.base_type
    return type_.item_type


def _bound_texts(simple: Any) -> tuple[str, ...]:
    """Return the words for the facets of a type."""
    facets = {name: value for name in _FACETS if (value := facet(simple, name)) is not None}
    low, high = (facets.get(f"{end}Inclusive", facets.get(f"{end}Exclusive")) for end in ("min", "max"))
    above, below = "minExclusive" in facets, "maxExclusive" in facets
    shortest, longest = (facets.get("length", facets.get(f"{end}Length")) for end in ("min", "max"))
    pattern = simple.get_facet(f"{{{XSD}}}pattern")
    words = (range_text(low, high, above=above, below=below), count_text(shortest, longest, "characters", "character"))
    return (*filter(None, words), *pattern_texts(pattern.regexps if pattern is not None else ()))


_UNBOUNDED = frozenset({"string", "integer", "number", "decimal", "bytes", "uri"})
_FACETS = ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive", "length", "minLength", "maxLength")


def facet(type_: Any, name: str) -> Any:
    """Return the value of a simple type's facet, such as ``maxLength``, or None; patterns and lists have none."""
    return getattr(type_.get_facet(f"{{{XSD}}}{name}"), "value", None)


def built_in(type_: Any) -> str:
    """Return the name of the built-in type that a simple type restricts, such as ``date``."""
    while type_ is not None and not (type_.name or "").startswith(f"{{{XSD}}}"):
        type_ = type_.base_type
    return type_.local_name if type_ is not None else "string"


def documentation(component: Any) -> str:
    """Return the documentation of an element or type."""
    annotation = getattr(component, "annotation", None)
    texts = annotation.documentation if annotation is not None else ()
    return " ".join(" ".join("".join(item.itertext()).split()) for item in texts)
