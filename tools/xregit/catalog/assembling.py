"""Drafts to groups and resources: ids agree with paths, inline resources join those with files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.catalog.drafts import Draft, GroupDraft
from xregit.catalog.entities import Group, Place, Resource
from xregit.catalog.resources import normal_form, resource_from
from xregit.model import normalise
from xregit.source.plain import without_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.drafts import Drafts


def groups_of(drafts: Drafts) -> dict[str, dict[str, Group]]:
    """Return all groups by plural name and id, ids in order; what is wrong is added to the drafts' problems."""
    for groups in drafts.groups.values():
        for draft in groups.values():
            _spread_inline(drafts, draft)
    return {
        plural: {gid: _group(drafts, gid, groups[gid]) for gid in _ids(drafts, groups)}
        for plural, groups in drafts.groups.items()
    }


def _group(drafts: Drafts, gid: str, draft: GroupDraft) -> Group:
    model = draft.type
    xid = f"/{model.plural}/{gid}"
    if not draft.place.path:
        draft.place = drafts.place(f"{model.plural}/{gid}/{model.singular}.yaml")
        message = f'The {model.singular} "{gid}" has a folder but no {model.singular}.yaml.'
        drafts.report(draft.place, "missing-file", message, "Create the file; a description is enough.")
        drafts.broken.add(draft.place.path)
    attributes = draft.attributes or {}
    _take_id(drafts, attributes, f"{model.singular}id", gid, draft.place)
    collections = {plural: _resources(drafts, xid, draft.drafts.get(plural, {})) for plural in model.resources}
    attributes = ordinary(drafts, normalise(model.attributes, attributes), draft.place)
    return Group(xid, gid, model, attributes, collections, draft.place)


def ordinary(drafts: Drafts, value: dict[str, Any], place: Place) -> dict[str, Any]:
    """Leave numbers as numbers, now that those which were meant as text are text."""
    return without_text(value) if place.path in drafts.numbered else value


def _spread_inline(drafts: Drafts, group: GroupDraft) -> None:
    attributes = group.attributes or {}
    for plural, resource in group.type.resources.items():
        if not isinstance(attributes.get(plural), dict):
            continue
        known = group.drafts.setdefault(plural, {})
        for rid, value in attributes.pop(plural).items():
            place = Place(group.place.path, (plural, rid))
            if rid in known:
                message = f'"{rid}" is defined twice: here and in "{known[rid].place.path}".'
                drafts.report_key(place, "duplicate-id", message, "Keep one of the two definitions.")
            elif isinstance(value, dict):
                known[rid] = Draft(resource, value, place)
            else:
                message = f'"{rid}" holds no attributes.'
                drafts.report_key(place, "not-a-mapping", message, 'Write "name: value" lines under it.')


def _take_id(drafts: Drafts, attributes: dict[str, Any], name: str, due: str, place: Place) -> None:
    stated = attributes.pop(name, due)
    if stated != due:
        message = f'The {name} is "{stated}", but the path says "{due}".'
        span = drafts.origin.span(place, (name,))
        drafts.report(place, "mismatched-id", message, f"Leave {name} out, or rename the file.", span)


def _resources(drafts: Drafts, group: str, collection: Mapping[str, Draft]) -> dict[str, Resource]:
    return {rid: _resource(drafts, group, rid, collection[rid]) for rid in _ids(drafts, collection)}


def _ids(drafts: Drafts, collection: Mapping[str, Draft] | Mapping[str, GroupDraft]) -> list[str]:
    """Return the ids in order, and report those that no xid could hold."""
    for name, draft in collection.items():
        if "/" in name:
            message = f'"{name}" can\'t be an id, because of the "/".'
            drafts.report_key(draft.place, "malformed-id", message, "Rename it.")
    return sorted(name for name in collection if "/" not in name)


def _resource(drafts: Drafts, group: str, rid: str, draft: Draft) -> Resource:
    model = draft.type
    xid = f"{group}/{model.plural}/{rid}"
    if not draft.place.path:
        draft.place = drafts.place(f"{xid[1:]}/{model.singular}.yaml")
        message = f'The {model.singular} "{rid}" has documents but no {model.singular}.yaml.'
        drafts.report(draft.place, "missing-file", message, "Create the file; the schema's format is enough.")
        drafts.broken.add(draft.place.path)
    value = draft.value or {}
    _take_id(drafts, value, f"{model.singular}id", rid, draft.place)
    normal = ordinary(drafts, normal_form(model, value, drafts.selectors(xid, value)), draft.place)
    return resource_from(xid, model, normal, draft.place, draft.documents)
