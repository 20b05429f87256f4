"""Names of channels, messages and schemas in a document, and the names in braces of an address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container

_OTHER, _BRACES = re.compile(r"[^A-Za-z0-9._-]+"), re.compile(r"[{}]")
# AsyncAPI takes whatever stands in braces for a variable.
_VARIABLE = re.compile(r"\{(.+?)\}")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")


def free_name(wanted: str, taken: Container[str]) -> str:
    """Return the wanted name in the characters that names may have, with a number if another has it."""
    plain = _OTHER.sub("-", _BRACES.sub("", wanted)).strip("-") or "unnamed"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}-{number}"
    return name


def variables(address: str) -> tuple[str, ...]:
    """Return the names of the variables in an address, each once."""
    return tuple(dict.fromkeys(_VARIABLE.findall(address[: address.rfind("}") + 1])))


def is_uri(value: Any) -> bool:
    """Tell whether a value is an absolute URI, as AsyncAPI's own schema wants it."""
    return isinstance(value, str) and _URI.fullmatch(value) is not None
