"""Some files of a registry to stand-ins for those without which they can't be read as a registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.layout import REGISTRY_FILE, path_of, spot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from xregit.model.language import Model

_REGISTRY, _GROUP = b"registryid: then\n", b"description: A group.\n"


def stubs(model: Model, paths: Iterable[str], own: Collection[str] = ()) -> dict[str, bytes]:
    """Return stand-ins by path for the registry's file, and for the files of groups that hold the resources of paths.

    Paths are relative to the registry's folder. The groups with the xids ``own`` have none.
    """
    spots = [spot(model, path) for path in paths]
    groups = {f"/{found.group.plural}/{found.gid}" for found in spots if found.group and found.resource}
    return {REGISTRY_FILE: _REGISTRY, **{path_of(model, xid): _GROUP for xid in sorted(groups.difference(own))}}
