"""Steps that give property declarations, and lists and maps of them, one form.

As in `naming`, each returns the object as it becomes, the same one where nothing changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xregit.document.changes import Here, Move, hoisted, read_as
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, has_placeholders

if TYPE_CHECKING:
    from xregit.document.tables import Step

# What JSON has values of its own for.
_NATIVE = frozenset({"boolean", "integer"})
# Longer than any number that a protocol has there; what is longer stays a text.
MAX_NATIVE_CHARS = 20
DECLARATION = frozenset({"name", "description", "required", "specurl", "type", "value"})


def hoisted_declarations(target: Any, step: Step, here: Here) -> Any:
    """Hoist an inner object only where all of its members are objects; else it may be an attribute of that name."""
    for name in step.names:
        inner = target.get(name) if isinstance(target, dict) else None
        if isinstance(inner, dict) and all(isinstance(item, dict) for item in inner.values()):
            return hoisted(target, name, inner, here)
    return target


def moved_declarations(target: Any, step: Step, here: Here) -> Any:
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


def objects(target: Any, step: Step, here: Here) -> Any:
    """Make objects of a list's bare strings."""
    if not isinstance(target, list) or not any(isinstance(item, str) for item in target):
        return target
    (name,) = step.names
    here.note(0, f'an address is read as the "{name}" of an object')
    return [{name: item} if isinstance(item, str) else item for item in target]


def scattered(target: Any, step: Step, here: Here) -> Any:
    """Give each address that an item gathers in a list an item of its own, with its scheme: ``SSL://host:port``.

    ``names`` has the attribute of the list and that of an address, then ``scheme`` with its attribute. An item that
    states none stays: what is no address without a scheme would be another one with it.
    """
    ((gathered, address), (_, scheme)) = step.names.items()
    result: list[Any] = []
    moves: list[Move] = []
    for number, item in enumerate(target if isinstance(target, list) else ()):
        hosts = _gathered(item, gathered, address, scheme)
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


def _gathered(item: Any, gathered: str, address: str, scheme: str) -> list[str]:
    """Return the hosts of an item that has them in a list, and nothing else that could be its address."""
    hosts = item.get(gathered) if isinstance(item, dict) and address not in item else None
    texts = isinstance(hosts, list) and all(isinstance(host, str) and host for host in hosts)
    return hosts if hosts and texts and isinstance(item.get(scheme), str) else []


def bare(target: Any, step: Step, here: Here) -> Any:
    """Take a value out of a declaration that says nothing else, and a number or truth value out of its text."""
    result = target
    for name, kind in step.names.items():
        declared = target.get(name) if isinstance(target, dict) else None
        if isinstance(declared, dict) and {"type": kind, **declared} == {"type": kind, "value": declared.get("value")}:
            here.note(name, f'"{name}" is read as a plain value')
            declared = declared["value"]
            result = {**result, name: declared}
        if kind in _NATIVE and isinstance(declared, str) and _says(declared, kind):
            here.note(name, f'the text in "{name}" is read as the {kind} that it says')
            result = {**result, name: json.loads(declared)}
    return result


def _says(text: str, kind: str) -> bool:
    return len(text) <= MAX_NATIVE_CHARS and PROPERTY_TYPES[kind].test(text)


def entries(target: Any, step: Step, here: Here) -> Any:
    """Make a list of named entries of a map."""
    return read_as(target, step, here, _entries, '"{}" is read as a list')


def _entries(written: Any) -> Any:
    if not isinstance(written, dict):
        return written
    return [{"name": key, **_declared(value)} for key, value in written.items()]


def spread(target: Any, step: Step, here: Here) -> Any:
    """Make named entries of a list's objects that hold declarations by name."""
    return read_as(target, step, here, _spread, 'the names in "{}" are read as "name"')


def _spread(written: Any) -> Any:
    if not isinstance(written, list) or not any(_by_names(item) for item in written):
        return written
    pairs = [item.items() if _by_names(item) else [("", item)] for item in written]
    return [{"name": key, **value} if key else value for items in pairs for key, value in items]


def _by_names(item: Any) -> bool:
    return isinstance(item, dict) and bool(item) and all(isinstance(value, dict) for value in item.values())


def keyed(target: Any, step: Step, here: Here) -> Any:
    """Make a map by name of a list of named entries, and declarations of plain values."""
    return read_as(target, step, here, _keyed, '"{}" is read as a map')


def _keyed(written: Any) -> Any:
    read = _by_name(written) if isinstance(written, list) else written
    if not isinstance(read, dict) or not any(isinstance(item, str) for item in read.values()):
        return read
    return {key: _declared(item) for key, item in read.items()}


def named(target: Any, step: Step, here: Here) -> Any:
    """Repeat the key of each entry of a map as its name."""
    return read_as(target, step, here, _named, 'the entries of "{}" are named')


def _named(written: Any) -> Any:
    if not isinstance(written, dict):
        return written
    return {key: {"name": key, **item} if isinstance(item, dict) else item for key, item in written.items()}


def unnamed(target: Any, step: Step, here: Here) -> Any:
    """Leave out the name of each entry of a map where it repeats its key."""
    del here  # what repeats a key says nothing
    result = target
    for name in step.names:
        written = target.get(name) if isinstance(target, dict) else None
        if isinstance(written, dict) and any(_repeats(key, item) for key, item in written.items()):
            result = {**result, name: {key: _nameless(key, item) for key, item in written.items()}}
    return result


def _repeats(key: str, item: Any) -> bool:
    return isinstance(item, dict) and item.get("name") == key


def _nameless(key: str, item: Any) -> Any:
    return {name: value for name, value in item.items() if name != "name"} if _repeats(key, item) else item


def _by_name(entries: list[Any]) -> Any:
    named = [item for item in entries if isinstance(item, dict) and isinstance(item.get("name"), str)]
    found = {item["name"]: _nameless(item["name"], item) for item in named}
    return found if len(found) == len(entries) else entries


def _declared(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {"value": value}


def templates(target: Any, step: Step, here: Here) -> Any:
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


def typed(target: Any, step: Step, here: Here) -> Any:
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


def declarations(target: Any, step: Step, here: Here) -> Any:
    """Give property types and the sign for "now" their present names, at any depth."""
    if isinstance(target, list):
        items = [declarations(item, step, Here(here.changes, (*here.path, i))) for i, item in enumerate(target)]
        return items if any(new is not old for new, old in zip(items, target, strict=True)) else target
    if not isinstance(target, dict):
        return target
    result = target
    for name, value in target.items():
        read = declarations(value, step, Here(here.changes, (*here.path, name)))
        if isinstance(value, str) and name == "type" and value in step.names:
            read = step.names[value]
        if isinstance(value, str) and name == "value":
            read = next((new for new, olds in step.values.items() if value in olds), value)
        if read is not value:
            result = {**result, name: read}
            if isinstance(value, str):
                here.note(name, f'the {name} "{value}" is read as "{read}"')
    return result
