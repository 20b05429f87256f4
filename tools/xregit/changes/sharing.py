"""The properties of two states of a message to what the placeholders that they share do to what they allow.

Source: message/spec.md, "Property definitions": a placeholder that is used several times in one message definition
stands for the same value each time. So a value may allow as much as before, and the message less or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.properties import placeholders_in, texts
from xregit.changes import relating
from xregit.messages.template import Template

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from xregit.catalog.properties import Property


def shared(pairs: Sequence[tuple[Property | None, Property | None]]) -> list[tuple[bool, bool]]:
    """Return for each pair whether shared placeholders let the new value allow all old messages, and the other way.

    What stays as it is comes first, so that the value that has changed is the one that is told of. Where a placeholder
    goes to the place of another one, neither is: what stood here stands there now, though the texts look the same.
    """
    values = [(_text(one), _text(other)) for one, other in pairs]
    order = sorted(range(len(pairs)), key=lambda number: values[number][0] != values[number][1])
    more = _allowed([values[number] for number in order])
    less = _allowed([values[number][::-1] for number in order])
    found = dict(zip(order, zip(more, less, strict=True), strict=True))
    names = {name for one, _ in values for name in placeholders_in(one)}
    return [
        (False, False) if all(found[number]) and _moves(*pair, names) else found[number]
        for number, pair in enumerate(values)
    ]


def _moves(before: str, after: str, names: Container[str]) -> bool:
    """Tell whether one of the message's placeholders stands in the place of another one, and nothing else differs."""
    old, new = texts(before), texts(after)
    literals = [[part.text for part in parts if not part.placeholder] for parts in (old, new)]
    exchanged = [(one.placeholder, other.placeholder) for one, other in zip(old, new, strict=False)]
    alike = (
        len(old) == len(new)
        and literals[0] == literals[1]
        and len(placeholders_in(before)) == len(placeholders_in(after))
    )
    return alike and any(one != other and other in names for one, other in exchanged)


def _text(item: Property | None) -> str:
    value = relating.allowed(item) if item else None
    return value if isinstance(value, str) else ""


def _allowed(values: Sequence[tuple[str, str]]) -> list[bool]:
    """Tell of each pair whether the second value, if it reads what the first makes, reads it after all before it."""
    stand_ins = relating.stand_ins(narrow for narrow, _ in values)
    known: tuple[dict[str, str], ...] = ({}, {})
    found = []
    for narrow, wide in values:
        # Both are read whatever comes of the first, as each tells what placeholders stand for.
        least, most = map(_fits, [Template.parse(wide)] * 2, relating.samples(narrow, stand_ins), known)
        found.append(least and most)
    return found


def _fits(template: Template, sample: str, known: dict[str, str]) -> bool:
    """Tell whether nothing that is known keeps a text from fitting, and note what it tells."""
    context = dict(known)
    if template.read(sample, context):
        known.update(context)
        return True
    return not template.read(sample, {})
