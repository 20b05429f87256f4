"""Templates, such as ``fleet/{vin}/position``: expanded with a context, and matched to get the context back.

Source: message/spec.md "Property definitions" and RFC 6570, level 1. A placeholder takes one or more characters other
than ``/``, in URIs other than ``?`` and ``#`` too; a text that is one placeholder alone takes anything but nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from uritemplate import expand

from xregit.catalog.properties import placeholders_in, texts

URI_TYPES = frozenset({"uri", "uritemplate"})
# The templates of a catalog are much alike.
MAX_REMEMBERED = 16_384
BREAKS = {"\r": "a line break", "\n": "a line break"}
_BLANKS = {"\0": "a null character", " ": "a space", "\t": "a tab"}


@dataclass(frozen=True, slots=True)
class Template:
    """A template cut at its placeholders, as plain data.

    ``prefix`` comes before the first placeholder; ``steps`` has each placeholder with the text that follows it.
    ``encoded`` says that values are percent-encoded. ``separators`` are the characters between a value's levels, so
    that no placeholder may bring one, ``refused`` those that no such value may hold, ``allowed`` the only ones that it
    may, written as within the brackets of a regular expression. ``alone`` says that the text is one placeholder and
    nothing else, which may stand for any number of levels, ``clear`` that no level has several placeholders and none
    stands twice, so that a text can be read in one way only.
    """

    text: str
    prefix: str
    steps: tuple[tuple[str, str], ...]
    encoded: bool = False
    separators: str = ""
    refused: str = ""
    allowed: str = ""
    alone: bool = False
    clear: bool = True

    @classmethod
    @lru_cache(maxsize=MAX_REMEMBERED)
    def parse(
        cls, text: str, kind: str = "string", *, separators: str = "", refused: str = "", allowed: str = ""
    ) -> Template:
        """Return the template of a property's value; ``kind`` is the property's type."""
        prefix, steps = "", []
        for part in texts(text):
            if part.placeholder:
                steps.append((part.placeholder, ""))
            elif steps:
                steps[-1] = (steps[-1][0], part.text)
            else:
                prefix = part.text
        alone = not prefix and len(steps) == 1 and not steps[0][1]
        bounded = all("/" in literal for _, literal in steps[:-1])
        clear = bounded and len({name for name, _ in steps}) == len(steps)
        return cls(text, prefix, tuple(steps), kind in URI_TYPES, separators, refused, allowed, alone, clear)

    @property
    def doubt(self) -> int:
        """How ambiguous the ends of placeholders are: 0 not at all, 1 with text between them, 2 with none."""
        adjacent = not all(literal for _, literal in self.steps[:-1])
        return 0 if self.clear else 1 + adjacent

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names of the placeholders, each once."""
        return placeholders_in(self.text)

    def expand(self, context: Mapping[str, str]) -> str:
        """Return the text with a value of the context in place of each placeholder; `faults` finds nothing wrong."""
        return self.prefix + "".join(self._encode(context[name]) + literal for name, literal in self.steps)

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with these values as they are, for people to read."""
        return self.prefix + "".join(values[name] + literal for name, literal in self.steps)

    def faults(self, context: Mapping[str, str]) -> Iterator[str]:
        """Yield what is wrong with the context's values in this place, as parts of a sentence."""
        for name in self.placeholders:
            value = self._encode(context[name]) if name in context else ""
            levels = "" if self.alone else self.separators
            signs = [sign for sign in dict.fromkeys(value) if sign in BREAKS or sign in levels or sign in self.refused]
            if signs:
                yield f'the value of "{name}" can\'t have {name_of(signs[0])} here, where it would change the structure'
            other = re.search(f"[^{self.allowed}]", value) if self.allowed and not signs else None
            if other is not None:
                yield f'the value of "{name}" can\'t have {name_of(other[0])} here, only {self.allowed}'

    def read(self, text: str, context: dict[str, str]) -> bool:
        """Return whether the whole text fits, and add what its placeholders stand for to the context.

        A placeholder that the context knows already must stand for the same value. It takes time in proportion to the
        text's length: no place is tried twice.
        """
        prefix, steps = (self.prefix, self.steps) if self.clear or not context else self._narrowed(context)
        if not text.startswith(prefix) or not steps:
            return text == prefix
        start, encoded = len(prefix), self.encoded
        for name, literal in steps[:-1]:
            end = text.find(literal, start + 1) if literal else start + 1
            if end < 0 or not self._assign(name, text[start:end], context, encoded):
                return False
            start = end + len(literal)
        name, literal = steps[-1]
        end = len(text) - len(literal)
        return start < end and text.endswith(literal) and self._assign(name, text[start:end], context, encoded)

    def _assign(self, name: str, value: str, context: dict[str, str], encoded: bool) -> bool:
        """Return whether a placeholder may stand for a value, and note that it does."""
        if not self.alone and ("/" in value or (encoded and ("?" in value or "#" in value))):
            return False
        if encoded and "%" in value:
            value = decode_value(value)
        return context.setdefault(name, value) == value

    def _narrowed(self, context: Mapping[str, str]) -> tuple[str, list[tuple[str, str]]]:
        """Return prefix and steps with the placeholders of the context filled, as they tell where others end."""
        prefix, steps = self.prefix, []
        for name, literal in self.steps:
            if name not in context:
                steps.append((name, literal))
                continue
            text = self._encode(context[name]) + literal
            if steps:
                steps[-1] = (steps[-1][0], steps[-1][1] + text)
            else:
                prefix += text
        return prefix, steps

    def _encode(self, value: str) -> str:
        return expand("{value}", value=value) if self.encoded else value  # RFC 6570, section 3.2.2


def decode_value(value: str) -> str:
    """Return a percent-encoded text as it was before, or as it is where that would be no text."""
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        return value


def name_of(sign: str) -> str:
    """Return a character as an error message names it."""
    return BREAKS.get(sign) or _BLANKS.get(sign) or f'"{sign}"'
