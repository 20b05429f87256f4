"""XML elements to values, in the shapes that `fields` tells of them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import xmlschema

from xregit.payloads.xsd.fields import TEXT, is_plain, is_text, item_type, many
from xregit.payloads.xsd.places import XSD
from xregit.payloads.xsd.values import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
# So many types are remembered with those of their elements that may stand there more than once.
REMEMBERED = 4096
_many = lru_cache(maxsize=REMEMBERED)(many)


class Values(xmlschema.XMLSchemaConverter):
    """Makes the values of elements, the inner ones first."""

    __slots__ = ()

    def element_decode(self, data: Any, xsd_element: Any, xsd_type: Any = None, level: int = 0) -> Any:  # noqa: ARG002
        """Return the value of an element, whose attributes and content have been read."""
        type_ = xsd_type or xsd_element.type
        stated = dict(data.attributes or ())
        found = _attributes(stated, type_)
        if str(stated.get(f"{XSI}nil")).strip() in {"true", "1"}:  # Structures, 2.6.2: it has attributes at most
            return found or None
        if type_.is_simple() or type_.has_simple_content():
            text = _value(data.text, type_)
            return text if is_plain(type_) and not found else {**found, TEXT: text}
        content = data.content or ()
        texts = [data.text, *(value for name, value, _ in content if isinstance(name, int))]
        said = " ".join(filter(None, texts))
        found |= _children(((name, value) for name, value, _ in content if not isinstance(name, int)), _many(type_))
        if type_.name == f"{{{XSD}}}anyType" and not found:
            return said
        return {**found, TEXT: said} if said else found


def _attributes(stated: dict[str, Any], type_: Any) -> dict[str, Any]:
    """Return the attributes but those that say where the schema is, or which type is meant, by their local names."""
    declared = type_.attributes if type_.is_complex() else {}
    own = {
        name: _value(value, declared[name].type if name in declared else None)
        for name, value in stated.items()
        if not name.startswith(XSI)
    }
    alike = Counter(map(local, own))
    return {f"@{local(name) if alike[local(name)] == 1 else name}": value for name, value in own.items()}


def _children(content: Iterable[tuple[str, Any]], several: frozenset[str]) -> dict[str, Any]:
    """Return the values of child elements by their local names, lists where more than one may stand there, or does."""
    met: dict[str, list[Any]] = {}
    lists = set()
    for name, value in content:
        met.setdefault(local(name), []).append(value)
        if name in several:
            lists.add(local(name))
    return {name: values if name in lists or len(values) > 1 else values[0] for name, values in met.items()}


def local(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition("}")[2]


def _value(value: Any, type_: Any) -> Any:
    """Return a single value, bytes as such, and as text what a union or an enumeration may have beside texts."""
    simple = type_.content if type_ is not None and type_.is_complex() else type_
    if isinstance(value, list):
        inner = item_type(simple) if simple is not None and simple.is_list() else None
        return [_value(each, inner) for each in value]
    # Of all values, those of xs:hexBinary and xs:base64Binary alone can be decoded; their texts look alike.
    plain = value.decode() if hasattr(value, "decode") else value
    return text_of(plain, simple) if simple is not None and is_text(simple) else plain
