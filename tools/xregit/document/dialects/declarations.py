"""Conversion steps for property declarations, and for lists and maps of them.

Each returns the object as it becomes, the same one where nothing changes.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from xregit.document.dialects.changes import Move, StepContext, convert_attributes, hoist_members
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, has_placeholders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.document.profiles import Step


_INTEGER = re.compile(r"-?[0-9]{1,18}")


def bare_values(target: Any, step: Step, here: StepContext) -> Any:
    """Put a declaration's value in its place, whatever else it says; one without a value is left out.

    ``names`` has the type of each: the text of a number or boolean becomes what it says.
    """
    result = target
    for name, kind in step.names.items():
        written = target.get(name) if isinstance(target, dict) else None
        value = _matches_type(written.get("value") if isinstance(written, dict) else written, kind)
        if value is written:
            continue
        here.note(name, f'of "{name}", only the value is kept')
        kept = {} if value is None else {name: value}
        result = {key: kept.get(key, item) for key, item in result.items() if key != name or kept}
    return result


def values_to_text(target: Any, step: Step, here: StepContext) -> Any:
    """Write numbers and booleans as their text."""
    found = [name for name in step.names if isinstance(target, dict) and isinstance(target.get(name), int | float)]
    for name in found:
        here.note(name, f'"{name}" is written as text')
    return {**target, **{name: _text(target[name]) for name in found}} if found else target


def join_hosts(target: Any, step: Step, here: StepContext) -> Any:
    """Gather the addresses of a list, ``scheme://host:port``, in one item for each scheme.

    ``names`` has the attribute of an address and that of the list that it goes to, then ``scheme`` and its attribute.
    Items that say more than an address stay apart.
    """
    if not isinstance(target, list):
        return target
    ((address, gathered), (_, scheme)) = step.names.items()
    result: list[Any] = []
    for number, item in enumerate(target):
        written = item.get(address) if isinstance(item, dict) else None
        if not isinstance(written, str):
            result.append(item)
            continue
        here.note(number, f'the "{address}" is written among "{gathered}"')
        before, _, host = written.rpartition("://")
        rest = {name: value for name, value in item.items() if name != address}
        said = {scheme: before, **rest} if before else rest
        same = next((other for other in result if _without_list(other, gathered) == said), None)
        if same is None:
            result.append({gathered: [host], **said})
        else:
            same[gathered] = [*same[gathered], host]
    return result


def _without_list(item: Any, name: str) -> Any:
    """Return an item that was gathered, without its list; nothing for any other."""
    if not isinstance(item, dict) or name not in item:
        return None
    return {key: value for key, value in item.items() if key != name}


def _matches_type(value: Any, kind: str) -> Any:
    if kind == "integer" and isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    return {"true": True, "false": False}.get(value, value) if kind == "boolean" and isinstance(value, str) else value


def _text(value: float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


# What JSON has values of its own for.
_NATIVE = frozenset({"boolean", "integer"})
# Longer than any number that a protocol has there; what is longer stays a text.
MAX_NATIVE_CHARS = 20
DECLARATION = frozenset({"name", "description", "required", "specurl", "type", "value"})


def hoist_declarations(target: Any, step: Step, here: StepContext) -> Any:
    """Hoist an inner object only where all of its members are objects; else it may be an attribute of that name."""
    for name in step.names:
        inner = target.get(name) if isinstance(target, dict) else None
        if isinstance(inner, dict) and all(isinstance(item, dict) for item in inner.values()):
            return hoist_members(target, name, inner, here)
    return target


def move_declarations(target: Any, step: Step, here: StepContext) -> Any:
    """Move property declarations that stand among options to where properties are declared."""
    result = target
    for name, into in step.names.items():
        options = result.get(name) if isinstance(result, dict) else None
        declared, held = _declarations_among(options), result.get(into) or {} if options else {}
        if not isinstance(options, dict) or not isinstance(held, dict) or not declared:
            continue
        for key in declared:
            here.note(name, f'"{key}" is moved from "{name}" to "{into}"', ((into, key), (name, key)))
        left = {key: value for key, value in options.items() if key not in declared}
        moved = {into: {**declared, **held}}
        result = {key: value for key, value in {**result, name: left, **moved}.items() if key != name or left}
    return result


def _declarations_among(options: Any) -> dict[str, Any]:
    members = options.items() if isinstance(options, dict) else ()
    return {key: value for key, value in members if isinstance(value, dict) and value and DECLARATION.issuperset(value)}


def strings_to_objects(target: Any, step: Step, here: StepContext) -> Any:
    """Make objects of a list's bare strings."""
    if not isinstance(target, list) or not any(isinstance(item, str) for item in target):
        return target
    (name,) = step.names
    here.note(0, f'an address is read as the "{name}" of an object')
    return [{name: item} if isinstance(item, str) else item for item in target]


