"""A text with placeholders, such as ``fleet/{vin}/position``: filled with a context, and read back to it.

Source: message/spec.md "Property definitions" and RFC 6570, level 1. A placeholder takes one or more characters other
than ``/``, in URIs other than ``?`` and ``#`` too; a text that is one placeholder alone takes anything but nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from xregit.catalog.properties import texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

URI_TYPES = frozenset({"uri", "uritemplate"})
BREAKS = {"\r": "a line break", "\n": "a line break"}
_SHOWN = {"\0": "a null character", " ": "a space", "\t": "a tab"}


@dataclass(frozen=True, slots=True)
class Template:
    """A template cut at its placeholders, as plain data.

    ``prefix`` comes before the first placeholder; ``steps`` has each placeholder with the text that follows it.
    ``encoded`` says that values are percent-encoded, ``separators`` which characters part a value's levels, so that
    none can come from a placeholder, and ``refused`` which no such value may hold at all.
    """

    text: str
    prefix: str
    steps: tuple[tuple[str, str], ...]
    encoded: bool = False
    separators: str = ""
    refused: str = ""

    @classmethod
    def parse(cls, text: str, kind: str = "string", *, separators: str = "", refused: str = "") -> Template:
        """Return the template of a property's value; ``kind`` is the property's type."""
        prefix, steps = "", []
        for part in texts(text):
            if part.placeholder:
                steps.append((part.placeholder, ""))
            elif steps:
                steps[-1] = (steps[-1][0], part.text)
            else:
                prefix = part.text
        return cls(text, prefix, tuple(steps), kind in URI_TYPES, separators, refused)

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names of the placeholders, each once."""
        return tuple(dict.fromkeys(name for name, _ in self.steps))

    @property
    def alone(self) -> bool:
        """Whether the text is one placeholder and nothing else, which may stand for any number of levels."""
        return self.text == f"{{{self.steps[0][0]}}}" if self.steps else False

    @property
    def clear(self) -> bool:
        """Whether at most one placeholder stands in a level, so that a text can be read in one way only."""
        bounded = all("/" in literal for _, literal in self.steps[:-1])
        return bounded and len(self.placeholders) == len(self.steps)

    def expand(self, context: Mapping[str, str]) -> str:
        """Return the text with a value of the context in place of each placeholder; `faults` finds nothing wrong."""
        return self.prefix + "".join(self._written(context[name]) + literal for name, literal in self.steps)

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with these values as they are, for people to read."""
        return self.prefix + "".join(values[name] + literal for name, literal in self.steps)

    def faults(self, context: Mapping[str, str]) -> Iterator[str]:
        """Give what is wrong with the context's values in this place, as parts of a sentence."""
        for name in self.placeholders:
            value = self._written(context[name]) if name in context else ""
            levels = "" if self.alone else self.separators
            found = [sign for sign in dict.fromkeys(value) if sign in BREAKS or sign in levels or sign in self.refused]
            if found:
                yield f'the value of "{name}" can\'t hold {shown(found[0])} here, where it would change the structure'

    def read(self, text: str, context: dict[str, str]) -> bool:
        """Tell whether the whole text fits, and add what its placeholders stand for to the context.

        A placeholder that the context knows already must stand for the same value. It takes time in proportion to the
        text's length: no place is tried twice.
        """
        if self.text == text and not self.steps:
            return True
        if not text.startswith(self.prefix) or not self.steps:
            return False
        start = len(self.prefix)
        last = len(self.steps) - 1
        for index, (name, literal) in enumerate(self.steps):
            end = self._end(text, start, literal, context.get(name)) if index < last else self._rest(text, literal)
            if end <= start:
                return False
            value = text[start:end]
            if last == 0 and not self.prefix and not literal:
                pass
            elif "/" in value or (self.encoded and ("?" in value or "#" in value)):
                return False
            if self.encoded and "%" in value:
                value = decoded(value)
            if context.setdefault(name, value) != value:
                return False
            start = end + len(literal)
        return True

    def _end(self, text: str, start: int, literal: str, known: str | None) -> int:
        """Return where a placeholder's value ends: before the nearest next literal, unless its value is known."""
        if known is not None:
            written = self._written(known)
            if text.startswith(written + literal, start):
                return start + len(written)
        return text.find(literal, start + 1) if literal else start + 1

    def _rest(self, text: str, literal: str) -> int:
        return len(text) - len(literal) if text.endswith(literal) else -1

    def _written(self, value: str) -> str:
        if not self.encoded:
            return value
        from uritemplate import expand

        return expand("{value}", value=value)


def decoded(value: str) -> str:
    """Return a percent-encoded text as it was before, or as it is where that would be no text."""
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        return value


def shown(sign: str) -> str:
    """Return a character as an error message names it."""
    return BREAKS.get(sign) or _SHOWN.get(sign) or f'"{sign}"'
