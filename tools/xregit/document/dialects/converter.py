"""The converter of one entity's attributes between dialects, step by step, and the steps on declarations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from xregit.document.dialects import steps
from xregit.document.dialects.steps import (
    Conversion,
    Move,
    StepContext,
    convert_attributes,
    hoist_members,
    with_name,
    without,
)
from xregit.document.profiles import Step
from xregit.json_pointer import KeyPath
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, has_placeholders

# Longer than any number that a protocol has there; what is longer stays a text.
MAX_NATIVE_CHARS = 20
DECLARATION = frozenset({"name", "description", "required", "specurl", "type", "value"})
_INTEGER = re.compile(r"-?[0-9]{1,18}")
# What JSON has values of its own for.
_NATIVE = frozenset({"boolean", "integer"})


def convert(value: Mapping[str, Any], steps: Iterable[Step]) -> tuple[Mapping[str, Any], list[Conversion]]:
    """Return an entity's attributes after the steps, the same object where nothing changes, and the changes."""
    changes: list[Conversion] = []
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        step_changes: list[Conversion] = []
        result = _apply_at(result, step.at, (), step, step_changes)
        if step.severity == "warning":
            changes += [replace(change, warns=True) for change in step_changes]
        elif step.severity == "info":
            changes += step_changes
    return result, changes


