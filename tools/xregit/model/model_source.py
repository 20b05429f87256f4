"""A `Model` as a ``modelsource``: the model language without core attributes and our own annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.model.language import AttributeModel, GroupModel, Model, ResourceModel

_OTHERWISE = "*"


def export_source(model: Model) -> dict[str, Any]:
    """Return the model as authors of the model language would write it, for servers to take.

    Defaults that a specification only describes are left out, so that a document needn't state them.
    """
    own = _attributes(model.attributes)
    groups = {plural: _group(group) for plural, group in model.groups.items()}
    return {**({"attributes": own} if own else {}), "groups": groups}


def _group(group: GroupModel) -> dict[str, Any]:
    imported = {path.rsplit("/", 1)[1] for path in group.ximportresources}
    resources = {plural: _resource(kind) for plural, kind in group.resources.items() if plural not in imported}
    parts = {
        "description": group.description,
        "attributes": _attributes(group.attributes),
        "ximportresources": list(group.ximportresources),
        "resources": resources,
    }
    return {"singular": group.singular, **{name: part for name, part in parts.items() if part}}


def _resource(kind: ResourceModel) -> dict[str, Any]:
    source: dict[str, Any] = {"singular": kind.singular}
    if kind.description:
        source["description"] = kind.description
    if kind.maxversions:
        source["maxversions"] = kind.maxversions
    if not kind.hasdocument:
        source["hasdocument"] = False
    if not kind.setdefaultversionsticky:
        source["setdefaultversionsticky"] = False
    source.update(kind.flags)
    for name in ("attributes", "resourceattributes", "metaattributes"):
        own = _attributes(getattr(kind, name))
        if own:
            source[name] = own
    return source


def _attributes(attributes: Mapping[str, AttributeModel]) -> dict[str, Any]:
    return {name: _attribute(item) for name, item in attributes.items() if not item.core}


def _attribute(attribute: AttributeModel) -> dict[str, Any]:
    source = _type_and_members(attribute)
    if attribute.description:
        source["description"] = attribute.description
    # In the language an enum stands on single values; the published models put that of items on their array.
    holder = attribute if attribute.enum or attribute.item is None else attribute.item
    if holder.enum and not attribute.property and attribute.type not in {"any", "map"}:
        source["enum"] = list(holder.enum)
        if not holder.strict:
            source["strict"] = False
    for flag in ("readonly", "immutable"):
        if getattr(attribute, flag):
            source[flag] = True
    if attribute.required and not attribute.inheritable:
        source["required"] = True
        if attribute.default is not None:
            source["default"] = attribute.default
    clauses = {key: clause for key, clause in attribute.ifvalues.items() if key != _OTHERWISE}
    if clauses:
        source["ifvalues"] = {key: {"siblingattributes": _attributes(clause)} for key, clause in clauses.items()}
    return source


def _type_and_members(attribute: AttributeModel) -> dict[str, Any]:
    """Return what attributes and items both state: the type and what it consists of."""
    source: dict[str, Any] = {"type": attribute.type}
    if attribute.target:
        source["target"] = attribute.target
    if attribute.namecharset != "strict":
        source["namecharset"] = attribute.namecharset
    if attribute.item is not None:
        source["item"] = _type_and_members(attribute.item)
    if attribute.type == "object" and attribute.attributes:
        source["attributes"] = _members(attribute)
    return source


def _members(attribute: AttributeModel) -> dict[str, Any]:
    members = _attributes(attribute.attributes)
    if attribute.property:
        # The members of a property are the same everywhere: saying each time what they mean only adds weight.
        for member in members.values():
            member.pop("description", None)
    return members
