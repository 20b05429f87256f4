"""A value filled into a property of the protocol to what is wrong with its form.

The rules hold a definition's own values against these forms; what placeholders bring is known only now.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.model.datatypes import SYNTAXES
from xregit.model.propertydefs import form_of
from xregit.model.quoting import shown
from xregit.protocols.shapes import shape

if TYPE_CHECKING:
    from collections.abc import Iterator


def form_problems(protocol: str, key: str, label: str, value: Any, kind: str = "") -> Iterator[str]:
    """Give what is wrong with a value's form, if anything, as a part of a sentence.

    ``kind`` is the type that the definition states, ``label`` what the property is called for people.
    """
    form = _form(protocol, key, kind)
    if form and not SYNTAXES[form].test(value) and not SYNTAXES[form].test(str(value)):
        yield f"{label} must be {SYNTAXES[form].about}, but is {shown(value)}"


@cache
def _form(protocol: str, key: str, kind: str) -> str:
    """Return the name of the form that values under a key have, none as an empty text."""
    known = shape(protocol)
    section, _, name = key.partition("/")
    if known is None or section not in known.fields:
        return ""
    whole = known.fields[section].model
    model = whole.attributes.get(name) or whole.item or whole
    return form_of(model, kind or model.property)
