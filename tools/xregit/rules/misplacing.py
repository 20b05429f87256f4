"""Attributes of groups that stand where they count as names of one's own, since any name may stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding, Severity
from xregit.model import siblings
from xregit.model.language import MAPPINGS, NOTHING
from xregit.rules.rule import found, rule
from xregit.rules.stated import items

if TYPE_CHECKING:
    from xregit.catalog.entities import Group
    from xregit.catalog.registry import Registry
    from xregit.keypaths import KeyPath
    from xregit.model.language import AttributeModel

ENDPOINTS, OPTIONS, ENVELOPE, ADDRESSES = "endpoints", "protocoloptions", "envelopeoptions", "endpoints"
# What only endpoints have: anything may have a name or a description of its own, and an address a protocol.
_OF_ADDRESSES = ("usage", "channel", "envelope", ENVELOPE, "messagegroups")
_OF_ENDPOINTS = (*_OF_ADDRESSES, "protocol")
_INTO_OPTIONS = f'Move it into "{OPTIONS}": indent it below that.'
_INTO_ENVELOPE = f'Move it into "{ENVELOPE}": indent it below that.'
_INTO_ADDRESS = f'Move it into an entry of the list "{ADDRESSES}" in "{OPTIONS}".'
_OUT_OF_OPTIONS = f'Move it out of "{OPTIONS}": indent it as that is.'
_OUT_OF_ADDRESS = f'Move it out of the entry: indent it as "{ADDRESSES}" is.'

Attributes = Mapping[str, Any]
Models = Mapping[str, "AttributeModel"]


@rule(
    "group",
    Severity.WARNING,
    "An attribute stands where it counts as a name of your own.",
    "EP-23",
    "EP-37",
)
def misplaced_attribute(_registry: Registry, group: Group) -> Iterator[Finding]:
    """Report what nobody looks for in a group, as it belongs to what is in it; and in an endpoint, in a wrong part."""
    known = siblings(group.type.attributes, group.attributes)
    if group.type.plural == ENDPOINTS:
        yield from _of_endpoint(group.attributes, known)
    elif any(name not in known for name in group.attributes):
        for resource in group.type.resources.values():
            advice = f"Groups hand nothing of this on: state it in each {resource.singular}."
            due = _due(siblings(resource.attributes, group.attributes), advice)
            yield from _stray(group.attributes, (), known, due)


def _of_endpoint(attributes: Attributes, known: Models) -> Iterator[Finding]:
    envelope, options = (known[name].attributes if name in known else NOTHING for name in (ENVELOPE, OPTIONS))
    listed = options[ADDRESSES].item if ADDRESSES in options else None
    address = listed.attributes if listed else NOTHING
    into = {**_due(envelope, _INTO_ENVELOPE), **_due(address, _INTO_ADDRESS)}
    yield from _stray(attributes, (), known, {**into, **_due(options, _INTO_OPTIONS)})
    above = {**into, **_due(_OF_ENDPOINTS, _OUT_OF_OPTIONS)}
    stated = attributes.get(OPTIONS)
    yield from _stray(stated, (OPTIONS,), options, above)
    outside = {**_due(options, _OUT_OF_ADDRESS), **_due(_OF_ADDRESSES, _OUT_OF_OPTIONS), "options": _OUT_OF_ADDRESS}
    for index, entry in items(stated, ADDRESSES):
        yield from _stray(entry, (OPTIONS, ADDRESSES, index), address, outside)


def _due(names: Iterable[str], advice: str) -> dict[str, str]:
    """Return what to do with each of some names, where it is not known."""
    return dict.fromkeys((name for name in names if name != "*"), advice)


def _stray(value: Any, path: KeyPath, known: Iterable[str], due: dict[str, str]) -> Iterator[Finding]:
    """Give the names in a value that are known only elsewhere."""
    for name in value if isinstance(value, MAPPINGS) else ():
        if name in due and name not in known:
            text_ = f'"{name}" counts as a name of your own here, so nobody looks for it.'
            yield found(*path, name, message=text_, help=due[name], on_key=True)
