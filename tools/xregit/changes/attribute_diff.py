"""Differences of attributes: the single values in which two entities differ, and how two values relate.

Values and templates relate as the same, more, less, or something else.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from xregit.catalog.properties import Property
from xregit.changes.verdict_table import load_table
from xregit.json_pointer import NamePath
from xregit.messages.constraints import PLAIN_TYPES, text_or_none
from xregit.messages.definition import is_now
from xregit.messages.template import URI_TYPES, Template
from xregit.model import canonical as canonical_name
from xregit.model.media_types import comparable

SAME, WIDER, NARROWER, OTHER = "same", "wider", "narrower", "other"
# Expressions of RFC 6570 that message/spec.md does not allow, such as {+vin}: nobody knows what readers make of them.
_BEYOND_LEVEL_1 = re.compile(r"\{(?:[+#./;?&=,!@|][^{}]*|[^{}]*[*:,][^{}]*)\}")
# Samples of what a placeholder may hold begin here: no real value has these characters.
_FIRST_SAMPLE = 0xE000


def alike(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: ``True`` is not 1, and ``False`` is not 0.

    Equal values nearly always have the same ``repr``, and comparing those is much faster.
    """
    return bool(one == other) and (repr(one) == repr(other) or _members_alike(one, other))


def _members_alike(one: Any, other: Any) -> bool:
    """Return whether two values that are equal to Python are equal as JSON."""
    if isinstance(one, Mapping):
        return all(_members_alike(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple):
        return all(map(_members_alike, one, other))
    return isinstance(one, bool) == isinstance(other, bool)


def diff_leaves(
    before: Mapping[str, Any], after: Mapping[str, Any], skipped: Container[str] = (), path: NamePath = ()
) -> Iterator[tuple[NamePath, Any, Any]]:
    """Yield each path whose value differs, with both values: None for an absent one, and a list as a whole.

    At the top, ``skipped`` attributes and those that keep the books of a registry are left out.
    """
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if alike(old, new) or (not path and (name in skipped or name in load_table().bookkeeping)):
            continue
        if (old or new) and all(value is None or isinstance(value, Mapping) for value in (old, new)):
            yield from diff_leaves(old or {}, new or {}, (), (*path, str(name)))
        else:
            yield (*path, str(name)), old, new


def value_relation(
    before: Property, after: Property, *, more: bool = True, less: bool = True, separators: str = ""
) -> str:
    """Return how the values that a property may have relate.

    A placeholder that is only a part of a value matches one of the levels between the protocol's ``separators``.
    ``more`` and ``less`` are what `message_diff.shared_placeholders` finds for the rest of the message: whether the new
    values still allow all old messages, and the old values all new ones.
    """
    old, new = allowed_value(before), allowed_value(after)
    if more and less and same_value(before.name, old, new):
        return SAME
    if any(isinstance(value, str) and _BEYOND_LEVEL_1.search(value) for value in (old, new)):
        return OTHER
    if all(isinstance(value, str) for value in (old, new)) and _levels(old, separators) != _levels(new, separators):
        more, less = more and Template.parse(new).alone, less and Template.parse(old).alone
    return _relation(more and _covers(new, old, after.type), less and _covers(old, new, before.type))


def _levels(value: str, separators: str) -> list[int]:
    """Return how often a value has each separator."""
    return [value.count(sign) for sign in separators]


def type_relation(before: Property, after: Property) -> str:
    """Return how two types relate; a constant that is text in both stays the same text on the wire.

    A URI writes the value of a placeholder in its own way, with percent signs. In a section whose values travel in
    their own encoding, no type is part of another one.
    """
    old, new = before.type, after.type
    if old != new and not {old, new}.isdisjoint(load_table().encoded_types.get(after.section, ())):
        return _relation(new == "any", old == "any")
    if before.placeholders and after.placeholders and (old in URI_TYPES) != (new in URI_TYPES):
        return OTHER
    value = allowed_value(before)
    equal = value is not None and same_value(before.name, value, allowed_value(after))
    if old == new or (equal and {old, new} <= {"string", *_subtypes("string", after.section)}):
        return SAME
    return _relation(old in _subtypes(new, after.section), new in _subtypes(old, after.section))


def changes_type(before: Property, after: Property, values: str) -> bool:
    """Return whether another type does more than the relation of the values says, which compares their texts alone."""
    if before.type == after.type or values == OTHER:
        return False
    return values == SAME or not (_includes(after, before) if values == WIDER else _includes(before, after))


def selector_relation(selector: str, before: Any, after: Any) -> str:
    """Return how two values relate of an attribute that selects further ones, such as ``protocol``."""
    old, new = canonical_selector(selector, before), canonical_selector(selector, after)
    return SAME if old == new else _relation(not new, not old)


def canonical_selector(selector: str, value: Any) -> str:
    """Return the canonical spelling of a selector's value; an empty string where it selects nothing."""
    return canonical_name(selector, value) if isinstance(value, str) else ""


def constraint_relation(name: str, before: Any, after: Any) -> str:
    """Return how two values relate of an attribute that, left out, allows anything."""
    return SAME if same_value(name, before, after) else _relation(after is None, before is None)


def same_value(name: str, one: Any, other: Any) -> bool:
    """Return whether two values of a property or attribute mean the same on the wire."""
    if isinstance(one, str) and isinstance(other, str) and name.lower() in load_table().media_types:
        return comparable(one) == comparable(other)
    return alike(one, other) or (one is not None and other is not None and _value_text(one) == _value_text(other))


def allowed_value(item: Property) -> Any:
    """Return the value or template that a property must have; None where any will do, as for the current time."""
    return None if is_now(item.type, item.value) else item.value


def placeholder_samples(values: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """Return for each placeholder of a message's values a text of one level, and the most that it may hold.

    The most is several levels for a placeholder that is all of a value wherever it stands.
    """
    templates = [Template.parse(value) for value in values]
    names = dict.fromkeys(name for template in templates for name in template.placeholders)
    one_level = {name for template in templates if not template.alone for name in template.placeholders}
    signs = {name: chr(_FIRST_SAMPLE + number) for number, name in enumerate(names)}
    return {name: (sign, sign if name in one_level else f"{sign}/{sign}") for name, sign in signs.items()}


def template_samples(value: str, samples: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """Return two texts that fit a template, with the least and with the most that its placeholders may hold."""
    template = Template.parse(value)
    least, most = ({name: pair[number] for name, pair in samples.items()} for number in (0, 1))
    return template.fill(least), template.fill(most)


def _includes(wide: Property, narrow: Property) -> bool:
    """Return whether all values that one property may have are of the other one's type, too."""
    kind, value = wide.type, allowed_value(narrow)
    if not {kind, narrow.type}.isdisjoint(load_table().encoded_types.get(narrow.section, ())):
        return kind == "any"
    if value is None or narrow.placeholders:
        return narrow.type in _subtypes(kind, narrow.section)
    return kind in PLAIN_TYPES or text_or_none(kind, value) is not None


def _subtypes(kind: str, section: str) -> frozenset[str]:
    """Return the types whose values are among those of a type in a section."""
    texts = load_table().text_types.get(section, frozenset()) if kind == "string" else frozenset()
    return load_table().wider_types.get(kind, frozenset()) | texts


def _covers(wide: Any, narrow: Any, kind: str) -> bool:
    """Return whether everything that one value or template allows is allowed by another too."""
    if wide is None or narrow is None:
        return wide is None
    if not isinstance(wide, str) or not isinstance(narrow, str):
        return _value_text(wide) == _value_text(narrow)
    template = Template.parse(wide, kind)
    return all(template.read(sample, {}) for sample in template_samples(narrow, placeholder_samples([narrow])))


def _relation(more: bool, less: bool) -> str:
    if more and less:
        return SAME
    return WIDER if more else NARROWER if less else OTHER


def _value_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
