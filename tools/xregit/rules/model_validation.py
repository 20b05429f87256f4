"""What is wrong by the model with a resource's file, and where in the file a finding about the resource is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import META, VERSIONS, file_attributes
from xregit.catalog.resolver import options_by_selector, unknown_base_attributes
from xregit.diagnostics import Finding
from xregit.model import check
from xregit.model.aliases import habit
from xregit.model.error_messages import UNKNOWN_ATTRIBUTE
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from xregit.catalog.entities import Resource
    from xregit.catalog.registry import Registry
    from xregit.catalog.resolver import Resolved
    from xregit.json_pointer import KeyPath


Values = Mapping[str, Any]
_PROTOCOL = "protocol"


def check_resource(registry: Registry, resource: Resource) -> Sequence[Finding]:
    """Check what a resource's file states, but not the options of a protocol that isn't its group's."""
    findings, doubts = _advise(registry, resource), registry.doubts.get(resource.xid)
    if not doubts:
        return findings
    options = options_by_selector(resource.type)
    doubtful = frozenset(name for selector in doubts for name in options.get(selector, ()))
    return [item for item in findings if not item.path or item.path[0] not in doubtful]


def _advise(registry: Registry, resource: Resource) -> Sequence[Finding]:
    """Return what the model says of a resource's file, with the names here of what other languages call otherwise."""
    findings = _check_file(registry, resource)
    habits = {
        item: habit(resource.type.singular, str(item.path[-1]))
        for item in findings
        if item.rule == UNKNOWN_ATTRIBUTE and (len(item.path) == 1 or item.path[0] == VERSIONS)
    }
    return [replace(item, help=habits[item]) if habits.get(item) else item for item in findings] if habits else findings


def at_declaration(resource: Resource, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings with their paths in the file, which may state an attribute below ``meta`` or ``versions``."""
    for item in findings:
        name = item.path[0] if item.path else None
        if name is None or name in resource.definition:
            yield item
        elif name in resource.meta:
            yield from _under((META,), (item,))
        else:
            yield from _under((VERSIONS, resource.defaultversionid), (item,))


def _check_file(registry: Registry, resource: Resource) -> Sequence[Finding]:
    """Check what stands beside the versions, in ``meta`` and in each of ``versions``."""
    model, written = resource.type, resource.definition
    meta, versions = written.get(META), written.get(VERSIONS)
    inherited = _inherited(registry, resource)
    if meta is None and versions is None:
        return check(file_attributes(model), written, inherited)
    own = {name: value for name, value in written.items() if name not in {META, VERSIONS}}
    return (
        *check(file_attributes(model), own, inherited),
        *_check_mapping(META, meta, partial(check, model.metaattributes)),
        *_check_mapping(VERSIONS, versions, lambda values: _check_versions(resource, values, inherited)),
    )


def _inherited(registry: Registry, resource: Resource) -> Values:
    if resource.type.plural != "messages" or resource.xref:
        return resource.attributes
    resolved, doubtful = registry.resolved(resource.xid), registry.doubtful(resource.xid)
    options = _options_of_group(resource, resolved)
    attributes = {**options, **resolved.attributes} if options else resolved.attributes
    if not doubtful:
        return attributes
    implied = unknown_base_attributes(resource.type)
    return {**{name: implied[name] for name in doubtful if name in implied}, **attributes}


def _options_of_group(resource: Resource, resolved: Resolved) -> Values:
    """Return empty options for a protocol that the group alone states: message/spec.md asks for a message's own."""
    options = options_by_selector(resource.type).get(_PROTOCOL, frozenset())
    if _PROTOCOL not in resolved.attributes or options <= resolved.attributes.keys():
        return NOTHING
    if _PROTOCOL in resource.attributes or (resolved.base and _PROTOCOL in resolved.base.attributes):
        return NOTHING
    return {name: NOTHING for name in options if name not in resolved.attributes}


def _check_versions(resource: Resource, values: Values, inherited: Values) -> list[Finding]:
    """Check each of the versions that are listed; the default one inherits what the resource does."""
    findings: list[Finding] = []
    for vid, value in values.items():
        version = resource.versions.get(vid)
        own = version.attributes if version else NOTHING
        base = inherited if vid == resource.defaultversionid else own
        findings += _check_mapping(vid, value, partial(check, resource.type.attributes, inherited=base))
    return findings


def _check_mapping(name: str, value: object, check_values: Callable[[Values], Iterable[Finding]]) -> list[Finding]:
    """Check what stands under a name, which must be a mapping if it is there at all."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return list(_under((name,), check_values(value)))
    return [Finding("invalid-attribute", (name,), f'"{name}" must be a mapping.', 'Write "name: value" lines.')]


def _under(prefix: KeyPath, findings: Iterable[Finding]) -> Iterator[Finding]:
    for item in findings:
        path = (*prefix, *item.path)
        yield Finding(item.rule, path, item.message, item.help, item.requirement, item.on_key)
