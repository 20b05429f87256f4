"""Media types in the form in which they are compared (RFC 2045, section 5.1; RFC 9110, section 8.3.1)."""

from __future__ import annotations

import re
from functools import lru_cache

# RFC 9110, section 5.6.6; a semicolon may stand before nothing.
_PARAMETER = r';\s*(?:([^\s;="]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]+))?\s*'
_ESCAPED = r"\\(.)"
# Media types are few, and compared again and again.
_REMEMBERED = 1024
#: The parameters whose values compare without case (RFC 2046, section 4.1.2; RFC 3676, section 4).
_FOLDED = frozenset({"charset", "delsp", "format"})


@lru_cache(maxsize=_REMEMBERED)
def comparable(media: str) -> str:
    """Return a media type in a form in which equal ones are equal texts.

    Names compare without case, values of parameters only where that is known of them, in any order. JSON is UTF-8
    whether or not a parameter says so (RFC 8259, sections 8.1 and 11).
    """
    text = media.strip()
    kind, _, _ = text.partition(";")
    name = kind.rstrip().lower()
    parameters, end = set(), len(kind)
    parameter = re.compile(_PARAMETER)
    while match := parameter.match(text, end):
        if match[1]:
            parameters.add(_parameter(match[1].lower(), match[2]))
        end = match.end()
    if name == "application/json" or name.endswith("+json"):
        parameters.discard("charset=utf-8")
    # What is no parameter is compared as it is.
    return ";".join((name, *sorted(parameters))) + text[end:]


def without_parameters(media: str) -> str:
    """Return a media type's name in lower case, such as ``application/json``."""
    return media.partition(";")[0].strip().lower()


def _parameter(name: str, text: str) -> str:
    value = re.sub(_ESCAPED, r"\1", text[1:-1]) if text.startswith('"') else text
    return f"{name}={value.lower() if name in _FOLDED else value}"
