"""Unions of XML Schema, whose values keep the text that stands in a document: ``007`` may be a number or a text."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from xmlschema.validators import Xsd11Union, XsdUnion

if TYPE_CHECKING:
    from collections.abc import Mapping

    Kinds = Mapping[type, type["Stated"]]


class Stated:
    """A value that is also what the document says; facets compare it by its value."""

    text: str

    def __str__(self) -> str:
        """Return the text."""
        return self.text


class Whole(Stated, int):
    """A whole number, or whether something is true."""


class Exact(Stated, Decimal):
    """A decimal number."""


class Broken(Stated, float):
    """Any other number."""


_KINDS: Kinds = {bool: Whole, int: Whole, Decimal: Exact, float: Broken}


class _Keeping(XsdUnion):
    """What unions of both versions do."""

    __slots__ = ()

    def raw_decode(self, obj: Any, validation: str, context: Any) -> Any:
        """Return the value of a text by the first member type that it fits, and the text with it."""
        found = super().raw_decode(obj, validation, context)
        kind: Any = _KINDS.get(type(found))
        if kind is None or not isinstance(obj, str):
            return found
        made = kind(found)
        made.text = " ".join(obj.split())  # as all types but those of texts have it
        return made


class Union10(_Keeping):
    """The union of version 1.0."""

    __slots__ = ()


class Union11(_Keeping, Xsd11Union):
    """The union of version 1.1."""

    __slots__ = ()
