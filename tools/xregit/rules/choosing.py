"""An entity to the rules that may find anything in it, by what it states; remembered, as most state the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group
from xregit.catalog.resources import VERSIONS
from xregit.model import canonical
from xregit.rules.stated import text

if TYPE_CHECKING:
    from xregit.catalog.entities import Resource
    from xregit.catalog.registry import Registry
    from xregit.rules.rule import Rule

MESSAGES = "messages"
MOST_KINDS = 4096

Kind = tuple[tuple[str, ...], str, str, tuple[str, ...]]


class Choosing:
    """Chooses rules for entities; the choice for one is remembered for others that state the same attributes."""

    def __init__(self, rules: Mapping[str, Iterable[Rule]]) -> None:
        """Choose among rules by what they are about."""
        self._rules = rules
        self._known: dict[Kind, tuple[Rule, ...]] = {}

    def of(self, registry: Registry, entity: Group | Resource, about: tuple[str, ...]) -> tuple[Rule, ...]:
        """Return the rules about one of these things that may find anything in an entity, in that order."""
        kind = _kind(registry, entity, about)
        found = self._known.get(kind)
        if found is None:
            if len(self._known) >= MOST_KINDS:
                self._known.clear()
            found = self._known[kind] = tuple(self._chosen(*kind))
        return found

    def _chosen(self, about: tuple[str, ...], envelope: str, protocol: str, stated: tuple[str, ...]) -> Iterator[Rule]:
        selected = {"": "", "envelope": canonical("envelope", envelope), "protocol": canonical("protocol", protocol)}
        for item in (item for each in about for item in self._rules.get(each, ())):
            selector, value = item.selected
            if selected[selector] == value and (not item.stated or not item.stated.isdisjoint(stated)):
                yield item


def _kind(registry: Registry, entity: Group | Resource, about: tuple[str, ...]) -> Kind:
    """Return what decides which rules count for an entity."""
    if isinstance(entity, Group):
        return about, "", "", tuple(entity.attributes)
    if entity.xref:
        return about, "", "", (*entity.meta, *entity.written)
    listed = (VERSIONS,) if VERSIONS in entity.written else ()
    names = (*entity.attributes, *entity.meta, *listed)
    if entity.type.plural != MESSAGES:
        return about, "", "", names
    attributes = registry.resolved(entity.xid).attributes
    return about, text(attributes, "envelope"), text(attributes, "protocol"), names
