"""Attributes of endpoints that stand where they count as names of one's own, since any name may stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding, Severity
from xregit.model import siblings
from xregit.model.language import MAPPINGS, NOTHING
from xregit.rules.rule import found, rule
from xregit.rules.stated import items

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Endpoint

OPTIONS, ENVELOPE, ADDRESSES = "protocoloptions", "envelopeoptions", "endpoints"
# What only endpoints have: anything may have a name or a description of its own, and an address a protocol.
_OF_ADDRESSES = ("usage", "channel", "envelope", ENVELOPE, "messagegroups")
_OF_ENDPOINTS = (*_OF_ADDRESSES, "protocol")
_INTO_OPTIONS = f'Move it into "{OPTIONS}": indent it below that.'
_INTO_ENVELOPE = f'Move it into "{ENVELOPE}": indent it below that.'
_INTO_ADDRESS = f'Move it into an entry of the list "{ADDRESSES}" in "{OPTIONS}".'
_OUT_OF_OPTIONS = f'Move it out of "{OPTIONS}": indent it as that is.'
_OUT_OF_ADDRESS = f'Move it out of the entry: indent it as "{ADDRESSES}" is.'

Path = tuple[str | int, ...]


@rule(
    "endpoint",
    Severity.WARNING,
    "An attribute of endpoints stands where it counts as a name of your own.",
    "EP-23",
    "EP-37",
)
def misplaced_attribute(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """Report what nobody looks for beside the options, among them, or beside an address."""
    known = siblings(endpoint.entity.type.attributes, endpoint.attributes)
    envelope, options = (known[name].attributes if name in known else NOTHING for name in (ENVELOPE, OPTIONS))
    listed = options[ADDRESSES].item if ADDRESSES in options else None
    address = listed.attributes if listed else NOTHING
    into = {**_due(envelope, _INTO_ENVELOPE), **_due(address, _INTO_ADDRESS)}
    yield from _stray(endpoint.attributes, (), known, {**into, **_due(options, _INTO_OPTIONS)})
    above = {**into, **_due(_OF_ENDPOINTS, _OUT_OF_OPTIONS)}
    yield from _stray(endpoint.attributes.get(OPTIONS), (OPTIONS,), options, above)
    outside = {**_due(options, _OUT_OF_ADDRESS), **_due(_OF_ADDRESSES, _OUT_OF_OPTIONS), "options": _OUT_OF_ADDRESS}
    for index, entry in items(endpoint.options, ADDRESSES):
        yield from _stray(entry, (OPTIONS, ADDRESSES, index), address, outside)


def _due(names: Iterable[str], advice: str) -> dict[str, str]:
    """Return what to do with each of some names, where it is not known."""
    return dict.fromkeys((name for name in names if name != "*"), advice)


def _stray(value: Any, path: Path, known: Iterable[str], due: dict[str, str]) -> Iterator[Finding]:
    """Give the names in a value that are known only elsewhere."""
    for name in value if isinstance(value, MAPPINGS) else ():
        if name in due and name not in known:
            text_ = f'"{name}" counts as a name of your own here, so nobody looks for it.'
            yield found(*path, name, message=text_, help=due[name], on_key=True)
