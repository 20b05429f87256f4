"""Messages on one endpoint of which a receiver can't tell which it has got."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding, Severity
from xregit.model.datatypes import PLACEHOLDER
from xregit.model.language import MAPPINGS
from xregit.rules.rule import SOUND, ComparedMessage, finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Message
    from xregit.json_pointer import KeyPath
    from xregit.messages.overlap import Overlap


@rule(SOUND, Severity.WARNING, "Nothing tells two messages of one endpoint apart.", "MSG-9", "MSG-110")
def messages_indistinguishable(registry: Registry, compared: ComparedMessage) -> Iterator[Finding]:
    """Report a message that demands the same as another one, or of which the other one demands less."""
    pairs = [pair for pair in compared.overlaps if _differing(registry, pair) is None]
    if pairs:
        text_ = _sentence(pairs, "This message can't be distinguished from") + "."
        help_ = "Let the two differ in a fixed value, such as that of the type, the subject or the topic."
        yield finding(message=text_, help=help_, on_key=True)


@rule(SOUND, Severity.WARNING, "A template takes in what another message has.", "MSG-64", "MSG-110")
def overlapping_template(registry: Registry, compared: ComparedMessage) -> Iterator[Finding]:
    """Report a message if one value can fit its template and the template, or the fixed value, of another message."""
    differing = ((pair, _differing(registry, pair)) for pair in compared.overlaps)
    pairs = [(pair, path) for pair, path in differing if path is not None]
    if pairs:
        path = pairs[0][1]
        text_ = f'{_sentence([pair for pair, _ in pairs], "One value can fit this message and")}: see "{path[-1]}".'
        help_ = "Let the fixed parts differ, or the number of levels; a placeholder stands for any text between them."
        yield finding(*_value_path(compared.message.entity.attributes, path), message=text_, help=help_)


def _sentence(pairs: list[Overlap], sentence: str) -> str:
    from xregit.messages.overlap import MAX_OVERLAPS  # where there are pairs, it is imported

    count = f"{len(pairs) - 1} more" if len(pairs) < MAX_OVERLAPS else f"{MAX_OVERLAPS - 1} or more others"
    more = f" and {count}" if len(pairs) > 1 else ""
    return f'{sentence} "{pairs[0].first}"{more} on endpoint "{pairs[0].endpoints[0]}"'


def _differing(registry: Registry, pair: Overlap) -> tuple[str, ...] | None:
    """Return the property of the second message in which the two differ by more than the names of placeholders."""
    one, other = _texts(registry[pair.first]), _texts(registry[pair.second])
    return next((path for path in other if path in one and one[path] != other[path]), None)


def _texts(message: Message) -> Mapping[tuple[str, ...], str]:
    values = ((item.path, item.value) for item in message.properties)
    return {path: PLACEHOLDER.sub("{}", value) for path, value in values if isinstance(value, str)}


def _value_path(attributes: Any, path: tuple[str, ...]) -> KeyPath:
    """Return the path of a property's value inside what a message itself states, as far as it does."""
    place: list[str | int] = []
    for part in (*path, "value"):
        step: str | int = int(part) if isinstance(attributes, list | tuple) and part.isdecimal() else part
        if not (step in attributes if isinstance(attributes, MAPPINGS) else isinstance(step, int)):
            break
        attributes = attributes[step]
        place.append(step)
    return tuple(place)
