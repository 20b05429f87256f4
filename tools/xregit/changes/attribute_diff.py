"""Differences of attributes: the single values in which two entities differ, and how two values relate.

Values and templates relate as the same, more, less, or something else.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.changes.equality import alike
from xregit.changes.verdicts import load_table
from xregit.messages.constraints import PLAIN_TYPES, canonical_text
from xregit.messages.definition import is_now
from xregit.messages.template import URI_TYPES, Template
from xregit.model import canonical as canonical_name
from xregit.model.media_types import comparable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.catalog.properties import Property
    from xregit.json_pointer import NamePath


def diff_leaves(
    before: Mapping[str, Any], after: Mapping[str, Any], skipped: Container[str] = (), path: NamePath = ()
) -> Iterator[tuple[NamePath, Any, Any]]:
    """Give each path whose value differs, with both values; None stands for what is not there, lists are values.

    At the top, ``skipped`` attributes and those that keep the books of a registry are left out.
    """
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if alike(old, new) or (not path and (name in skipped or name in load_table().bookkeeping)):
            continue
        inside = tuple(value for value in (old, new) if isinstance(value, Mapping))
        here = (*path, str(name))
        if inside and all(value is None or isinstance(value, Mapping) for value in (old, new)):
            yield from diff_leaves(old or {}, new or {}, (), here)
            if not any(inside):
                yield here, old, new
        else:
            yield here, old, new


SAME, WIDER, NARROWER, OTHER = "same", "wider", "narrower", "other"
# Stand for what a placeholder may hold: no real value has these characters.
_FIRST_STAND_IN = 0xE000


def value_relation(before: Property, after: Property, *, more: bool = True, less: bool = True) -> str:
    """Return how the values that a property may have relate.

    ``more`` and ``less`` tell what `sharing` says of the rest of the message: whether the new values still allow all
    old messages, and the old values all new ones.
    """
    old, new = allowed_value(before), allowed_value(after)
    if not (more and less):
        return _relation_name(more and _covers(new, old, after.type), less and _covers(old, new, before.type))
    if same_value(before.name, old, new):
        return SAME
    return _relation_name(_covers(new, old, after.type), _covers(old, new, before.type))


def type_relation(before: Property, after: Property) -> str:
    """Return how two types relate; a constant that is text in both stays the same text on the wire.

    What a placeholder stands for is written in another way in a URI, with percent signs. In a section whose values
    travel as what they are, no type is part of another one.
    """
    old, new = before.type, after.type
    if old != new and not {old, new}.isdisjoint(load_table().encoded_types.get(after.section, ())):
        return _relation_name(new == "any", old == "any")
    texts = {"string", *_narrower("string", after.section)}
    value = allowed_value(before)
    equal = value is not None and same_value(before.name, value, allowed_value(after))
    if before.placeholders and after.placeholders and (old in URI_TYPES) != (new in URI_TYPES):
        return OTHER
    if old == new or (equal and {old, new} <= texts):
        return SAME
    return _relation_name(old in _narrower(new, after.section), new in _narrower(old, after.section))


def changes_type(before: Property, after: Property, values: str) -> bool:
    """Tell whether another type does more than the relation of the values says, which looks at their texts alone."""
    if before.type == after.type or values == OTHER:
        return False
    return values == SAME or not (_holds(after, before) if values == WIDER else _holds(before, after))


def _holds(wide: Property, narrow: Property) -> bool:
    """Tell whether all values that one property may have are of the other one's type, too."""
    kind, value = wide.type, allowed_value(narrow)
    if not {kind, narrow.type}.isdisjoint(load_table().encoded_types.get(narrow.section, ())):
        return kind == "any"
    if value is None or narrow.placeholders:
        return narrow.type in _narrower(kind, narrow.section)
    return kind in PLAIN_TYPES or canonical_text(kind, value) is not None


def _narrower(kind: str, section: str) -> frozenset[str]:
    """Return the types whose values are among those of a type in a section."""
    texts = load_table().text_types.get(section, frozenset()) if kind == "string" else frozenset()
    return load_table().wider_types.get(kind, frozenset()) | texts


def selector_relation(selector: str, before: Any, after: Any) -> str:
    """Return how two values of an attribute relate that selects further ones, such as ``protocol``."""
    old, new = canonical_selector(selector, before), canonical_selector(selector, after)
    return SAME if old == new else _relation_name(not new, not old)


def canonical_selector(selector: str, value: Any) -> str:
    """Return what a selector means, however it is spelled; nothing where it selects nothing."""
    return canonical_name(selector, value) if isinstance(value, str) else ""


def stated_relation(name: str, before: Any, after: Any) -> str:
    """Return how two values of an attribute relate that, left out, allows anything."""
    if same_value(name, before, after):
        return SAME
    return _relation_name(after is None, before is None)


def same_value(name: str, one: Any, other: Any) -> bool:
    """Tell whether two values of a property or attribute mean the same on the wire."""
    if isinstance(one, str) and isinstance(other, str) and name.lower() in load_table().media_types:
        return comparable(one) == comparable(other)
    return alike(one, other) or (one is not None and other is not None and _value_text(one) == _value_text(other))


def allowed_value(item: Property) -> Any:
    """Return the value or template that a property must have; None where any will do, as for the current time."""
    return None if is_now(item.type, item.value) else item.value


def _relation_name(more: bool, less: bool) -> str:
    if more and less:
        return SAME
    return WIDER if more else NARROWER if less else OTHER


def _covers(wide: Any, narrow: Any, kind: str) -> bool:
    """Tell whether everything that one value or template allows is allowed by another too."""
    if wide is None or narrow is None:
        return wide is None
    if not isinstance(wide, str) or not isinstance(narrow, str):
        return _value_text(wide) == _value_text(narrow)
    template = Template.parse(wide, kind)
    return all(template.read(sample, {}) for sample in template_samples(narrow, placeholder_samples([narrow])))


def placeholder_samples(values: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """Return for each placeholder of a message's values a text of one level, and the most that it may hold.

    The most is several levels, where it stands in values that are nothing but that placeholder.
    """
    templates = [Template.parse(value) for value in values]
    names = dict.fromkeys(name for template in templates for name in template.placeholders)
    levels = {name for template in templates if not template.alone for name in template.placeholders}
    signs = {name: chr(_FIRST_STAND_IN + number) for number, name in enumerate(names)}
    return {name: (sign, sign if name in levels else f"{sign}/{sign}") for name, sign in signs.items()}


def template_samples(value: str, texts: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """Return two texts that fit a template, with the least and with the most that its placeholders may hold."""
    template = Template.parse(value)
    least, most = ({name: pair[place] for name, pair in texts.items()} for place in (0, 1))
    return template.fill(least), template.fill(most)


def _value_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
