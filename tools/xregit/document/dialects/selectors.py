"""Conversion steps that decide by a value what an attribute means, and the split of endpoints by usage.

Source: endpoint specification 1.0-rc4, "usage": one value, but for pairs that some protocols serve by one connection.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.document.dialects.changes import StepContext, hoist_members, note_join
from xregit.document.dialects.names import with_name
from xregit.model import canonical, find_name
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.entities import Group, Resource
    from xregit.catalog.registry import Registry
    from xregit.document.profiles import Step, UsagePair


FORMAT = "format"


def split_selector(target: Any, step: Step, here: StepContext) -> Any:
    """Read a selector under the name that its value tells: ``format`` was an envelope, a protocol or a format."""
    result = target
    for name, usual in step.names.items():
        written = target.get(name)
        if not isinstance(written, str) or find_name(FORMAT, written) is not None:
            continue
        others = step.values.get(name, ())
        new = next((other for other in others if find_name(other, written) is not None), usual)
        result = _rename_selector(result, name, new, here)
    return result


def _rename_selector(target: dict[str, Any], old: str, new: str, here: StepContext) -> dict[str, Any]:
    if new not in target:
        here.note(old, f'"{old}" is read as "{new}"', ((new,), (old,)))
        return with_name(target, old, new)
    stated = target[new]
    same = isinstance(stated, str) and canonical(new, stated) == canonical(new, target[old])
    note_join(here, old, new, same=same)
    return {key: value for key, value in target.items() if key != old}


def lift_key(target: Any, step: Step, here: StepContext) -> Any:
    """Take the one key of an object as a selector's value, and what stands under it as what it selects."""
    result = target
    for name, selector in step.names.items():
        inner = result.get(name)
        if not isinstance(inner, dict) or len(inner) != 1 or selector in result:
            continue
        ((key, members),) = inner.items()
        into = next(iter(step.values.get(name, ())), "")
        if not isinstance(members, dict) or into in result:
            continue
        here.note(name, f'"{key}" in "{name}" is read as the {selector}', ((into or name,), (name, key)))
        rest = {other: value for other, value in result.items() if other != name}
        result = {**rest, selector: key, **({into: members} if into else {})}
        if not into:
            result = hoist_members({**result, name: members}, name, members, here)
    return result


def lift(target: Any, step: Step, here: StepContext) -> Any:
    """Take an attribute out of the object in which it stands."""
    result = target
    for name, holder in step.names.items():
        inner = result.get(holder)
        if not isinstance(inner, dict) or name not in inner:
            continue
        left = {key: value for key, value in inner.items() if key != name}
        if name in result:
            stated = canonical(name, str(result[name])) == canonical(name, str(inner[name]))
            note_join(here, f"{holder}.{name}", name, same=stated)
        else:
            here.note(holder, f'"{name}" is moved out of "{holder}"', ((name,), (holder, name)))
        result = {name: inner[name], **result, holder: left}
    return result


def drop_unfit(target: Any, step: Step, here: StepContext) -> Any:
    """Leave out an attribute where another one beside it has a value that it doesn't fit to."""
    result = target
    for name, other in step.names.items():
        if isinstance(result, dict) and name in result and result.get(other) in step.values.get(other, ()):
            here.note(name, f'"{name}" is left out, since "{other}" is {result[other]}')
            result = {key: value for key, value in result.items() if key != name}
    return result


def add_defaults(target: Any, step: Step, here: StepContext) -> Any:
    """State an option that is left out, as the release means it: one where ``names`` is a text, another for a list."""
    result = target
    for name, holder in step.names.items():
        options = result.get(holder)
        if not isinstance(target.get(name), str | list) or not isinstance(options, dict):
            continue
        listed = isinstance(target[name], list)
        missing = {key: values[listed] for key, values in step.values.items() if key not in options}
        if missing:
            here.note(holder, f'what is not said in "{holder}" is read as {_members_stated(missing)}')
            result = {**result, holder: {**options, **missing}}
    return result


def _members_stated(members: dict[str, Any]) -> str:
    return ", ".join(f'"{name}": {str(value).lower()}' for name, value in members.items())


ENDPOINTS = "endpoints"


def split_by_usage(registry: Registry, together: UsagePair) -> Registry:
    """Return the registry with its endpoints divided; the first part of each keeps its id, and what refers to it."""
    taken = {id.casefold() for id in registry.groups.get(ENDPOINTS, {})}  # noqa: A001 - the specification's word
    endpoints: dict[str, Group] = {}
    for endpoint in registry.groups.get(ENDPOINTS, {}).values():
        for part in _split_endpoint(endpoint, together, taken):
            endpoints[part.id] = part
    return replace(registry, groups={**registry.groups, ENDPOINTS: endpoints}) if endpoints else registry


def _split_endpoint(endpoint: Group, together: UsagePair, taken: set[str]) -> Iterator[Group]:
    usages = _usages(endpoint.attributes, together)
    if len(usages) <= 1:
        yield endpoint
        return
    shared = {**endpoint.attributes, "channel": endpoint.attributes.get("channel") or endpoint.id}
    yield replace(endpoint, attributes={**shared, "usage": usages[0]})
    for usage in usages[1:]:
        name = _free_id(f"{endpoint.id}.{'.'.join(usage)}", taken)
        yield _copy_endpoint(endpoint, name, {**shared, "usage": usage})


def _usages(attributes: Mapping[str, Any], together: UsagePair) -> list[list[str]]:
    """Return the usages of each part, in the order in which they are stated."""
    stated = attributes.get("usage")
    left = list(dict.fromkeys(item for item in stated if isinstance(item, str))) if isinstance(stated, list) else []
    protocol = attributes.get("protocol")
    may = isinstance(protocol, str) and canonical("protocol", protocol) in together.protocols
    parts: list[list[str]] = []
    while left:
        pair = [usage for usage in left if usage in together.usages] if may and left[0] in together.usages else left[:1]
        parts.append(pair)
        left = [usage for usage in left if usage not in pair]
    return parts


def _free_id(name: str, taken: set[str]) -> str:
    while name.casefold() in taken:
        name += "_"
    taken.add(name.casefold())
    return name


def _copy_endpoint(endpoint: Group, name: str, attributes: Mapping[str, Any]) -> Group:
    """Return an endpoint under another id, whose own messages are aliases of those of the first."""
    xid = f"/{ENDPOINTS}/{name}"
    collections = {
        plural: {rid: _alias_of(resource, f"{xid}/{plural}/{rid}") for rid, resource in resources.items()}
        for plural, resources in endpoint.collections.items()
    }
    return replace(endpoint, xid=xid, id=name, attributes=attributes, collections=collections)


def _alias_of(resource: Resource, xid: str) -> Resource:
    meta = {"xref": resource.xref or resource.xid}
    return replace(
        resource,
        xid=xid,
        meta=meta,
        versions=NOTHING,
        defaultversionid="",
        definition={"meta": meta},
        attributes=NOTHING,
    )
