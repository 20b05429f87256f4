"""What the value of an attribute such as ``protocol`` adds to the attributes beside it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from xregit.model.language import AttributeModel
from xregit.model.names import canonical
from xregit.model.quoting import either
from xregit.records import distinct

Attributes = Mapping[str, AttributeModel]
Values = Mapping[str, Any]


@distinct
class Selector:
    """An attribute whose value adds others: its clauses by their keys in lower case."""

    attribute: AttributeModel
    clauses: Mapping[str, Attributes]


def selectors_of(attributes: Attributes) -> tuple[Selector, ...]:
    """Return the attributes whose values add others."""
    return tuple(
        Selector(item, {key.casefold(): clause for key, clause in item.ifvalues.items()})
        for item in attributes.values()
        if item.ifvalues
    )


def clause_of(selector: Selector, value: Values, inherited: Values) -> str:
    """Return the key of the clause that applies, an empty text if none does."""
    attribute = selector.attribute
    chosen = value.get(attribute.name)
    if chosen is None:
        chosen = inherited.get(attribute.name)
        if chosen is None:
            chosen = attribute.default
    if chosen is None:
        return ""
    if isinstance(chosen, str):
        return _named(selector, chosen)
    if isinstance(chosen, bool):
        chosen = "true" if chosen else "false"
    return _clause(selector, str(chosen) if is_proper(chosen) else "")


@lru_cache(maxsize=1024)
def _named(selector: Selector, chosen: str) -> str:
    names = selector.attribute.names
    return _clause(selector, canonical(names, chosen) if names and chosen else chosen)


def _clause(selector: Selector, text: str) -> str:
    """Return the key of the clause for a text; an empty one selects what other values do, as it is reported anyway."""
    key = text.casefold()
    if text and key in selector.clauses:
        return key
    return "*" if "*" in selector.clauses else ""


def is_proper(value: Any) -> bool:
    """Tell whether a selector's value selects something, however unknown."""
    return value != "" and not isinstance(value, (dict, list, tuple))


def asking(selectors: tuple[Selector, ...], attribute: AttributeModel, value: Values) -> str:
    """Return the selector in the value that makes the attribute necessary, or an empty text."""
    for selector in selectors:
        name = selector.attribute.name
        if value.get(name) is not None and any(attribute in clause.values() for clause in selector.clauses.values()):
            return name
    return ""


def goes_with(selectors: tuple[Selector, ...], name: str) -> str:
    """Return a hint on the selector that an attribute needs, when the model has it elsewhere."""
    for selector in selectors:
        keys = [key for key, clause in selector.attribute.ifvalues.items() if name in clause and key != "*"]
        if keys:
            return f'It goes with "{selector.attribute.name}", which may be {either(keys)}.'
    return ""
