"""The facts of protocols from their files, part by part, by the protocols' names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from xregit.model.files import SPECVERSION, content

_FOLDER = "protocols/"


def protocol_files(files: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the path of the file that has each protocol, in the order in which protocols are listed."""
    paths = {name: path for path in files if path.startswith(_FOLDER) for name in files[path]["protocols"]}
    return {name: paths[name] for name in (*files["protocols.yaml"]["order"], *paths)}


@cache
def protocols() -> Mapping[str, Mapping[str, Any]]:
    """Return the parts of each protocol's file."""
    files = content(SPECVERSION)
    return {name: files[path]["protocols"][name] for name, path in protocol_files(files).items()}


@cache
def facts(part: str) -> Mapping[str, Any]:
    """Return one part, such as ``wire``, of each protocol that has it."""
    return {name: parts[part] for name, parts in protocols().items() if part in parts}


@cache
def syntaxes() -> Mapping[str, Mapping[str, Any]]:
    """Return the narrower forms of values that the files define, by their names."""
    files = content(SPECVERSION)
    tables = (files[path].get("syntaxes", {}) for path in files if path.startswith(_FOLDER))
    return {name: syntax for table in tables for name, syntax in table.items()}


@cache
def matching_fact(fact: str) -> Mapping[str, tuple[str, ...]]:
    """Return one fact about matching, such as ``fresh``, of each protocol that has it, and of CloudEvents as ""."""
    matching = {"": content(SPECVERSION)["cloudevents.yaml"]["matching"], **facts("matching")}
    return {name: tuple(parts[fact]) for name, parts in matching.items() if fact in parts}
