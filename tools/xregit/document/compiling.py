"""A registry to one xRegistry document in the document view (core specification, "Doc Flag").

Everything that is inside the document is addressed by a pointer into it; resources carry no attributes of their
default version; aliases carry nothing but where they lead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.catalog.registry import expect_registry
from xregit.collecting import uncollected
from xregit.document.identifying import Identifying, pointer
from xregit.document.models import modelsource
from xregit.document.stating import Stating
from xregit.document.tables import plain, profiles
from xregit.document.tables import profile as profile_of
from xregit.errors import XregitError
from xregit.model.files import SPECVERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Group, Resource
    from xregit.catalog.registry import Registry

DEFAULT_PROFILE = SPECVERSION
VIEWS = ("document", "short")


def compile_document(
    registry: Registry, *, profile: str = DEFAULT_PROFILE, view: str = "document", resolved: bool = False
) -> dict[str, Any]:
    """Return a registry as one document, of the types of JSON and in the order in which it is written.

    ``profile`` names the release whose names and forms it has, ``1.0-rc2`` or ``1.0-rc4``; the one that the registry
    asks for is ``registry.settings.profile``. ``view`` is ``document`` (core/spec.md, "Doc Flag"), or ``short`` for the
    authoring form that code generators read; ``resolved`` merges base messages in (message/spec.md, "basemessage").
    Problems of the registry stop nothing: `check` reports them.

    Raises:
        XregitError: there is no such profile or view, or what is given is no registry.
    """
    expect_registry(registry)
    refuse_unknown(profile, view)
    written = profile_of(profile)
    with uncollected():
        if view == "short":
            from xregit.document.short import short_document  # few ask for it

            return short_document(Stating(registry, plain(written), resolved=resolved))
        return document_view(Stating(registry, written, resolved=resolved))


def refuse_unknown(profile: str, view: str = "document") -> None:
    """Stop where there is no such profile or view.

    Raises:
        XregitError: so it is.
    """
    for given, known, what in ((profile, profiles(), "profile"), (view, VIEWS, "view")):
        if given not in known:
            message = f'there is no {what} "{given}"; known: {", ".join(known)}'
            raise XregitError(message)


def document_view(stating: Stating) -> dict[str, Any]:
    """Return the whole registry in the document view."""
    registry = stating.registry
    entities = Identifying(stating, pointer)
    document = entities.registry()
    document["capabilities"] = stating.profile.capabilities
    document["modelsource"] = modelsource(registry.model, stating.profile)
    for plural in registry.model.groups:
        groups = registry.groups.get(plural, {})
        _collection(entities, document, plural, {gid: _group(entities, group) for gid, group in groups.items()})
    return document


def _group(entities: Identifying, group: Group) -> dict[str, Any]:
    result = entities.group(group)
    for plural in group.type.resources:
        resources = group.collections.get(plural, {})
        members = {rid: _resource(entities, resource) for rid, resource in resources.items()}
        _collection(entities, result, plural, members)
    return result


def _resource(entities: Identifying, resource: Resource) -> dict[str, Any]:
    result = entities.resource(resource)
    result["metaurl"] = f"{result['self']}/meta"
    if resource.xref:
        result["meta"] = entities.alias(resource)
        return result
    result["meta"] = entities.meta(resource)
    _collection(entities, result, "versions", dict(entities.versions(resource)))
    return result


def _collection(entities: Identifying, owner: dict[str, Any], plural: str, members: Mapping[str, Any]) -> None:
    if entities.stating.profile.collectionurls:
        owner[f"{plural}url"] = f"{owner['self'].removesuffix('/')}/{plural}"
    owner[f"{plural}count"] = len(members)
    owner[plural] = members
