"""A message in full to the properties it declares, one by one, with the types that the model gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.model import siblings
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.model.language import AttributeModel, ResourceModel

SECTIONS = ("envelopemetadata", "protocoloptions")
# message/spec.md, "Property definitions"
DEFINITION = frozenset({"name", "description", "required", "specurl", "type", "value"})
DEFINING = frozenset({"required", "type", "value"})
# RFC 6570, level 1
_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_.%]+)\}")

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Property:
    """One declared property: where it stands in the message, and what it must be."""

    path: Path
    name: str
    type: str
    required: bool
    value: Any
    description: str

    @property
    def section(self) -> str:
        """The path of what it stands in, such as ``protocoloptions/headers``."""
        return "/".join(self.path[:-1])

    @property
    def pointer(self) -> str:
        """The JSON Pointer from the message to the property."""
        return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in self.path)

    @property
    def placeholders(self) -> list[str]:
        """The names of the placeholders in its value, each once, in their order."""
        return list(dict.fromkeys(_PLACEHOLDER.findall(self.value))) if isinstance(self.value, str) else []


def properties(model: ResourceModel, attributes: Mapping[str, Any]) -> Iterator[Property]:
    """Give the properties that a resolved message declares, those of the envelope first."""
    known = siblings(model.attributes, attributes)
    for section in SECTIONS:
        if isinstance(attributes.get(section), Mapping):
            yield from _walk(known.get(section), attributes[section], (section,))


def _walk(model: AttributeModel | None, value: Any, path: Path) -> Iterator[Property]:
    if _is_property(model, value):
        yield _property(model, value, path)
    elif isinstance(value, Mapping):
        inner = siblings(model.attributes, value) if model else NOTHING
        for name, part in value.items():
            following = inner.get(name) or inner.get("*") or (model.item if model else None)
            yield from _walk(following, part, (*path, name))
    else:
        for number, part in enumerate(value):
            yield from _walk(model.item if model else None, part, (*path, str(number)))


def _is_property(model: AttributeModel | None, value: Any) -> bool:
    if not isinstance(value, Mapping | list | tuple) or (model is not None and model.property):
        return True
    return isinstance(value, Mapping) and value.keys() <= DEFINITION and not value.keys().isdisjoint(DEFINING)


def _property(model: AttributeModel | None, value: Any, path: Path) -> Property:
    said = value if isinstance(value, Mapping) else {"value": value}
    native = model.property or model.type if model else ""
    return Property(
        path,
        _text(said.get("name")) or path[-1],
        _text(said.get("type")) or _text(_default(model, "type")) or (native if native != "any" else "") or "string",
        said.get("required", _default(model, "required")) is True,
        said.get("value"),
        _text(said.get("description")),
    )


def _default(model: AttributeModel | None, name: str) -> Any:
    member = model.attributes.get(name) if model else None
    return member.default if member else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
