"""What a draft's own schema refuses in a schema document: the place, and what may stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema_rs import ValidationErrorKind as Kind

from xregit.model.quoting import either, quote, to_json
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jsonschema_rs import ValidationError

    from xregit.keypaths import KeyPath


@record
class Refusal:
    """A place in a schema document, what is wrong there, and what may stand there, if that can be listed."""

    path: KeyPath
    message: str
    allowed: str = ""


def refusal(error: ValidationError) -> Refusal:
    """Return an error of the library as a refusal; its own text gives alternatives by number and leaves out most."""
    causes = _causes(error)
    told = next((cause for cause in causes if not isinstance(cause.kind, Kind.Enum | Kind.Type)), None)
    if told is not None:
        return Refusal(tuple(told.instance_path), told.message)
    allowed = [name for cause in causes for name in _allowed(cause)]
    return not_allowed(tuple(causes[0].instance_path), causes[0].instance, allowed)


def not_allowed(path: KeyPath, value: Any, allowed: Iterable[str]) -> Refusal:
    """Return that none of what may stand at a place is the value there."""
    return Refusal(path, f"{quote(value)} is not allowed", either(dict.fromkeys(allowed)))


def of_type(name: str) -> str:
    """Return what to call a value of a type."""
    return name if name == "null" else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _causes(error: ValidationError) -> list[ValidationError]:
    """Return why each alternative refuses the value, as far inside as one of them looks; without any, the error."""
    if not isinstance(error.kind, Kind.AnyOf | Kind.OneOfNotValid):
        return [error]
    causes = [cause for one in error.kind.context for inner in one for cause in _causes(inner)]
    first = max(causes, key=lambda cause: len(cause.instance_path), default=error)
    return [cause for cause in causes if cause.instance_path == first.instance_path] or [error]


def _allowed(error: ValidationError) -> list[str]:
    match error.kind:
        case Kind.Enum(options):
            return [to_json(option) for option in options]
        case Kind.Type(types):
            return [of_type(name) for name in types]
    return []
