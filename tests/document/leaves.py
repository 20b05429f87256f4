"""Every single thing that a document says, in one form whatever the dialect; it knows the dialect tables, no code.

A leaf is a name, the name above it where that tells more than a section does, and a value. The tables of
``document/dialects`` say which names and values became which, what is left out, and which objects are sections.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from xregit.source import yaml_loader

Leaf = tuple[str, str, str]

COLLECTIONS = {"messagegroups": "messages", "endpoints": "messages", "schemagroups": "schemas"}
# What a server makes, what a place already says, and the documents of schemas, which are compared as a whole.
MADE = {"$schema", "specversion", "epoch", "createdat", "modifiedat", "self", "xid", "metaurl", "isdefault", "id"}
MADE |= {f"{singular}id" for singular in ("registry", "messagegroup", "endpoint", "schemagroup", "message", "schema")}
MADE |= {"versionid", "readonly", "defaultversionurl", "defaultversionid", "defaultversionsticky", "ancestor"}
MADE |= {f"{plural}{ending}" for plural in ("versions", "messages") for ending in ("url", "count")}
WHOLE = {"dataschema", "schema", "schemaobject"}
# Objects whose members may stand beside them or elsewhere in the same entity.
SECTIONS = {"attributes", "config", "content", "envelopemetadata", "envelopeoptions", "labels", "meta", "options"}
SECTIONS |= {"metadata", "message", "properties", "protocoloptions"}
# Objects whose one key is the value of a selector; it selects what stands under it.
KEYED = {"format", "content"}


@cache
def table(name: str) -> Any:
    """Return one of the tables."""
    return yaml_loader.parse(files("xregit.document").joinpath("dialects", f"{name}.yaml").read_bytes()).value


@cache
def steps() -> list[Mapping[str, Any]]:
    """Return all steps of all dialects."""
    tables = [table(name)["entities"] for name in ("0.5-wip", "1.0", "strict")]
    return [step for entities in tables for listed in entities.values() for step in listed]


@cache
def names() -> Mapping[str, str]:
    """Return one name for all that some dialect has for the same thing; it stands for each of them."""
    renames = [step for step in steps() if step["do"] in {"rename", "borrow_pointer"}]
    pairs = [pair for step in renames for pair in step["names"].items()]
    # Before 1.0 "format" was an envelope or a protocol, and in a schema it is a format to this day.
    pairs += [(name, "format") for name in ("envelope", "protocol", "dataschemaformat")]
    result: dict[str, str] = {}
    for old, new in pairs:
        one, other = result.get(old, old), result.get(new, new)
        result |= {old: other, new: other} | {name: other for name, same in result.items() if same == one}
    return result


@cache
def spellings() -> Mapping[str, str]:
    """Return the present spelling of each former value, in lower case."""
    result: dict[str, str] = {}
    for step in steps():
        if step["do"] == "modernize_declarations":
            result |= {old.lower(): new.lower() for old, new in step["names"].items()}
            result |= {old.lower(): new.lower() for new, olds in step["values"].items() for old in olds}
    known = yaml_loader.parse(files("xregit.model").joinpath("files", "1.0-rc2", "names.yaml").read_bytes()).value
    for families in known.values():
        for name, said in families.items() if isinstance(families, dict) else ():
            result |= {alias.lower(): name.lower() for alias in (said or {}).get("aliases", ())}
            result |= {old.lower(): new.lower() for old, new in (said or {}).get("renamed", {}).items()}
    return result


@cache
def left_out() -> set[tuple[str, str]]:
    """Return the names, or names with values, that a dialect leaves out; an empty value stands for any."""
    drops = [step for step in steps() if step["do"] == "drop"]
    results = {(name, "") for step in drops for name in step.get("names", ())}
    results |= {
        (names().get(name, name), value.lower())
        for step in drops
        for name, values in step.get("values", {}).items()
        for value in values
    }
    # A declaration that says no more than the option's own type becomes the bare value.
    kinds = [kind for step in steps() if step["do"] == "unwrap_values" for kind in step["names"].values()]
    return results | {("type", kind) for kind in kinds}


def entities(document: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give the registry, every group and every resource, each without what is inside it."""
    collections = {_plural(name): value for name, value in document.items() if isinstance(value, dict)}
    yield (), {name: value for name, value in document.items() if _plural(name) not in COLLECTIONS}
    for groups, resources in COLLECTIONS.items():
        for gid, group in collections.get(groups, {}).items():
            inner = {_plural(name): value for name, value in group.items()}
            yield (groups, gid), {name: value for name, value in group.items() if _plural(name) != resources}
            for rid, resource in (inner.get(resources) or {}).items():
                yield (groups, gid, resources, rid), resource


