"""Errors of the library to sentences; where there are alternatives, they name the one that the value nearly fits."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from jsonschema_rs import ValidationErrorKind as Kind

from xregit.model.quoting import cut_middle, to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jsonschema_rs

    Errors = Sequence[jsonschema_rs.ValidationError]

MAX_CHARACTERS = 300
MAX_TOLD = 4
# Keywords that tell kinds of values apart: a value that fails here was most likely not meant for this alternative.
_TELLING = (Kind.Constant, Kind.Enum, Kind.FalseSchema)
_NAMED = ("$defs", "definitions")


def sentence(error: jsonschema_rs.ValidationError) -> str:
    """Return what is wrong, with the place in the value where it is."""
    kind = error.kind
    if isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid) and len(kind.context) == 1:
        return _joined(kind.context[0])
    path = cut_middle("/".join(map(str, error.instance_path)), MAX_CHARACTERS)
    message = cut_middle(_message(error), MAX_CHARACTERS)
    return f"/{path}: {message}" if path else message


def _message(error: jsonschema_rs.ValidationError) -> str:
    kind = error.kind
    if isinstance(kind, Kind.OneOfMultipleValid):
        fitting = [str(number) for number, found in enumerate(kind.context, start=1) if not found]
        return f"{to_json(error.instance)} fits alternatives {' and '.join(fitting)}, but may fit one only"
    if isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid):
        return f"{to_json(error.instance)} fits none of {len(kind.context)} alternatives{_nearest(error, kind.context)}"
    return error.message


def _nearest(error: jsonschema_rs.ValidationError, alternatives: Sequence[Errors]) -> str:
    """Return why the alternative that is nearest does not fit, or why all don't where none is nearer than others."""
    base = len(error.instance_path)
    ranks = [_distance(found, base) for found in alternatives]
    best = min(ranks)
    if best[0] and ranks.count(best) == len(ranks):
        return f": {_joined([found[0] for found in alternatives])}"
    number = ranks.index(best)
    name = _name(error, alternatives[number])
    called = f'number {number + 1} ("{name}")' if name else f"number {number + 1}"
    return f"; {called} is nearest: {_joined(alternatives[number])}"


def _distance(errors: Errors, base: int) -> tuple[int, int, int]:
    """Return how far a value is from an alternative: whether it is of another kind, how near the top, and how often."""
    inner = [_leaf(error) for error in errors]
    others = sum(1 for each in inner if _is_of_another_kind(each, base))
    return others, -min((len(each.instance_path) for each in inner), default=0), len(inner)


def _leaf(error: jsonschema_rs.ValidationError) -> jsonschema_rs.ValidationError:
    """Return the error itself, or of alternatives inside the one that lies deepest."""
    kind = error.kind
    if not isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid):
        return error
    inner = (_leaf(each) for found in kind.context for each in found)
    return max(inner, key=lambda each: len(each.instance_path), default=error)


def _is_of_another_kind(error: jsonschema_rs.ValidationError, base: int) -> bool:
    top = len(error.instance_path) == base
    return isinstance(error.kind, _TELLING) or (top and isinstance(error.kind, Kind.Type))


def _name(error: jsonschema_rs.ValidationError, found: Errors) -> str:
    """Return the name of the definition that an alternative refers to, if it is one."""
    path, around = found[0].schema_path, error.schema_path
    if path[: len(around)] == around or len(path) < len(_NAMED) or path[0] not in _NAMED:
        return ""
    return str(path[1])


def _joined(errors: Errors) -> str:
    told = "; ".join(map(sentence, islice(errors, MAX_TOLD)))
    return f"{told}; …" if len(errors) > MAX_TOLD else told
