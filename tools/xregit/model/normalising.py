"""Values as people write them to values as the model has them: unquoted text, shorter forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xregit.model.checking import siblings
from xregit.model.datatypes import TEXTS
from xregit.model.language import NOTHING, AttributeModel

_TEXT_PROPERTIES = frozenset({"binary", "duration", "string", "symbol", "timestamp", "uri", "uritemplate", "uuid"})


def normalised(
    attributes: Mapping[str, AttributeModel], value: Mapping[str, Any], inherited: Mapping[str, Any] = NOTHING
) -> dict[str, Any]:
    """Return the value with text where text is due, and with its shorter forms written out.

    A number or boolean becomes the text that was written; what isn't understood stays as it is.
    """
    known = siblings(attributes, value, inherited)
    other = known.get("*")
    return {name: _one(known.get(name, other), member, inherited.get(name)) for name, member in value.items()}


def _one(attribute: AttributeModel | None, value: Any, below: Any) -> Any:
    if attribute is None or value is None:
        return value
    if attribute.property:
        return _property(attribute, value, below)
    if attribute.type in TEXTS:
        return _text(value)
    return _container(attribute, value, below)


def _container(attribute: AttributeModel, value: Any, below: Any) -> Any:
    if attribute.type == "array":
        listed = _folded(value, attribute.fold)
        return [_one(attribute.item, item, None) for item in listed] if isinstance(listed, list) else listed
    if attribute.type == "object" and isinstance(value, (dict, Mapping)):
        members = _unwrapped(value, attribute.unwrap) if attribute.unwrap else value
        return normalised(attribute.attributes, members, below if isinstance(below, (dict, Mapping)) else NOTHING)
    if attribute.type == "map" and isinstance(value, (dict, Mapping)):
        return {name: _one(attribute.item, member, None) for name, member in value.items()}
    return value


def _property(attribute: AttributeModel, value: Any, below: Any) -> Any:
    if not isinstance(value, (dict, Mapping)):
        return _text(value) if attribute.property in _TEXT_PROPERTIES and attribute.type == "any" else value
    whole = normalised(attribute.attributes, value)
    stated = whole.get("type") or (below.get("type") if isinstance(below, (dict, Mapping)) else None)
    if (stated or attribute.property) in _TEXT_PROPERTIES and "value" in whole:
        whole["value"] = _text(whole["value"])
    return whole


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return getattr(value, "text", None) or str(value)
    return value


def _unwrapped(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the members with those under a name the prose puts between moved up, where it is no property itself."""
    inner = value.get(name)
    if not isinstance(inner, Mapping) or not inner:
        return value
    if not all(isinstance(member, Mapping) for member in inner.values()):
        return value
    return {**inner, **{key: member for key, member in value.items() if key != name}}


def _folded(value: Any, fold: str) -> Any:
    if fold == "item" and not isinstance(value, (list, tuple)):
        return [value]
    if fold == "pairs" and isinstance(value, (dict, Mapping)):
        return [
            {"name": name, **member} if isinstance(member, Mapping) else {"name": name, "value": member}
            for name, member in value.items()
        ]
    return list(value) if isinstance(value, tuple) else value
