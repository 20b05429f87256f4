"""Pairs of definitions on one endpoint that nothing tells apart, so that one message can fit both.

What two definitions demand is compared attribute by attribute: a message can fit both unless some attribute would need
two values at once. Placeholders are taken to hold no separators, as in the messages that we make.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from xregit.catalog import Message, Registry
from xregit.catalog.properties import Property
from xregit.messages.constraints import Constraint
from xregit.messages.definition import (
    ENVELOPE,
    OPTIONS,
    Definition,
    attribute_constraint,
    option_constraint,
    target,
    to_definition,
)
from xregit.messages.payload import SchemaSource, schema_source
from xregit.messages.template import Template
from xregit.model.media_types import comparable
from xregit.model.protocols import matching_fact
from xregit.protocols.binding import EventBinding, attribute_name, event_binding, percent_decode
from xregit.protocols.cloudevents import SPECVERSION

MAX_COMPARED = 8
#: A message is compared until so many others overlap it; with a hundred more messages, ten thousand more pairs are.
MAX_OVERLAPS = 50
_MAX_CHECKS, _CHECKS_PER_MESSAGE = 400_000, 100

#: An attribute, and what is compared of its text: with LEVELS how many levels it has, else the level of that index.
Slot = tuple[str, int]
LEVELS = -1


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two messages that one message can be, the xid that comes first being ``first``, on these endpoints.

    ``by_payload`` says that their payloads have different schemas, which may tell them apart.
    """

    first: str
    second: str
    endpoints: tuple[str, ...]
    by_payload: bool = False


@dataclass(frozen=True, slots=True)
class _Demands:
    definition: Definition
    source: SchemaSource | None
    demands: Mapping[str, Constraint]
    features: Mapping[Slot, str]


def overlaps(registry: Registry) -> tuple[Overlap, ...]:
    """Return the pairs of messages that an endpoint carries and that nothing tells apart, in the order of xids.

    Of a message that overlaps many others there are ``MAX_OVERLAPS`` pairs, and as many whose payloads differ.
    """
    parts: dict[str, _Demands] = {}
    search = _Search(_MAX_CHECKS + _CHECKS_PER_MESSAGE * len(registry.messages))
    for endpoint in registry.endpoints:
        tiers: defaultdict[str, dict[str, _Demands]] = defaultdict(dict)
        for entry in endpoint.contract:
            message = target(entry.message)
            part = parts.get(message.xid) or parts.setdefault(message.xid, _demands(message))
            if part.definition.enveloped or part.definition.protocol:
                tiers[part.definition.protocol][message.xid] = part
        for tier in tiers.values():
            search.add_pairs(tuple(tier.values()), endpoint.xid)
    return tuple(
        Overlap(first, second, tuple(where), by_payload)
        for (first, second, by_payload), where in sorted(search.endpoints.items())
    )


class _Search:
    """The pairs that overlap, with whether their payloads differ, each with its endpoints."""

    def __init__(self, checks: int) -> None:
        self.endpoints: dict[tuple[str, str, bool], list[str]] = {}
        self.checks = checks
        self.counts: Counter[tuple[str, bool]] = Counter()

    def add_pairs(self, parts: Sequence[_Demands], endpoint: str) -> None:
        """Add the pairs among the messages of an endpoint, as long as there are checks left."""
        # Where all payloads have one schema, no pair differs in that.
        kinds = (False,) if all(part.source == parts[0].source for part in parts) else (False, True)
        for ones, others in _blocks(parts, parts, frozenset()):
            for other in others:
                second = other.definition.xid
                for one in ones:
                    if all(self.counts[second, kind] >= MAX_OVERLAPS for kind in kinds):
                        break
                    first = one.definition.xid
                    if first < second:
                        self.add_pair(one, other, endpoint)
                if self.checks <= 0:
                    return

    def add_pair(self, one: _Demands, other: _Demands, endpoint: str) -> None:
        """Add a pair if it overlaps, and not as many do already."""
        first, second, by_payload = one.definition.xid, other.definition.xid, one.source != other.source
        key = first, second, by_payload
        if key not in self.endpoints and self.counts[second, by_payload] >= MAX_OVERLAPS:
            return
        self.checks -= 1
        if _compatible(one, other):
            self.counts[second, by_payload] += key not in self.endpoints
            self.endpoints.setdefault(key, []).append(endpoint)


def _blocks(
    ones: Sequence[_Demands], others: Sequence[_Demands], used: frozenset[Slot]
) -> Iterator[tuple[Sequence[_Demands], Sequence[_Demands]]]:
    """Yield those of which no feature tells one apart from another, by the feature that tells the most apart first."""
    slot = _best_slot(ones, used) if len(ones) * len(others) > MAX_COMPARED * MAX_COMPARED else None
    if slot is None:
        yield ones, others
        return
    groups, other_groups = _group(ones, slot), _group(others, slot)
    anything = other_groups.get(None, [])
    for value, members in groups.items():
        if value is None:
            yield from _blocks(members, others, used | {slot})
        else:
            yield from _blocks(members, other_groups.get(value, []) + anything, used | {slot})