def split_hosts(target: Any, step: Step, here: StepContext) -> Any:
    """Give each address that an item gathers in a list an item of its own, with its scheme: ``SSL://host:port``.

    ``names`` has the attribute of the list and that of an address, then ``scheme`` with its attribute. An item that
    states none stays: what is no address without a scheme would be another one with it.
    """
    ((gathered, address), (_, scheme)) = step.names.items()
    result: list[Any] = []
    moves: list[Move] = []
    for number, item in enumerate(target if isinstance(target, list) else ()):
        hosts = _hosts(item, gathered, address, scheme)
        before = len(result)
        moves += [((before + at,), (number,)) for at in range(len(hosts) or 1)]
        moves += [((before + at, address), (number, gathered, at)) for at in range(len(hosts))]
        rest = {name: value for name, value in item.items() if name not in (gathered, scheme)} if hosts else {}
        listener = f"{item[scheme]}://" if hosts else ""
        result += [{address: host if "://" in host else f"{listener}{host}", **rest} for host in hosts] or [item]
    first = next((old[0] for _, old in moves if len(old) > 1), None)
    if first is None:
        return target
    here.note(first, f'"{gathered}" is read as "{address}"', *moves)
    return result


def _hosts(item: Any, gathered: str, address: str, scheme: str) -> list[str]:
    """Return the hosts of an item that has them in a list, and nothing else that could be its address."""
    hosts = item.get(gathered) if isinstance(item, dict) and address not in item else None
    texts = isinstance(hosts, list) and all(isinstance(host, str) and host for host in hosts)
    return hosts if hosts and texts and isinstance(item.get(scheme), str) else []


def unwrap_values(target: Any, step: Step, here: StepContext) -> Any:
    """Take a value out of a declaration that says nothing else, and a number or truth value out of its text."""
    result = target
    for name, kind in step.names.items():
        declared = target.get(name) if isinstance(target, dict) else None
        if isinstance(declared, dict) and {"type": kind, **declared} == {"type": kind, "value": declared.get("value")}:
            here.note(name, f'"{name}" is read as a plain value')
            declared = declared["value"]
            result = {**result, name: declared}
        if kind in _NATIVE and isinstance(declared, str) and _parse_text(declared, kind):
            here.note(name, f'the text in "{name}" is read as the {kind} that it says')
            result = {**result, name: json.loads(declared)}
    return result


def _parse_text(text: str, kind: str) -> bool:
    return len(text) <= MAX_NATIVE_CHARS and PROPERTY_TYPES[kind].test(text)


def map_to_entries(target: Any, step: Step, here: StepContext) -> Any:
    """Make a list of named entries of a map."""
    return convert_attributes(target, step, here, _named_entries, '"{}" is read as a list')


def _named_entries(written: Any) -> Any:
    if not isinstance(written, dict):
        return written
    return [{"name": key, **_as_declaration(value)} for key, value in written.items()]


def objects_to_entries(target: Any, step: Step, here: StepContext) -> Any:
    """Make named entries of a list's objects that hold declarations by name."""
    return convert_attributes(target, step, here, _spread_objects, 'the names in "{}" are read as "name"')


def _spread_objects(written: Any) -> Any:
    if not isinstance(written, list) or not any(_entries_by_name(item) for item in written):
        return written
    pairs = [item.items() if _entries_by_name(item) else [("", item)] for item in written]
    return [{"name": key, **value} if key else value for items in pairs for key, value in items]


def _entries_by_name(item: Any) -> bool:
    return isinstance(item, dict) and bool(item) and all(isinstance(value, dict) for value in item.values())


def list_to_map(target: Any, step: Step, here: StepContext) -> Any:
    """Make a map by name of a list of named entries, and declarations of plain values."""
    return convert_attributes(target, step, here, _entries_to_map, '"{}" is read as a map')


