"""The steps that dialects and profiles name under ``do``, and the changes that steps record.

Each step returns the object after the step, the same one where nothing changes. Which attributes a step changes is
data (``*.yaml``); nothing here knows an attribute by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from xregit.catalog.origin import original_pointer
from xregit.document.profiles import Step
from xregit.json_pointer import KeyPath, unescape
from xregit.model import canonical, find_name
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, has_placeholders

Move = tuple[KeyPath, KeyPath]
NO_MOVES: Mapping[KeyPath, KeyPath] = MappingProxyType({})
FORMAT = "format"
# Longer than any number that a protocol has there; what is longer stays a text.
MAX_NATIVE_CHARS = 20
DECLARATION = frozenset({"name", "description", "required", "specurl", "type", "value"})
_INTEGER = re.compile(r"-?[0-9]{1,18}")
# What JSON has values of its own for.
_NATIVE = frozenset({"boolean", "integer"})


@dataclass(frozen=True, slots=True)
class Conversion:
    """A change at a path of the entity; a ``conflict`` could not be resolved.

    ``moves`` are pairs of a new path and the one from which its value was moved; a change that ``warns`` may not be
    what the author meant.
    """

    path: KeyPath
    message: str
    conflict: bool = False
    moves: tuple[Move, ...] = ()
    warns: bool = False


@dataclass(frozen=True, slots=True)
class StepContext:
    """The path at which a step works, and all changes so far; None where nobody needs them."""

    changes: list[Conversion] | None
    path: KeyPath

    def note(self, name: str | int, message: str, *moves: Move) -> None:
        """Record a change; the paths of moves start here."""
        if self.changes is None:
            return
        absolute = tuple(((*self.path, *new), (*self.path, *old)) for new, old in moves)
        self.changes.append(Conversion((*self.path, name), message, moves=absolute))

    def note_duplicate(self, old: str, new: str, *, same: bool) -> None:
        """Record that an attribute is stated under two names, with the same value or not."""
        if same:
            self.note(old, f'"{old}" repeats "{new}" and is left out')
        elif self.changes is not None:
            message = f'"{old}" and "{new}" are two names of one attribute, and their values differ'
            self.changes.append(Conversion((*self.path, old), message, conflict=True))


def trace_paths(changes: Iterable[Conversion]) -> tuple[list[Conversion], Mapping[KeyPath, KeyPath]]:
    """Return changes at the paths as written, and the path as written of everything that was moved."""
    places: dict[KeyPath, KeyPath] = {}
    traced = []
    for change in changes:
        traced.append(replace(change, path=original_pointer(change.path, places), moves=()) if places else change)
        places |= {new: original_pointer(old, places) for new, old in change.moves}
    return traced, places


def without(target: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return an object without some of its members."""
    return {name: value for name, value in target.items() if name not in names}


