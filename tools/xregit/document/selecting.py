"""Steps that decide by a value what an attribute of another dialect means: a selector, an option, a schema.

As in `naming`, each returns the object as it becomes, the same one where nothing changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.document.changes import Here, hoisted, join
from xregit.document.naming import renamed_to
from xregit.model import canonical, find_name

if TYPE_CHECKING:
    from xregit.document.tables import Step

FORMAT = "format"


def selected(target: Any, step: Step, here: Here) -> Any:
    """Read a selector under the name that its value tells: ``format`` was an envelope, a protocol or a format."""
    result = target
    for name, usual in step.names.items():
        written = target.get(name)
        if not isinstance(written, str) or find_name(FORMAT, written) is not None:
            continue
        others = step.values.get(name, ())
        new = next((other for other in others if find_name(other, written) is not None), usual)
        result = _named(result, name, new, here)
    return result


def _named(target: dict[str, Any], old: str, new: str, here: Here) -> dict[str, Any]:
    if new not in target:
        here.note(old, f'"{old}" is read as "{new}"', ((new,), (old,)))
        return renamed_to(target, old, new)
    stated = target[new]
    same = isinstance(stated, str) and canonical(new, stated) == canonical(new, target[old])
    join(here, old, new, same=same)
    return {key: value for key, value in target.items() if key != old}


def unkeyed(target: Any, step: Step, here: Here) -> Any:
    """Take the one key of an object as a selector's value, and what stands under it as what it selects."""
    result = target
    for name, selector in step.names.items():
        inner = result.get(name)
        if not isinstance(inner, dict) or len(inner) != 1 or selector in result:
            continue
        ((key, members),) = inner.items()
        into = next(iter(step.values.get(name, ())), "")
        if not isinstance(members, dict) or into in result:
            continue
        here.note(name, f'"{key}" in "{name}" is read as the {selector}', ((into or name,), (name, key)))
        rest = {other: value for other, value in result.items() if other != name}
        result = {**rest, selector: key, **({into: members} if into else {})}
        if not into:
            result = hoisted({**result, name: members}, name, members, here)
    return result


def lifted(target: Any, step: Step, here: Here) -> Any:
    """Take an attribute out of the object in which it stands."""
    result = target
    for name, holder in step.names.items():
        inner = result.get(holder)
        if not isinstance(inner, dict) or name not in inner:
            continue
        left = {key: value for key, value in inner.items() if key != name}
        if name in result:
            stated = canonical(name, str(result[name])) == canonical(name, str(inner[name]))
            join(here, f"{holder}.{name}", name, same=stated)
        else:
            here.note(holder, f'"{name}" is moved out of "{holder}"', ((name,), (holder, name)))
        result = {name: inner[name], **result, holder: left}
    return result


def left_out_beside(target: Any, step: Step, here: Here) -> Any:
    """Leave out an attribute where another one beside it has a value that it doesn't fit to."""
    result = target
    for name, other in step.names.items():
        if isinstance(result, dict) and name in result and result.get(other) in step.values.get(other, ()):
            here.note(name, f'"{name}" is left out, since "{other}" is {result[other]}')
            result = {key: value for key, value in result.items() if key != name}
    return result


def assumed(target: Any, step: Step, here: Here) -> Any:
    """State an option that is left out, as the release means it: one where ``names`` is a text, another for a list."""
    result = target
    for name, holder in step.names.items():
        options = result.get(holder)
        if not isinstance(target.get(name), str | list) or not isinstance(options, dict):
            continue
        listed = isinstance(target[name], list)
        missing = {key: values[listed] for key, values in step.values.items() if key not in options}
        if missing:
            here.note(holder, f'what is not said in "{holder}" is read as {_said(missing)}')
            result = {**result, holder: {**options, **missing}}
    return result


def _said(members: dict[str, Any]) -> str:
    return ", ".join(f'"{name}": {str(value).lower()}' for name, value in members.items())
