"""Content models of XML Schema as regular expressions over the names of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.payloads.compatibility.regular_models import EMPTY, NOTHING, Model, either, repeat, sequence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Wildcard:
    """A wildcard for elements, as a predicate of their names; those that allow the same are equal."""

    def __init__(self, component: Any) -> None:
        """Take a wildcard of the library."""
        self.component = component
        declared = frozenset(component.maps.elements) if component.process_contents == "strict" else frozenset()
        siblings = id(component) if any(name.startswith("##") for name in component.not_qname) else 0
        names = (frozenset(item) for item in (component.namespace, component.not_namespace, component.not_qname))
        self.key = (*names, component.target_namespace, component.process_contents, declared, siblings)

    def __eq__(self, other: object) -> bool:
        """Return whether another wildcard allows the same names."""
        return isinstance(other, Wildcard) and self.key == other.key

    def __hash__(self) -> int:
        """Return the hash of what is allowed."""
        return hash(self.key)

    def __call__(self, name: str) -> bool:
        """Return whether an element of the name may stand there."""
        return wildcard_matches(self.component, name, self.component.maps.elements)


def content_model(type_: Any) -> Model:
    """Return the model of a complex type's children."""
    model = _particle_model(type_.content)
    opened = open_content(type_)
    if opened is None:
        return model
    others: Model = ("rep", ("leaf", frozenset(), Wildcard(opened.any_element)), 0, None)
    return sequence(model, others) if opened.mode == "suffix" else ("all", frozenset(enumerate((model, others))))


def open_content(type_: Any) -> Any:
    """Return what else may stand in a type of version 1.1, or None."""
    opened = getattr(type_, "open_content", None)
    return None if opened is None or opened.mode == "none" else opened


def _particle_model(particle: Any) -> Model:
    """Return the model of a particle of the library: a group, an element or a wildcard."""
    if hasattr(particle, "model"):
        inner = _group(particle.model, [_particle_model(item) for item in particle])
    elif particle.name is None:
        inner = ("leaf", frozenset(), Wildcard(particle))
    else:
        inner = ("leaf", frozenset(item.name for item in substitutes(particle)), None)
    return repeat(inner, particle.min_occurs, particle.max_occurs)


def substitutes(element: Any) -> Iterator[Any]:
    """Yield the declarations that may stand in an element's place: its own, and those of its group."""
    if not element.abstract:
        yield element
    blocked = f"{element.block} {getattr(element.type, 'block', '')}".split()
    if "substitution" in element.block:
        return
    for item in element.iter_substitutes():
        if not item.abstract and not any(item.type.is_derived(element.type, name) for name in blocked):
            yield item


def wildcard_matches(wildcard: Any, name: str, declared: Mapping[str, Any]) -> bool:
    """Return whether a wildcard allows a name: a strict one only those that are ``declared`` at the top of a schema."""
    if wildcard.process_contents == "strict" and name not in declared:
        return False
    if "##definedSibling" in wildcard.not_qname and any(
        item.name is not None and item.is_matching(name) for item in wildcard.parent.iter_elements()
    ):
        return False
    return bool(wildcard.is_matching(name))


def _group(kind: str, parts: list[Model]) -> Model:
    if kind == "choice":
        return either(parts) if parts else NOTHING
    if kind == "all":
        return ("all", frozenset(enumerate(parts))) if parts else EMPTY
    model = EMPTY
    for part in reversed(parts):
        model = sequence(part, model)
    return model