def _entries_to_map(written: Any) -> Any:
    read = _entry_map(written) if isinstance(written, list) else written
    if not isinstance(read, dict) or not any(isinstance(item, str) for item in read.values()):
        return read
    return {key: _as_declaration(item) for key, item in read.items()}


def add_names(target: Any, step: Step, here: StepContext) -> Any:
    """Repeat the key of each entry of a map as its name."""
    return convert_attributes(target, step, here, _with_name, 'the entries of "{}" are named')


def _with_name(written: Any) -> Any:
    if not isinstance(written, dict):
        return written
    return {key: {"name": key, **item} if isinstance(item, dict) else item for key, item in written.items()}


def drop_names(target: Any, step: Step, here: StepContext) -> Any:
    """Leave out the name of each entry of a map where it repeats its key."""
    del here  # what repeats a key says nothing
    result = target
    for name in step.names:
        written = target.get(name) if isinstance(target, dict) else None
        if isinstance(written, dict) and any(_repeats(key, item) for key, item in written.items()):
            result = {**result, name: {key: _without_name(key, item) for key, item in written.items()}}
    return result


def _repeats(key: str, item: Any) -> bool:
    return isinstance(item, dict) and item.get("name") == key


def _without_name(key: str, item: Any) -> Any:
    return {name: value for name, value in item.items() if name != "name"} if _repeats(key, item) else item


def _entry_map(entries: list[Any]) -> Any:
    named = [item for item in entries if isinstance(item, dict) and isinstance(item.get("name"), str)]
    found = {item["name"]: _without_name(item["name"], item) for item in named}
    return found if len(found) == len(entries) else entries


def _as_declaration(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {"value": value}


def add_template_types(target: Any, step: Step, here: StepContext) -> Any:
    """State the type of declarations that leave it out and have a template, so that no reader takes it literally.

    A text such as "Bag {number} is late" is a template too, but not of that type.
    """
    result = target
    for name, declared in target.items() if isinstance(target, dict) else ():
        if not isinstance(declared, dict) or "type" in declared or not has_placeholders(declared.get("value")):
            continue
        kind = step.names.get(name, step.names.get("*", ""))
        if kind and PROPERTY_TYPES[kind].test(declared["value"]):
            here.note(name, f'the type of "{name}" is read as {kind}, since it has placeholders')
            result = {**result, name: {"type": kind, **declared}}
    return result


def rename_types(target: Any, step: Step, here: StepContext) -> Any:
    """Give declarations of some types, those in ``values``, the names that others have; a value must be of the type.

    Where it is not, the declaration keeps its name and states no type.
    """
    result = target
    for old, new in step.names.items():
        declared = result.get(old) if isinstance(result, dict) else None
        if not isinstance(declared, dict) or new in result:
            continue
        kind = next((kind for kind in step.values["type"] if kind == declared.get("type")), "")
        if not kind:
            continue
        if "value" not in declared or DATATYPES[kind].test(declared["value"]):
            here.note(old, f'"{old}" is read as "{new}", since it is {kind}', ((new,), (old,)))
            result = {new if name == old else name: value for name, value in result.items()}
        else:
            here.note(old, f'"{old}" is read as a text, since its value is not {kind}')
            result = {**result, old: {name: value for name, value in declared.items() if name != "type"}}
    return result


def modernize_declarations(target: Any, step: Step, here: StepContext) -> Any:
    """Give property types and the sign for "now" their present names, at any depth."""
    if isinstance(target, list):
        items = [
            modernize_declarations(item, step, StepContext(here.changes, (*here.path, i)))
            for i, item in enumerate(target)
        ]
        return items if any(new is not old for new, old in zip(items, target, strict=True)) else target
    if not isinstance(target, dict):
        return target
    result = target
    for name, value in target.items():
        read = modernize_declarations(value, step, StepContext(here.changes, (*here.path, name)))
        if isinstance(value, str) and name == "type" and value in step.names:
            read = step.names[value]
        if isinstance(value, str) and name == "value":
            read = next((new for new, olds in step.values.items() if value in olds), value)
        if read is not value:
            result = {**result, name: read}
            if isinstance(value, str):
                here.note(name, f'the {name} "{value}" is read as "{read}"')
    return result
