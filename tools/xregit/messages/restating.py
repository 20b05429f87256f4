"""Protocol options that stand for attributes of the event in binary mode, and contradict what the event declares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from xregit.messages.constraints import Constraint
from xregit.messages.definitions import ENVELOPE, OPTIONS, attribute_constraint, option_constraint
from xregit.messages.overlapping import agree
from xregit.protocols import percent
from xregit.protocols.carriers import Carrier, carrier
from xregit.protocols.carrying import attribute_name
from xregit.protocols.events import SPECVERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog import Message
    from xregit.catalog.properties import Property

_SPECVERSION = Constraint("specversion", "specversion", constant=SPECVERSION)


class Contradiction(NamedTuple):
    """An option, and the attribute of the event that no message can have if it has the option, with what each asks."""

    option: Property
    asked: Constraint
    attribute: str
    due: Constraint


def contradictions(message: Message) -> Iterator[Contradiction]:
    """Give the options of a message with an envelope that contradict it, as its events can travel in binary mode."""
    known = carrier(message.protocol)
    if known is None or not known.attributes:
        return
    options = [item for item in message.properties if item.path[:2] == (OPTIONS, known.attributes)]
    attributes: dict[str, Constraint] = {}
    for item in options:
        name = attribute_name(known, item.name)
        if name and not attributes:
            declared = (each for each in message.properties if each.path[0] == ENVELOPE)
            attributes = {"specversion": _SPECVERSION} | {each.name: attribute_constraint(each) for each in declared}
        asked = option_constraint(item, known.protocol) if name in attributes else None
        if asked is not None and not agree(_decode_constant(known, asked), attributes[name]):
            yield Contradiction(item, asked, name, attributes[name])


def _decode_constant(known: Carrier, asked: Constraint) -> Constraint:
    """Return what an option asks, as receivers read it; of a template with percent-encoded parts nothing is known."""
    if not known.percent or "%" not in asked.expected:
        return asked
    try:
        constant = percent.percent_decode(asked.constant) if asked.constant is not None else None
    except ValueError:
        return asked
    return replace(asked, constant=constant, template=None, any_text=True)
