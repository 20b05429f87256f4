"""The library's validation errors in words: of payloads, and of schema documents that break their draft."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jsonschema_rs
from jsonschema_rs import ValidationError
from jsonschema_rs import ValidationErrorKind as Kind

from xregit.json_pointer import KeyPath
from xregit.model.excerpts import cut_middle, either, quote, to_json

Errors = Sequence[jsonschema_rs.ValidationError]

MAX_CHARACTERS = 300
MAX_LISTED = 4
# Keywords that tell kinds of values apart: a value that fails here was most likely not meant for this alternative.
_DISCRIMINATING = (Kind.Constant, Kind.Enum, Kind.FalseSchema)
_DEFINITIONS = ("$defs", "definitions")


def error_message(error: jsonschema_rs.ValidationError) -> str:
    """Return what is wrong, with the place in the value where it is."""
    kind = error.kind
    if isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid) and len(kind.context) == 1:
        return _join(kind.context[0])
    path = cut_middle("/".join(map(str, error.instance_path)), MAX_CHARACTERS)
    message = cut_middle(_message(error), MAX_CHARACTERS)
    return f"/{path}: {message}" if path else message


def _message(error: jsonschema_rs.ValidationError) -> str:
    kind = error.kind
    if isinstance(kind, Kind.OneOfMultipleValid):
        fitting = [str(number) for number, errors in enumerate(kind.context, start=1) if not errors]
        return f"{to_json(error.instance)} fits alternatives {' and '.join(fitting)}, but may fit one only"
    if isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid):
        return f"{to_json(error.instance)} fits none of {len(kind.context)} alternatives{_nearest(error, kind.context)}"
    return error.message


def _nearest(error: jsonschema_rs.ValidationError, alternatives: Sequence[Errors]) -> str:
    """Return why the alternative that is nearest does not fit, or why all don't where none is nearer than others."""
    base = len(error.instance_path)
    ranks = [_distance(errors, base) for errors in alternatives]
    best = min(ranks)
    if best[0] and ranks.count(best) == len(ranks):
        return f": {_join([errors[0] for errors in alternatives])}"
    number = ranks.index(best)
    name = _definition_name(error, alternatives[number])
    label = f'number {number + 1} ("{name}")' if name else f"number {number + 1}"
    return f"; {label} is nearest: {_join(alternatives[number])}"


def _distance(errors: Errors, base: int) -> tuple[int, int, int]:
    """Return how far a value is from an alternative: whether it is of another kind, how near the top, and how often."""
    inner = [_leaf(error) for error in errors]
    other_kinds = sum(1 for item in inner if _is_of_another_kind(item, base))
    return other_kinds, -min((len(item.instance_path) for item in inner), default=0), len(inner)


def _leaf(error: jsonschema_rs.ValidationError) -> jsonschema_rs.ValidationError:
    """Return the error itself, or of alternatives inside the one that lies deepest."""
    kind = error.kind
    if not isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid):
        return error
    inner = (_leaf(item) for errors in kind.context for item in errors)
    return max(inner, key=lambda item: len(item.instance_path), default=error)


def _is_of_another_kind(error: jsonschema_rs.ValidationError, base: int) -> bool:
    top = len(error.instance_path) == base
    return isinstance(error.kind, _DISCRIMINATING) or (top and isinstance(error.kind, Kind.Type))


def _definition_name(error: jsonschema_rs.ValidationError, alternative: Errors) -> str:
    """Return the name of the definition that an alternative refers to, if it is one."""
    path, error_path = alternative[0].schema_path, error.schema_path
    if path[: len(error_path)] == error_path or len(path) < len(_DEFINITIONS) or path[0] not in _DEFINITIONS:
        return ""
    return str(path[1])


def _join(errors: Errors) -> str:
    text = "; ".join(map(error_message, islice(errors, MAX_LISTED)))
    return f"{text}; …" if len(errors) > MAX_LISTED else text


@dataclass(frozen=True, slots=True)
class Refusal:
    """A place in a schema document, what is wrong there, and what may stand there, if that can be listed."""

    path: KeyPath
    message: str
    allowed: str = ""


def explain_refusal(error: ValidationError) -> Refusal:
    """Return an error of the library as a refusal; its own text gives alternatives by number and leaves out most."""
    causes = _innermost_causes(error)
    cause = next((cause for cause in causes if not isinstance(cause.kind, Kind.Enum | Kind.Type)), None)
    if cause is not None:
        return Refusal(tuple(cause.instance_path), cause.message)
    allowed = [name for cause in causes for name in _allowed_values(cause)]
    return not_allowed(tuple(causes[0].instance_path), causes[0].instance, allowed)


def not_allowed(path: KeyPath, value: Any, allowed: Iterable[str]) -> Refusal:
    """Return that none of what may stand at a place is the value there."""
    return Refusal(path, f"{quote(value)} is not allowed", either(dict.fromkeys(allowed)))


def type_phrase(name: str) -> str:
    """Return what to call a value of a type."""
    return name if name == "null" else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _innermost_causes(error: ValidationError) -> list[ValidationError]:
    """Return why each alternative refuses the value, as far inside as one of them looks; without any, the error."""
    if not isinstance(error.kind, Kind.AnyOf | Kind.OneOfNotValid):
        return [error]
    causes = [cause for errors in error.kind.context for inner in errors for cause in _innermost_causes(inner)]
    first = max(causes, key=lambda cause: len(cause.instance_path), default=error)
    return [cause for cause in causes if cause.instance_path == first.instance_path] or [error]


def _allowed_values(error: ValidationError) -> list[str]:
    match error.kind:
        case Kind.Enum(options):
            return [to_json(option) for option in options]
        case Kind.Type(types):
            return [type_phrase(name) for name in types]
    return []
