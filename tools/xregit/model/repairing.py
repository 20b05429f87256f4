"""A text that is nearly a URI template, an xid or a time to the one that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from xregit.model.datatypes import PROPERTY_TYPES
from xregit.model.faults import guess

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_EXPRESSION = re.compile(r"\{([+#./?&;]?)([^{}]*)\}")
# RFC 6570, 3.2: what stands before the first value of an expression, and between two.
_BEFORE = {"#": "#", ".": ".", "/": "/", "?": "?", "&": "&", ";": ";"}
_BETWEEN = {".": ".", "/": "/", "?": "&", "&": "&", ";": ";"}
_NAMED = frozenset("?&;")
# Days as people write them; which of two numbers is the month can't be told of all of them.
_DAYS = (
    r"(?P<year>[0-9]{4})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})",
    r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})",
    r"(?P<day>[0-9]{1,2})[-/.] ?(?P<month>[0-9]{1,2})[-/.] ?(?P<year>[0-9]{4})",
    r"(?P<month>[0-9]{1,2})[-/](?P<day>[0-9]{1,2})[-/](?P<year>[0-9]{4})",
)
_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:\.[0-9]+)?))?"
_ZONE = r" ?(?P<zone>[Zz]|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?"
_TIMES = tuple(re.compile(rf"{day}(?:[Tt, ] ?{_CLOCK}{_ZONE})?") for day in _DAYS)
_RELATIVE = re.compile(r"^(?:\.{1,2}/)+")


def template(text: str) -> str:
    """Return the text with each placeholder as ``{name}``, none with an operator; empty where that is no template."""
    repaired = _EXPRESSION.sub(_written_out, text.replace("{{", "{").replace("}}", "}"))
    return repaired if PROPERTY_TYPES["uritemplate"].test(repaired) else ""


def _written_out(expression: re.Match[str]) -> str:
    operator, inner = expression.groups()
    names = [re.sub(r"[^A-Za-z0-9_]+", "_", name.partition(":")[0].strip(" *")) for name in inner.split(",")]
    values = [f"{name}={{{name}}}" if operator in _NAMED else f"{{{name}}}" for name in names]
    return _BEFORE.get(operator, "") + _BETWEEN.get(operator, ",").join(values)


def time(text: str, fits: Callable[[str], bool]) -> str:
    """Return the day or time that a text means, if it can mean but one; a time without a zone is in UTC."""
    read = (match.groupdict() for match in (form.fullmatch(text.strip()) for form in _TIMES) if match)
    found = {form for parts in read for form in (_day(parts), f"{_day(parts)}T{_clock(parts)}") if fits(form)}
    return found.pop() if len(found) == 1 else ""


def _day(parts: Mapping[str, str]) -> str:
    return f"{parts['year']}-{parts['month']:0>2}-{parts['day']:0>2}"


def _clock(parts: Mapping[str, str | None]) -> str:
    zone = re.sub(r"([0-9]{2}):?([0-9]{2})", r"\1:\2", parts["zone"] or "Z")
    offset = zone if ":" in zone else "Z"
    return f"{parts['hour'] or 0:0>2}:{parts['minute'] or 0:0>2}:{parts['second'] or '00'}{offset}"


def xid(text: str, targets: Iterable[str], fits: Callable[[str], bool]) -> str:
    """Return the xid that a text means which lacks a slash, misspells a type, or is the path of a file; or nothing."""
    path = _path(text)
    around = "/".join(path.split("/")[:2])
    plain = (path, text.rstrip("/").removeprefix("#/"), around, path.partition("/")[2])
    completed = (f"{target.strip('/')}/{path}" for target in targets)
    inside = (f"{_types(target)[0]}/{path}" for target in targets)  # the path of a file from that of another one
    tried = (*plain, *completed, *inside, *(form for target in targets for form in _respelled(path, target)))
    return next((f"/{form}" for form in tried if fits(f"/{form}")), "")


def xid_around(text: str, targets: Iterable[str], fits: Callable[[str], bool]) -> str:
    """Return the xid, with ``<id>`` for its group, that the id of a resource alone means; or nothing."""
    for group, *inside in map(_types, targets):
        for resource in inside:
            name = _path(text).removeprefix(f"{resource}/")
            if "/" not in name and fits(f"/{group}/g/{resource}/{name}"):
                return f"/{group}/<id>/{resource}/{name}"
    return ""


def _path(text: str) -> str:
    return re.sub(r"\.ya?ml$", "", _RELATIVE.sub("", text.removeprefix("#"))).strip("/")


def _types(target: str) -> list[str]:
    """Return the types in a target such as ``/messagegroups/messages``."""
    return target.removesuffix("[/versions]").strip("/").split("/")


def _respelled(path: str, target: str) -> Iterator[str]:
    """Give the path with the types of a target, such as ``/messagegroups/messages``, where it nearly has them."""
    types, parts = _types(target), path.split("/")
    if len(parts) == 2 * len(types) and all(map(_is_nearly, parts[::2], types)):
        yield "/".join(part for pair in zip(types, parts[1::2], strict=True) for part in pair)


def _is_nearly(name: str, known: str) -> bool:
    return bool(guess(name, (known,)))
