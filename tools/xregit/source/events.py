"""YAML text to parse events: libyaml's parser where pyyaml has it, pyyaml's own otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from yaml import SafeLoader
from yaml.events import ScalarEvent
from yaml.scanner import ScannerError

if TYPE_CHECKING:
    from yaml.error import Mark


class EventSource(Protocol):
    """One text that hands out its parse events in turn and raises ``yaml.YAMLError`` where it is no YAML."""

    def get_event(self) -> Any:
        """Return the next event, of one of pyyaml's event classes."""


Parser = Callable[[bytes], EventSource]


class PurePythonParser(SafeLoader):
    """pyyaml's own parser, as strict about escaped surrogates as libyaml."""

    def get_event(self) -> Any:
        """Return the next event.

        Raises:
            ScannerError: a text holds half of a surrogate pair, which UTF-8 can't encode.
        """
        event = super().get_event()  # type: ignore[no-untyped-call]
        if isinstance(event, ScalarEvent) and not event.value.isascii():
            _refuse_surrogates(event)
        return event


def _refuse_surrogates(event: ScalarEvent) -> None:
    try:
        event.value.encode()
    except UnicodeEncodeError as error:
        problem = "found invalid Unicode character escape code"
        raise ScannerError(None, None, problem, cast("Mark", event.start_mark)) from error


def _parser() -> Parser:
    try:
        from yaml._yaml import CParser
    except ImportError:
        return PurePythonParser
    return CParser


PARSER = _parser()