def with_name(target: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return an object with one attribute under another name, in its place."""
    return {new if name == old else name: value for name, value in target.items()}


def hoist_members(target: dict[str, Any], name: str, inner: dict[str, Any], context: StepContext) -> dict[str, Any]:
    """Return an object with the members of an inner object in its place."""
    context.note(name, f'the members of "{name}" are moved out of it', *(((key,), (name, key)) for key in inner))
    result = without(target, name)
    for key, value in inner.items():
        if key in result:
            context.note_duplicate(f"{name}.{key}", key, same=result[key] == value)
        else:
            result[key] = value
    return result


def convert_attributes(
    target: Any, step: Step, context: StepContext, function: Callable[[Any], Any], message: str
) -> Any:
    """Return an object with the function applied to the step's attributes; the message is noted for each change."""
    result = target
    for name in step.names:
        old = target.get(name) if isinstance(target, dict) else None
        new = function(old)
        if new != old:
            context.note(name, message.format(name))
            result = {**result, name: new}
    return result


def rename(target: Any, step: Step, context: StepContext) -> Any:
    """Rename attributes; one that is stated under both names with the same value is stated once."""
    if not isinstance(target, dict) or step.names.keys().isdisjoint(target):
        return target
    result = dict(target)
    for old, new in step.names.items():
        if old not in result:
            continue
        if new not in result:
            result = with_name(result, old, new)
            context.note(old, f'"{old}" is read as "{new}"', ((new,), (old,)))
        else:
            context.note_duplicate(old, new, same=result.pop(old) == result[new])
    return result


def lower_names(target: Any, step: Step, context: StepContext) -> Any:
    """Write names in lower case that a release wrote in camel case."""
    result = target
    for name in [name for name in target if name not in step.names and name.lower() in step.names]:
        lower = name.lower()
        if lower in result:
            context.note_duplicate(name, lower, same=result[name] == result[lower])
            result = without(result, name)
        else:
            context.note(name, f'"{name}" is read as "{lower}"', ((lower,), (name,)))
            result = with_name(result, name, lower)
    return result


def drop(target: Any, step: Step, context: StepContext) -> Any:
    """Leave out attributes, always or where they have one of the values."""
    if not isinstance(target, dict):
        return target
    names = [name for name in step.names if name in target]
    names += [name for name, values in step.values.items() if name in target and target[name] in values]
    for name in names:
        context.note(name, f'"{name}" is left out')
    return without(target, *names) if names else target


def drop_unfit(target: Any, step: Step, context: StepContext) -> Any:
    """Leave out an attribute where another one beside it has a value that it doesn't fit."""
    result = target
    for name, other in step.names.items():
        if isinstance(result, dict) and name in result and result.get(other) in step.values.get(other, ()):
            context.note(name, f'"{name}" is left out, since "{other}" is {result[other]}')
            result = without(result, name)
    return result


def wrap_in_list(target: Any, step: Step, context: StepContext) -> Any:
    """Make a list of a value that stands alone."""
    names = [name for name in step.names if isinstance(target, dict) and target.get(name) is not None]
    names = [name for name in names if not isinstance(target[name], list)]
    for name in names:
        context.note(name, f'"{name}" is read as a list')
    return {**target, **{name: [target[name]] for name in names}} if names else target


def move(target: Any, step: Step, context: StepContext) -> Any:
    """Move an attribute into an object beside it."""
    result = target
    for name, into in step.names.items():
        inner = result.get(into, {}) if isinstance(result, dict) and name in result else None
        if not isinstance(inner, dict):
            continue
        if name in inner:
            context.note_duplicate(name, f"{into}.{name}", same=inner[name] == result[name])
        else:
            context.note(name, f'"{name}" is moved into "{into}"', ((into, name), (name,)))
        result = without({**result, into: {name: result[name], **inner}}, name)
    return result


def copy_out(target: Any, step: Step, context: StepContext) -> Any:  # noqa: ARG001 - steps have one signature
    """State an attribute of an object beside that object too."""
    result = target
    for name, holder in step.names.items():
        inner = target.get(holder)
        if isinstance(inner, dict) and name in inner and name not in result:
            result = {**result, name: inner[name]}
    return result


def copy_into(target: Any, step: Step, context: StepContext) -> Any:  # noqa: ARG001 - steps have one signature
    """State an attribute in an object beside it too."""
    result = target
    for name, into in step.names.items():
        inner = result.get(into, {})
        if name in target and isinstance(inner, dict) and name not in inner:
            result = {**result, into: {**inner, name: target[name]}}
    return result


def hoist(target: Any, step: Step, context: StepContext) -> Any:
    """Put the members of an inner object in its place."""
    result = target
    for name in step.names:
        inner = result.get(name) if isinstance(result, dict) else None
        if isinstance(inner, dict):
            result = hoist_members(result, name, inner, context)
    return result


def lift(target: Any, step: Step, context: StepContext) -> Any:
    """Take an attribute out of the object in which it stands."""
    result = target
    for name, holder in step.names.items():
        inner = result.get(holder)
        if not isinstance(inner, dict) or name not in inner:
            continue
        if name in result:
            same = canonical(name, str(result[name])) == canonical(name, str(inner[name]))
            context.note_duplicate(f"{holder}.{name}", name, same=same)
        else:
            context.note(holder, f'"{name}" is moved out of "{holder}"', ((name,), (holder, name)))
        result = {name: inner[name], **result, holder: without(inner, name)}
    return result


def pointers_to_xids(target: Any, step: Step, context: StepContext) -> Any:
    """Write a pointer into the document as the xid that it stands for."""

    def xid(reference: Any) -> Any:
        is_pointer = isinstance(reference, str) and reference.startswith("#/")
        return unescape(reference[1:]) if is_pointer else reference

    message = 'a "#/" reference in "{}" is read as an xid'
    return convert_attributes(target, step, context, lambda value: _map_items(value, xid), message)


def update_collections(target: Any, step: Step, context: StepContext) -> Any:
    """Write references with the present names of collections; ``values`` holds the former names of each.

    A reference is ``/<GROUPS>/<GID>/<RESOURCES>/…``, or the same with ``#``.
    """

    def with_collections(reference: Any) -> Any:
        if not isinstance(reference, str) or not reference.removeprefix("#").startswith("/"):
            return reference
        parts = reference.split("/")
        for place in (1, 3):
            if place < len(parts):
                lower = parts[place].lower()
                parts[place] = next((new for new, olds in step.values.items() if lower in (new, *olds)), parts[place])
        return "/".join(parts)

    message = 'a reference in "{}" is read with the present names of collections'
    return convert_attributes(target, step, context, lambda value: _map_items(value, with_collections), message)


def _map_items(value: Any, function: Callable[[Any], Any]) -> Any:
    return [function(item) for item in value] if isinstance(value, list) else function(value)


def borrow_pointer(target: Any, step: Step, context: StepContext) -> Any:
    """Read a lone pointer as a reference to another entity that stands in this one's place."""
    for old, new in step.names.items():
        pointer = target.get(old) if isinstance(target, dict) else None
        if isinstance(pointer, str) and pointer.startswith("#/") and new not in target:
            context.note(old, f'"{old}" is read as "{new}"', ((new,), (old,)))
            return with_name(target, old, new)
    return target


def spell_selectors(target: Any, step: Step, context: StepContext) -> Any:
    """Spell selectors as their specification does."""
    result = target
    for name, selector in step.names.items():
        value = target.get(name) if isinstance(target, dict) else None
        if isinstance(value, str) and canonical(selector, value) != value:
            context.note(name, f'the {name} "{value}" is read as "{canonical(selector, value)}"')
            result = {**result, name: canonical(selector, value)}
    return result


def split_selector(target: Any, step: Step, context: StepContext) -> Any:
    """Rename a selector by its value: ``format`` was an envelope, a protocol or a format."""
    result = target
    for name, usual in step.names.items():
        value = target.get(name)
        if not isinstance(value, str) or find_name(FORMAT, value) is not None:
            continue
        new = next((other for other in step.values.get(name, ()) if find_name(other, value) is not None), usual)
        if new in result:
            same = isinstance(result[new], str) and canonical(new, result[new]) == canonical(new, value)
            context.note_duplicate(name, new, same=same)
            result = without(result, name)
        else:
            context.note(name, f'"{name}" is read as "{new}"', ((new,), (name,)))
            result = with_name(result, name, new)
    return result


def lift_key(target: Any, step: Step, context: StepContext) -> Any:
    """Take the one key of an object as a selector's value, and its value as what is selected."""
    result = target
    for name, selector in step.names.items():
        inner = result.get(name)
        if not isinstance(inner, dict) or len(inner) != 1 or selector in result:
            continue
        ((key, members),) = inner.items()
        into = next(iter(step.values.get(name, ())), "")
        if not isinstance(members, dict) or into in result:
            continue
        context.note(name, f'"{key}" in "{name}" is read as the {selector}', ((into or name,), (name, key)))
        result = {**without(result, name), selector: key, **({into: members} if into else {})}
        if not into:
            result = hoist_members({**result, name: members}, name, members, context)
    return result


def add_defaults(target: Any, step: Step, context: StepContext) -> Any:
    """State an option that is left out by the release's default, which depends on whether ``names`` is a text or list.

    ``values`` has the default of each option beside a text, then that beside a list.
    """
    result = target
    for name, holder in step.names.items():
        options = result.get(holder)
        if not isinstance(target.get(name), str | list) or not isinstance(options, dict):
            continue
        is_list = isinstance(target[name], list)
        defaults = {key: values[is_list] for key, values in step.values.items() if key not in options}
        if defaults:
            text = ", ".join(f'"{key}": {str(value).lower()}' for key, value in defaults.items())
            context.note(holder, f'what is not said in "{holder}" is read as {text}')
            result = {**result, holder: {**options, **defaults}}
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
