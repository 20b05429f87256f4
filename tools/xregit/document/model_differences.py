"""Two models to the paths where names, types or enums differ; and the intended differences to the page on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from xregit.document.profiles import data_file

PAGE = """\
# Our model and the published ones

What a registry serves as `model` agrees with the `model.json` that xRegistry has published for the same version in
names, types and enums, but for what this page lists. *Text* is the specification of message definitions of May 2026
and of endpoints of April 2025; it calls itself 1.0-rc2, as the model published in June 2025 does.

This page is made from `document/differences.yaml`; a test compares the models and fails on anything that isn't listed.

| topic | versions | published | ours | why |
|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference on purpose: the attributes by patterns of their paths, and the versions in which they differ."""

    topic: str
    at: tuple[str, ...]
    versions: tuple[str, ...]
    published: str
    ours: str
    why: str

    def covers(self, path: str, version: str) -> bool:
        """Tell whether it is about an attribute of a version's model."""
        return version in self.versions and any(fnmatchcase(path, f"{_escape_pattern(pattern)}") for pattern in self.at)


def intended_differences() -> tuple[Difference, ...]:
    """Return all differences that are on purpose."""
    return tuple(
        Difference(item["topic"], tuple(item["at"]), tuple(item["in"]), item["published"], item["ours"], item["why"])
        for item in data_file("differences.yaml")
    )


def page() -> str:
    """Return the page that lists them, as Markdown."""
    rows = [
        f"| {item.topic} | {', '.join(item.versions)} | {item.published} | {item.ours} | {item.why} |\n"
        for item in intended_differences()
    ]
    return PAGE + "".join(rows)


def differing_paths(ours: Mapping[str, Any], published: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the paths of all attributes that one model has and the other not, or with another type or enum."""
    left, right = dict(_of_model(ours)), dict(_of_model(published))
    return tuple(sorted(path for path in left.keys() | right.keys() if left.get(path) != right.get(path)))


def _escape_pattern(pattern: str) -> str:
    """Return a pattern in which a question mark stands for itself."""
    return pattern.replace("?", "[?]")


def _of_model(model: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for plural, group in model["groups"].items():
        yield from _of_attributes(group.get("attributes", {}), plural)
        for name, resource in group.get("resources", {}).items():
            yield from _of_attributes(resource.get("attributes", {}), f"{plural}/{name}")
            for part in ("metaattributes", "resourceattributes"):
                yield from _of_attributes(resource.get(part, {}), f"{plural}/{name}.{part}")


def _of_attributes(attributes: Mapping[str, Any], at: str) -> Iterator[tuple[str, Any]]:
    for name, attribute in attributes.items():
        path = f"{at}/{name}"
        yield path, (_type_of(attribute), sorted(map(str, attribute.get("enum", ()))))
        yield from _inner_attributes(attribute, path)
        for value, clause in attribute.get("ifvalues", {}).items():
            yield from _of_attributes(clause.get("siblingattributes", {}), f"{at}?{value}")


def _inner_attributes(attribute: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    yield from _of_attributes(attribute.get("attributes", {}), path)
    if "item" in attribute:
        yield from _inner_attributes(attribute["item"], f"{path}[]")


def _type_of(attribute: Mapping[str, Any]) -> str:
    item = attribute.get("item")
    return f"{attribute['type']} of {_type_of(item)}" if isinstance(item, Mapping) else str(attribute["type"])
