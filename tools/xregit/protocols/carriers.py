"""How each protocol carries a CloudEvent, as one table of facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from xregit.model.protocols import facts
from xregit.records import record

BINARY, STRUCTURED, BATCH = "binary", "structured", "batch"


@record
class Carrier:
    """The facts of one protocol's CloudEvents binding.

    ``modes`` can be written, the first where none is asked for. ``attributes`` is the section that has them in binary
    mode, named with one of ``prefixes``, of which we write the first. ``contenttype`` is the key of the payload's
    media type. ``percent`` says that values are percent-encoded, ``native`` that numbers stay numbers, ``anycase``
    that names compare without regard to case. ``implied`` is the mode of a message that states none. ``tolerant`` has
    other prefixes, with which a message is read if it has no attribute with these.
    """

    protocol: str
    modes: tuple[str, ...]
    attributes: str = ""
    prefixes: tuple[str, ...] = ()
    contenttype: str = ""
    percent: bool = False
    native: bool = False
    anycase: bool = False
    implied: str = ""
    tolerant: Carrier | None = None


def carrier(protocol: str) -> Carrier | None:
    """Return how a protocol carries CloudEvents, None for one that has no binding."""
    return _carriers().get(protocol)


@cache
def _carriers() -> Mapping[str, Carrier]:
    return {protocol: _carrier(protocol, said) for protocol, said in facts("cloudevents").items()}


def _carrier(protocol: str, said: Mapping[str, Any]) -> Carrier:
    known: dict[str, Any] = {name: tuple(fact) if isinstance(fact, list) else fact for name, fact in said.items()}
    tolerated = known.pop("tolerated", ())
    strict = Carrier(protocol, **known)
    return replace(strict, tolerant=replace(strict, prefixes=tolerated)) if tolerated else strict
