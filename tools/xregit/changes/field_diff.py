"""How two payload schemas differ, field by field, and whom each difference breaks; the verdicts are those of a diff."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from xregit.catalog.entities import Resource, Version
from xregit.catalog.registry import Registry
from xregit.changes.attribute_diff import SAME
from xregit.changes.change import Change, Difference, Impact
from xregit.changes.schema_diff import (
    EQUAL,
    Payload,
    Usage,
    compare_payloads,
    relation_of,
    schema_users,
    version_payload,
)
from xregit.changes.verdict_table import judge
from xregit.payloads import Field, SchemaError, language, parse_types
from xregit.payloads.compatibility import Compatibility, Verdict
from xregit.payloads.compatibility.base import ROOT
from xregit.payloads.fields import INSIDE, has_item, type_text

# A longer enumeration is known by its first values.
MAX_VALUES = 12


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that differs: how each schema describes it, empty where it has no such field.

    ``place`` is its path in the payload, such as ``lines[].price``. ``producer`` and ``consumer`` are the impact on
    each, ``says`` what that means for them, and ``messages`` what the comparison of the two schemas found there.
    """

    place: str
    before: str
    after: str
    producer: Impact
    consumer: Impact
    says: Mapping[str, str]
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PayloadChange:
    """How two payload schemas relate as a whole, and field by field.

    ``label`` names the type inside the documents that is compared, where messages refer to one. ``is_partial`` says
    that the two are too large to look for all that differs.
    """

    change: Change
    fields: tuple[FieldChange, ...]
    label: str = ""
    is_partial: bool = False


def diff_versions(registry: Registry, schema: Resource, old: Version, new: Version) -> tuple[PayloadChange, ...]:
    """Return how two versions of a schema differ, for each type inside them to which messages of a registry refer."""
    usages = dict.fromkeys(usage for users in schema_users(registry, schema).values() for usage in users)
    changes = []
    for usage in usages or (Usage(),):
        before, after = (
            replace(version_payload(version, usage.selector, registry), contenttype=usage.contenttype)
            for version in (old, new)
        )
        changes.append(diff_payloads(before, after, schema.xid, usage.label))
    return tuple(changes)


def diff_payloads(old: Payload, new: Payload, xid: str = "", label: str = "") -> PayloadChange:
    """Return how two payload schemas differ."""
    relation = compare_payloads(old, new)
    change = judge(relation.difference(xid, "schema", ("schema",), None, None))
    if not relation.verdicts and relation.relation not in {SAME, EQUAL}:  # no field of its own is what breaks
        return PayloadChange(change, (), label)
    is_xml = language(new.format) == "XSD"
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in relation.verdicts:
        verdicts[_key(verdict.where, is_xml=is_xml)].append(verdict)
    before, after = (_fields_by_place(payload) for payload in (old, new))
    changes = []
    comes_or_goes = set()
    for place in dict.fromkeys((*after, *before)):
        key, (one, was), (other, now) = _key(place), before.get(place, ("", "")), after.get(place, ("", ""))
        if not was or not now:
            comes_or_goes.add(place)
        # What is inside of a field that comes or goes does so with it.
        if (was != now and comes_or_goes.isdisjoint((one, other))) or key in verdicts:
            changes.append(_field_change(place or ROOT, was, now, verdicts.pop(key, [])))
    changes += [_field_change(items[0].where, "", "", items) for items in verdicts.values()]
    is_partial = any(verdict.kind == "large" for verdict in relation.verdicts)
    return PayloadChange(change, tuple(changes), label, is_partial)


def _field_change(place: str, before: str, after: str, verdicts: list[Verdict]) -> FieldChange:
    verdict = judge(Difference("", "schema", "payload", relation_of(Compatibility(tuple(verdicts)))))
    messages = tuple(dict.fromkeys(item.message for item in verdicts))
    return FieldChange(place, before, after, verdict.producer, verdict.consumer, verdict.says, messages)


def _key(place: str, *, is_xml: bool = False) -> str:
    """Return what a place in a verdict and the place of its field have in common."""
    if place == ROOT:
        return ""
    if is_xml:  # of which the fields are those of the element at the top
        place = place.partition("/")[2]
    place = place.partition(" = ")[0]
    return place.replace("[]", "").replace(".*", "").replace("/", ".")


def _fields_by_place(payload: Payload) -> dict[str, tuple[str, str]]:
    """Return the fields of a payload as the place of the one around each, and its description, by their places."""
    result: dict[str, tuple[str, str]] = {}
    try:
        types = parse_types(payload.schema_document)
        for name, schema in types.items():
            prefix = f"{name}: " if len(types) > 1 else ""
            for place, parent, text in _places(schema.fields(), prefix):
                result.setdefault(place, (parent, text))
    except SchemaError:
        return {}
    return result


def _places(fields: Iterable[Field], path: str, parent: str = "") -> Iterator[tuple[str, str, str]]:
    for field in fields:
        place = f"{path}{'.' if path and not path.endswith(': ') and field.name else ''}{field.name}"
        yield place, parent, describe(field)
        item, inner = field, place
        while has_item(item):
            inner += INSIDE[item.type]
            item = item.fields[0]
        branches = item.fields if item.type == "union" else (item,)
        for branch in branches:
            yield from _places(branch.fields, inner, place)


def describe(field: Field) -> str:
    """Return a field's type and what else its value has to keep to, as one text."""
    item, limits = field, list(field.limits)
    while has_item(item):
        item = item.fields[0]
        limits += [f"each {limit}" for limit in item.limits]
    branches = f" of {' | '.join(map(type_text, item.fields))}" if item.type == "union" else ""
    values = [str(value) for value in item.values[:MAX_VALUES]] + ["…"] * (len(item.values) > MAX_VALUES)
    words = [f"{type_text(field)}{branches}", "required" if field.required else "optional"]
    words += ["nullable"] if field.nullable else []
    return ", ".join((*words, *limits, *([f"one of {', '.join(values)}"] if values else [])))