def apply_steps(steps: Iterable[Step], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entity's attributes after the steps, the same object where nothing changes, without any note."""
    result: Mapping[str, Any] = value if isinstance(value, dict) else dict(value)
    for step in steps:
        result = _apply_at(result, step.at, (), step, None)
    return result


def _apply_at(value: Any, at: tuple[str, ...], path: KeyPath, step: Step, changes: list[Conversion] | None) -> Any:
    """Return a value after a step below a path, the same object where it does nothing, as nearly everywhere."""
    if not at:
        if value is None or (step.attributes and isinstance(value, dict) and value.keys().isdisjoint(step.attributes)):
            return value
        return STEPS[step.do](value, step, StepContext(changes, path))
    name, below = at[0], at[1:]
    if name != "*":
        if not isinstance(value, dict) or name not in value:
            return value
        inner = _apply_at(value[name], below, (*path, name), step, changes)
        return value if inner is value[name] else {**value, name: inner}
    result = value
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        inner = _apply_at(value[key], below, (*path, key), step, changes)
        if inner is not value[key]:
            result = value.copy() if result is value else result
            result[key] = inner
    return result


def unwrap_declarations(target: Any, step: Step, context: StepContext) -> Any:
    """Put a declaration's value in its place; one without a value is left out.

    ``names`` has the type of each: the text of a number or boolean becomes that.
    """
    result = target
    for name, kind in step.names.items():
        declaration = target.get(name) if isinstance(target, dict) else None
        text = value = declaration.get("value") if isinstance(declaration, dict) else declaration
        if kind == "integer" and isinstance(text, str) and _INTEGER.fullmatch(text):
            value = int(text)
        elif kind == "boolean" and isinstance(text, str):
            value = {"true": True, "false": False}.get(text, text)
        if value is declaration:
            continue
        context.note(name, f'of "{name}", only the value is kept')
        result = without(result, name) if value is None else {**result, name: value}
    return result


def values_to_text(target: Any, step: Step, context: StepContext) -> Any:
    """Write numbers and booleans as their text."""
    names = [name for name in step.names if isinstance(target, dict) and isinstance(target.get(name), int | float)]
    for name in names:
        context.note(name, f'"{name}" is written as text')
    texts = {name: str(target[name]).lower() if isinstance(target[name], bool) else str(target[name]) for name in names}
    return {**target, **texts} if names else target


def join_hosts(target: Any, step: Step, context: StepContext) -> Any:
    """Put the addresses of a list, ``scheme://host:port``, in one item for each scheme.

    ``names`` maps the attribute of an address to that of the list of hosts, then ``scheme`` to its attribute. Items
    that say more than an address stay apart.
    """
    if not isinstance(target, list):
        return target
    ((address, hosts), (_, scheme)) = step.names.items()
    result: list[Any] = []
    for number, item in enumerate(target):
        uri = item.get(address) if isinstance(item, dict) else None
        if not isinstance(uri, str):
            result.append(item)
            continue
        context.note(number, f'the "{address}" is written among "{hosts}"')
        item_scheme, _, host = uri.rpartition("://")
        rest = {**({scheme: item_scheme} if item_scheme else {}), **without(item, address)}
        alike = (other for other in result if isinstance(other, dict) and hosts in other)
        same = next((other for other in alike if without(other, hosts) == rest), None)
        if same is None:
            result.append({hosts: [host], **rest})
        else:
            same[hosts] = [*same[hosts], host]
    return result


def split_hosts(target: Any, step: Step, context: StepContext) -> Any:
    """Make an item of each host in an item's list, an address with the item's scheme: ``SSL://host:port``.

    ``names`` maps the attribute of the list to that of an address, then ``scheme`` to its attribute. An item that
    states no scheme stays: what is no address without a scheme would be another one with it.
    """
    ((hosts, address), (_, scheme)) = step.names.items()
    result: list[Any] = []
    moves: list[Move] = []
    for number, item in enumerate(target if isinstance(target, list) else ()):
        texts = _hosts(item, hosts, address, scheme)
        start = len(result)
        moves += [((start + index,), (number,)) for index in range(len(texts) or 1)]
        moves += [((start + index, address), (number, hosts, index)) for index in range(len(texts))]
        if texts:
            rest = without(item, hosts, scheme)
            result += [{address: text if "://" in text else f"{item[scheme]}://{text}", **rest} for text in texts]
        else:
            result.append(item)
    first = next((old[0] for _, old in moves if len(old) > 1), None)
    if first is None:
        return target
    context.note(first, f'"{hosts}" is read as "{address}"', *moves)
    return result


def _hosts(item: Any, hosts: str, address: str, scheme: str) -> list[str]:
    """Return the hosts of an item that has them in a list, and nothing else that could be its address."""
    texts = item.get(hosts) if isinstance(item, dict) and address not in item else None
    if not isinstance(texts, list) or not all(isinstance(text, str) and text for text in texts):
        return []
    return texts if isinstance(item.get(scheme), str) else []


def hoist_declarations(target: Any, step: Step, context: StepContext) -> Any:
    """Hoist an inner object only where all of its members are objects; else it may be an attribute of that name."""
    for name in step.names:
        inner = target.get(name) if isinstance(target, dict) else None
        if isinstance(inner, dict) and all(isinstance(item, dict) for item in inner.values()):
            return hoist_members(target, name, inner, context)
    return target


def move_declarations(target: Any, step: Step, context: StepContext) -> Any:
    """Move property declarations that stand among options to where properties are declared."""
    result = target
    for name, into in step.names.items():
        options = result.get(name) if isinstance(result, dict) else None
        if not isinstance(options, dict):
            continue
        declarations = {key: value for key, value in options.items() if _is_declaration(value)}
        properties = result.get(into) or {}
        if not declarations or not isinstance(properties, dict):
            continue
        for key in declarations:
            context.note(name, f'"{key}" is moved from "{name}" to "{into}"', ((into, key), (name, key)))
        remaining = without(options, *declarations)
        result = {**result, name: remaining, into: {**declarations, **properties}}
        result = result if remaining else without(result, name)
    return result


def _is_declaration(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and DECLARATION.issuperset(value)


def strings_to_objects(target: Any, step: Step, context: StepContext) -> Any:
    """Make objects of a list's bare strings."""
    if not isinstance(target, list) or not any(isinstance(item, str) for item in target):
        return target
    (name,) = step.names
    context.note(0, f'an address is read as the "{name}" of an object')
    return [{name: item} if isinstance(item, str) else item for item in target]


def unwrap_values(target: Any, step: Step, context: StepContext) -> Any:
    """Take a value out of a declaration that says nothing else, and a number or boolean out of its text."""
    result = target
    for name, kind in step.names.items():
        value = target.get(name) if isinstance(target, dict) else None
        if isinstance(value, dict) and {"type": kind, **value} == {"type": kind, "value": value.get("value")}:
            context.note(name, f'"{name}" is read as a plain value')
            value = value["value"]
            result = {**result, name: value}
        if kind not in _NATIVE or not isinstance(value, str) or len(value) > MAX_NATIVE_CHARS:
            continue
        if PROPERTY_TYPES[kind].test(value):
            context.note(name, f'the text in "{name}" is read as the {kind} that it says')
            result = {**result, name: json.loads(value)}
    return result


def map_to_entries(target: Any, step: Step, context: StepContext) -> Any:
    """Make a list of named entries of a map."""

    def entries(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return [{"name": key, **_as_declaration(item)} for key, item in value.items()]

    return convert_attributes(target, step, context, entries, '"{}" is read as a list')


def objects_to_entries(target: Any, step: Step, context: StepContext) -> Any:
    """Make named entries of a list's objects that hold declarations by name."""

    def has_names(item: Any) -> bool:
        return isinstance(item, dict) and bool(item) and all(isinstance(value, dict) for value in item.values())

    def entries(value: Any) -> Any:
        if not isinstance(value, list) or not any(map(has_names, value)):
            return value
        pairs = [item.items() if has_names(item) else [("", item)] for item in value]
        return [{"name": key, **entry} if key else entry for items in pairs for key, entry in items]

    return convert_attributes(target, step, context, entries, 'the names in "{}" are read as "name"')


def list_to_map(target: Any, step: Step, context: StepContext) -> Any:
    """Make a map by name of a list of named entries, and declarations of plain values."""

    def declarations(value: Any) -> Any:
        if isinstance(value, list):
            entries = [item for item in value if isinstance(item, dict) and isinstance(item.get("name"), str)]
            by_name = {item["name"]: without(item, "name") for item in entries}
            value = by_name if len(by_name) == len(value) else value
        if not isinstance(value, dict) or not any(isinstance(item, str) for item in value.values()):
            return value
        return {key: _as_declaration(item) for key, item in value.items()}

    return convert_attributes(target, step, context, declarations, '"{}" is read as a map')


def _as_declaration(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {"value": value}


def add_names(target: Any, step: Step, context: StepContext) -> Any:
    """Repeat the key of each entry of a map as its name."""

    def named_entries(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: {"name": key, **item} if isinstance(item, dict) else item for key, item in value.items()}

    return convert_attributes(target, step, context, named_entries, 'the entries of "{}" are named')


def drop_names(target: Any, step: Step, context: StepContext) -> Any:
    """Leave out the name of each entry of a map where it repeats its key."""
    del context  # what repeats a key says nothing
    result = target
    for name in step.names:
        entries = target.get(name) if isinstance(target, dict) else None
        if isinstance(entries, dict) and any(_repeats(key, item) for key, item in entries.items()):
            plain = {key: without(item, "name") if _repeats(key, item) else item for key, item in entries.items()}
            result = {**result, name: plain}
    return result


def _repeats(key: str, item: Any) -> bool:
    return isinstance(item, dict) and item.get("name") == key


def add_template_types(target: Any, step: Step, context: StepContext) -> Any:
    """State the type of declarations that leave it out and have a template, so that no reader takes it literally.

    A text such as "Bag {number} is late" is a template too, but not of that type.
    """
    result = target
    for name, declaration in target.items() if isinstance(target, dict) else ():
        if not isinstance(declaration, dict) or "type" in declaration or not has_placeholders(declaration.get("value")):
            continue
        kind = step.names.get(name, step.names.get("*", ""))
        if kind and PROPERTY_TYPES[kind].test(declaration["value"]):
            context.note(name, f'the type of "{name}" is read as {kind}, since it has placeholders')
            result = {**result, name: {"type": kind, **declaration}}
    return result


def rename_types(target: Any, step: Step, context: StepContext) -> Any:
    """Rename declarations of the types in ``values`` whose value is of the type.

    Where it is not, the declaration keeps its name and states no type.
    """
    result = target
    for old, new in step.names.items():
        declaration = result.get(old) if isinstance(result, dict) else None
        if not isinstance(declaration, dict) or new in result:
            continue
        kind = next((kind for kind in step.values["type"] if kind == declaration.get("type")), "")
        if not kind:
            continue
        if "value" not in declaration or DATATYPES[kind].test(declaration["value"]):
            context.note(old, f'"{old}" is read as "{new}", since it is {kind}', ((new,), (old,)))
            result = with_name(result, old, new)
        else:
            context.note(old, f'"{old}" is read as a text, since its value is not {kind}')
            result = {**result, old: without(declaration, "type")}
    return result


def modernize_declarations(target: Any, step: Step, context: StepContext) -> Any:
    """Update property types and the sign for "now" to their present names, at any depth."""
    if isinstance(target, list):
        contexts = [StepContext(context.changes, (*context.path, index)) for index in range(len(target))]
        items = [modernize_declarations(item, step, inner) for item, inner in zip(target, contexts, strict=True)]
        return items if any(new is not old for new, old in zip(items, target, strict=True)) else target
    if not isinstance(target, dict):
        return target
    result = target
    for name, old in target.items():
        new = modernize_declarations(old, step, StepContext(context.changes, (*context.path, name)))
        if isinstance(old, str) and name == "type":
            new = step.names.get(old, old)
        if isinstance(old, str) and name == "value":
            new = next((value for value, olds in step.values.items() if old in olds), old)
        if new is not old:
            result = {**result, name: new}
            if isinstance(old, str):
                context.note(name, f'the {name} "{old}" is read as "{new}"')
    return result


STEPS: Mapping[str, Callable[[Any, Step, StepContext], Any]] = {
    "rename": steps.rename,
    "drop": steps.drop,
    "canonical": steps.spell_selectors,
    "list": steps.wrap_in_list,
    "move": steps.move,
    "copy-out": steps.copy_out,
    "copy-into": steps.copy_into,
    "hoist": steps.hoist,
    "hoist-declarations": hoist_declarations,
    "move-declarations": move_declarations,
    "reference": steps.pointers_to_xids,
    "borrow": steps.borrow_pointer,
    "object": strings_to_objects,
    "scatter": split_hosts,
    "typed": rename_types,
    "bare": unwrap_values,
    "lower": steps.lower_names,
    "address": steps.update_collections,
    "select": steps.split_selector,
    "unkey": steps.lift_key,
    "lift": steps.lift,
    "assume": steps.add_defaults,
    "unfit": steps.drop_unfit,
    "template": add_template_types,
    "spread": objects_to_entries,
    "entries": map_to_entries,
    "keyed": list_to_map,
    "named": add_names,
    "unnamed": drop_names,
    "declarations": modernize_declarations,
    "bare-values": unwrap_declarations,
    "texts": values_to_text,
    "servers": join_hosts,
}
