"""The protocols' files to what each of their users needs: one part of them, by the protocols' names."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.model.files import SPECVERSION, content

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDER = "protocols/"


def protocol_files(files: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the path of the file that has each protocol, in the order in which protocols are listed."""
    found = {name: path for path in files if path.startswith(_FOLDER) for name in files[path]["protocols"]}
    return {name: found[name] for name in (*files["protocols.yaml"]["order"], *found)}


@cache
def protocols() -> Mapping[str, Mapping[str, Any]]:
    """Return all that is said of each protocol, part by part."""
    files = content(SPECVERSION)
    return {name: files[path]["protocols"][name] for name, path in protocol_files(files).items()}


@cache
def facts(part: str) -> Mapping[str, Any]:
    """Return one part of what is said, such as ``wire``, of each protocol that has it."""
    return {name: said[part] for name, said in protocols().items() if part in said}


@cache
def syntaxes() -> Mapping[str, Mapping[str, Any]]:
    """Return the narrower forms of values that the files bring, by their names."""
    files = content(SPECVERSION)
    brought = (files[path].get("syntaxes", {}) for path in files if path.startswith(_FOLDER))
    return {name: said for found in brought for name, said in found.items()}


@cache
def matching_fact(fact: str) -> Mapping[str, tuple[str, ...]]:
    """Return one fact about matching, such as ``fresh``, of each protocol that has it, and of CloudEvents as ""."""
    said = {"": content(SPECVERSION)["cloudevents.yaml"]["matching"], **facts("matching")}
    return {name: tuple(parts[fact]) for name, parts in said.items() if fact in parts}