def lost(before: Any, after: Any) -> dict[tuple[str, ...], list[Leaf]]:
    """Return what the entities of a document say that the same entities of another one don't."""
    there = {xid: set(leaves(entity)) for xid, entity in entities(after)}
    missing = {xid: set(leaves(entity)) - there.get(xid, set()) for xid, entity in entities(before)}
    gone = {xid: [leaf for leaf in found if not _is_left_out(leaf)] for xid, found in missing.items()}
    return {xid: found for xid, found in gone.items() if found}


def leaves(value: Any, above: str = "", name: str = "") -> Iterator[Leaf]:
    """Give the leaves of a value that stands under a name."""
    if name in WHOLE:
        yield above, "document", _whole(value)
    elif isinstance(value, dict):
        yield from _members(value, above, name)
    elif isinstance(value, list):
        for item in value:
            yield from _item(item, above, name)
    elif value is not None:
        yield above, name, _text(value)


def _members(value: Mapping[str, Any], above: str, name: str) -> Iterator[Leaf]:
    below = above if name in SECTIONS or name == "" else name
    versions = value.get("versions") or {"": {}}
    for key, inner in value.items():
        if all(key in version for version in versions.values()):
            continue  # what stands beside the versions counts for those that don't say otherwise
        lower = key.lower() if key.lower() in names() or key.lower() in WHOLE else key
        if lower in MADE:
            continue
        if name in KEYED and isinstance(inner, dict):
            yield above, names()["format"], _text(key)
            yield from leaves(inner, above)
        elif lower == "value" and not isinstance(inner, dict):
            yield from leaves(inner, above, name)
        elif lower == "versions":
            for version in inner.values():
                yield from leaves(version)
        elif lower in WHOLE or (lower in KEYED and isinstance(inner, dict)):
            yield from leaves(inner, below, lower)
        else:
            yield from leaves(inner, below, names().get(lower, lower))


def _item(item: Any, above: str, name: str) -> Iterator[Leaf]:
    """Give the leaves of a list's item; an entry counts under its name, an address alone as an object with it."""
    if isinstance(item, dict) and isinstance(item.get("name"), str):
        yield from leaves({key: value for key, value in item.items() if key != "name"}, name, item["name"])
    elif isinstance(item, str) and name == "endpoints":
        yield from leaves({"uri": item}, above, name)
    else:
        yield from leaves(item, above, name)


def _plural(name: str) -> str:
    former: Mapping[str, list[str]] = table("0.5-wip")["collections"]
    return next((new for new, olds in former.items() if name.lower() in (new, *olds)), name)


def _whole(value: Any) -> str:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return str(value)
    return json.dumps(value, sort_keys=True)


def _text(value: Any) -> str:
    text = str(value).lower()
    if text.removeprefix("#").startswith("/"):
        parts = [_plural(part) for part in text.removeprefix("#").split("/")]
        return "/".join(parts).replace("~1", "/").replace("~0", "~")
    family, slash, version = text.partition("/")
    # A protocol is known by its family where any version means the same.
    if family in {"kafka", "http", "nats"}:
        return family
    if text in spellings() or not slash or "/" in spellings().get(family, ""):
        return spellings().get(text, text)
    return f"{spellings().get(family, family)}/{spellings().get(version, version)}"


def _is_left_out(leaf: Leaf) -> bool:
    _, name, text = leaf
    return bool({(name, ""), (name, text)} & left_out())
