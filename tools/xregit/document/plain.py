"""Steps to the plain forms of the published models, which can say less of a property than the specifications do.

As in `naming`, each returns the object as it becomes, the same one where nothing changes. What a plain form has no
place for, such as the description of a bare value, is left out; a note says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xregit.document.changes import Here
    from xregit.document.tables import Step

_INTEGER = re.compile(r"-?[0-9]{1,18}")


def bare_values(target: Any, step: Step, here: Here) -> Any:
    """Put a declaration's value in its place, whatever else it says; one without a value is left out.

    ``names`` has the type of each: the text of a number or boolean becomes what it says.
    """
    result = target
    for name, kind in step.names.items():
        written = target.get(name) if isinstance(target, dict) else None
        value = _typed(written.get("value") if isinstance(written, dict) else written, kind)
        if value is written:
            continue
        here.note(name, f'of "{name}", only the value is kept')
        kept = {} if value is None else {name: value}
        result = {key: kept.get(key, item) for key, item in result.items() if key != name or kept}
    return result


def texts(target: Any, step: Step, here: Here) -> Any:
    """Write numbers and booleans as their text."""
    found = [name for name in step.names if isinstance(target, dict) and isinstance(target.get(name), int | float)]
    for name in found:
        here.note(name, f'"{name}" is written as text')
    return {**target, **{name: _text(target[name]) for name in found}} if found else target


def servers(target: Any, step: Step, here: Here) -> Any:
    """Gather the addresses of a list, ``scheme://host:port``, in one item for each scheme.

    ``names`` has the attribute of an address and that of the list that it goes to, then ``scheme`` and its attribute.
    Items that say more than an address stay apart.
    """
    if not isinstance(target, list):
        return target
    ((address, gathered), (_, scheme)) = step.names.items()
    result: list[Any] = []
    for number, item in enumerate(target):
        written = item.get(address) if isinstance(item, dict) else None
        if not isinstance(written, str):
            result.append(item)
            continue
        here.note(number, f'the "{address}" is written among "{gathered}"')
        before, _, host = written.rpartition("://")
        rest = {name: value for name, value in item.items() if name != address}
        said = {scheme: before, **rest} if before else rest
        same = next((other for other in result if _without(other, gathered) == said), None)
        if same is None:
            result.append({gathered: [host], **said})
        else:
            same[gathered] = [*same[gathered], host]
    return result


def _without(item: Any, name: str) -> Any:
    """Return an item that was gathered, without its list; nothing for any other."""
    if not isinstance(item, dict) or name not in item:
        return None
    return {key: value for key, value in item.items() if key != name}


def _typed(value: Any, kind: str) -> Any:
    if kind == "integer" and isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    return {"true": True, "false": False}.get(value, value) if kind == "boolean" and isinstance(value, str) else value


def _text(value: float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