def _best_slot(parts: Iterable[_Demands], used: frozenset[Slot]) -> Slot | None:
    """Return the slot with the most different values."""
    values: defaultdict[Slot, set[str]] = defaultdict(set)
    for part in parts:
        for slot, value in part.features.items():
            if slot not in used:
                values[slot].add(value)
    best = max(values, key=lambda slot: (len(values[slot]), slot), default=None)
    return best if best is not None and len(values[best]) > 1 else None


def _group(parts: Iterable[_Demands], slot: Slot) -> dict[str | None, list[_Demands]]:
    groups: defaultdict[str | None, list[_Demands]] = defaultdict(list)
    for part in parts:
        groups[part.features.get(slot)].append(part)
    return groups


def _demands(message: Message) -> _Demands:
    item = to_definition(message)
    demands = {each.attribute: each for each in item.constraints if each.compared}
    features: dict[Slot, str] = {}
    for attribute, each in demands.items():
        for place, text in _levels(each):
            features[attribute, place] = text
    exclusive = matching_fact("exclusive").get(item.protocol, ())
    for each in item.options:
        if each.mandatory and each.key in exclusive:
            features["exclusive", 0] = each.key
    for name in ("mode", "format"):
        value = getattr(item, name)
        if value:
            features[f"envelopeoptions/{name}", 0] = value.casefold()
    return _Demands(item, schema_source(message), demands, features)


def _levels(item: Constraint) -> Iterator[tuple[int, str]]:
    """Yield the number of levels of a text, and those levels that hold no placeholder."""
    if item.constant is not None and not item.media:
        yield from _split_levels(item.constant.split("/"))
    elif item.template is not None and not item.template.alone:
        yield from _split_levels(_template_levels(item.template))


def _split_levels(levels: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    yield LEVELS, str(len(levels))
    yield from ((place, text) for place, text in enumerate(levels) if text is not None)


def _template_levels(template: Template) -> list[str | None]:
    """Return the levels of a template, None for those that are not the same in each message."""
    text = template.fill(dict.fromkeys(template.placeholders, "\0"))
    return [None if "\0" in level else level for level in text.split("/")]


def _compatible(one: _Demands, other: _Demands) -> bool:
    """Return whether one message can satisfy both."""
    shared = one.demands.keys() & other.demands.keys()
    conflicts = (one.features[slot] != other.features[slot] for slot in one.features.keys() & other.features.keys())
    return not any(conflicts) and all(agree(one.demands[name], other.demands[name]) for name in shared)


def agree(one: Constraint, other: Constraint) -> bool:
    """Return whether a value can satisfy both constraints, as far as that can be told."""
    if one.constant is not None:
        same = other.media and other.constant is not None and comparable(one.constant) == comparable(other.constant)
        return same or other.fits(one.constant, {})
    if other.constant is not None:
        return one.fits(other.constant, {})
    return one.template is None or other.template is None or _templates_agree(one.template, other.template)


def _templates_agree(one: Template, other: Template) -> bool:
    """Return whether a text can fit two templates, as far as their levels tell."""
    if one.alone or other.alone:
        return True
    parts, others = _all_levels(one), _all_levels(other)
    return len(parts) == len(others) and all(map(_same_level, parts, others))


def _all_levels(template: Template) -> list[str]:
    """Return the levels of a template, parted by all separators of such a value, with a null for a placeholder."""
    text = template.fill(dict.fromkeys(template.placeholders, "\0"))
    for separator in template.separators:
        text = text.replace(separator, "/")
    return text.split("/")


def _same_level(one: str, other: str) -> bool:
    if "\0" not in one and "\0" not in other:
        return one == other
    before, after = (
        (one.partition("\0")[0], other.partition("\0")[0]),
        (one.rpartition("\0")[2], other.rpartition("\0")[2]),
    )
    return _is_prefix(*before) and _is_prefix(after[0][::-1], after[1][::-1])


def _is_prefix(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


_SPECVERSION = Constraint("specversion", "specversion", constant=SPECVERSION)


class Contradiction(NamedTuple):
    """An option and an attribute of the event that no message can both have, with the constraints of each."""

    option: Property
    constraint: Constraint
    attribute: str
    of_event: Constraint


def contradictions(message: Message) -> Iterator[Contradiction]:
    """Yield the options of a message with an envelope that contradict it, as its events can travel in binary mode."""
    binding = event_binding(message.protocol)
    if binding is None or not binding.attributes:
        return
    options = [item for item in message.properties if item.path[:2] == (OPTIONS, binding.attributes)]
    attributes: dict[str, Constraint] = {}
    for item in options:
        name = attribute_name(binding, item.name)
        if name and not attributes:
            declared = (each for each in message.properties if each.path[0] == ENVELOPE)
            attributes = {"specversion": _SPECVERSION} | {each.name: attribute_constraint(each) for each in declared}
        constraint = option_constraint(item, binding.protocol) if name in attributes else None
        if constraint is not None and not agree(_decode_constant(binding, constraint), attributes[name]):
            yield Contradiction(item, constraint, name, attributes[name])


def _decode_constant(binding: EventBinding, constraint: Constraint) -> Constraint:
    """Return what an option asks, as receivers read it; of a template with percent-encoded parts nothing is known."""
    if not binding.percent or "%" not in constraint.expected:
        return constraint
    try:
        constant = percent_decode(constraint.constant) if constraint.constant is not None else None
    except ValueError:
        return constraint
    return replace(constraint, constant=constant, template=None, any_text=True)
