"""The model files of a specification version to a `Model`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from xregit.model.building import attributes, group, linked
from xregit.model.files import SPECVERSION, content
from xregit.model.language import Model
from xregit.model.protocols import places

_INCLUDE, _PROTOCOLS = "$include", "$protocols"


@cache
def builtin(specversion: str = SPECVERSION) -> Model:
    """Return the model that xregit brings for a specification version.

    Raises:
        XregitError: there are no model files for that version.
    """
    groups = dict(_groups(specversion))
    core = core_values(specversion)
    registry = _whole(specversion, "registry.yaml")
    own = attributes(registry["attributes"])
    built = {plural: group(plural, groups[plural], core) for plural in dict.fromkeys((*registry["order"], *groups))}
    return Model(
        specversion=specversion,
        attributes=MappingProxyType({**attributes(core["registry"], core=True), **own}),
        groups=linked(built, core),
        settings=attributes(_whole(specversion, "settings.yaml")["settings"]),
        waivers=attributes(_whole(specversion, "waivers.yaml")["file"]),
    )


@cache
def core_values(specversion: str) -> Mapping[str, Any]:
    """Return the core specification's attributes as the files have them, by the kind of entity."""
    return _whole(specversion, "core.yaml")


@cache
def language_values(specversion: str = SPECVERSION) -> Mapping[str, Any]:
    """Return the description of the model language as the files have it, by what it describes."""
    return _whole(specversion, "language.yaml")


def _groups(specversion: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, values in content(specversion).items():
        if "groups" in values:
            yield from _whole(specversion, path)["groups"].items()


def _whole(specversion: str, path: str) -> Mapping[str, Any]:
    files = content(specversion)
    definition = files["properties.yaml"]["definition"]
    whole: Mapping[str, Any] = _included(files[path], path, files, definition)
    return whole


def _included(value: Any, path: str, files: Mapping[str, Any], definition: Mapping[str, Any]) -> Any:
    """Return the value with what "$include" and "$protocols" stand for, and with property definitions filled in."""
    if isinstance(value, list):
        return [_included(item, path, files, definition) for item in value]
    if not isinstance(value, dict):
        return value
    whole: dict[str, Any] = {}
    for key, item in value.items():
        if key == _INCLUDE:
            for reference in [item] if isinstance(item, str) else item:
                whole |= {**_referenced(reference, path, files, definition), **whole}
        elif key == _PROTOCOLS:
            whole |= _clauses(item, files, definition)
        else:
            whole[key] = _included(item, path, files, definition)
    return {"definition": definition, **whole} if "property" in whole else whole


def _referenced(reference: str, path: str, files: Mapping[str, Any], definition: Mapping[str, Any]) -> Any:
    file, _, pointer = reference.partition("#")
    other = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
    return _included(_pointed(files[other], pointer), other, files, definition)


def _clauses(part: str, files: Mapping[str, Any], definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each protocol adds to the entities that a part of its file is about."""
    found = ((name, path, files[path]["protocols"][name]) for name, path in places(files).items())
    return {
        name: {"siblingattributes": _included(said[part], path, files, definition)}
        for name, path, said in found
        if part in said
    }


def _pointed(value: Any, pointer: str) -> Any:
    for part in pointer.strip("/").split("/"):
        value = value[part]
    return value
