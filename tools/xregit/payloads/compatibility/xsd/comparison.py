"""XML Schema: why a document that one schema describes may not be valid by another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import xmlschema

from xregit.payloads.compatibility.base import ROOT, Answer, Budget, Reason, TooLargeError
from xregit.payloads.compatibility.regular_models import (
    EMPTY,
    NOTHING,
    Model,
    either,
    find_difference,
    is_nullable,
    repeat,
    sequence,
)
from xregit.payloads.compatibility.xsd import simple_types
from xregit.payloads.xsd.codec import Xsd, referenced_names, root_elements
from xregit.payloads.xsd.schema import XSD


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


_ANY = f"{{{XSD}}}anyType"
# Many texts are held against both types.
_STEPS_PER_EXAMPLE = 2_000


def reasons(writer: Xsd, reader: Xsd, budget: Budget) -> Iterator[Reason]:
    """Yield why a document of the first schema may be refused by the second."""
    comparer = _Comparer(budget)
    if writer.component is not None and reader.component is not None:
        yield from comparer.component(writer.component, reader.component)
        return
    reader_elements = {item.name: item for item in reader.schema.elements.values() if not item.abstract}
    for element in (item for item in _top_elements(writer) if not item.abstract):
        if element.name in reader_elements:
            yield from comparer.element(element, reader_elements[element.name], element.local_name)
        else:
            yield Reason("element", element.local_name)


def _top_elements(schema: Xsd) -> list[Any]:
    """Return the elements that stand at the top of documents: those that no other refers to, if there are any."""
    elements, names = root_elements(schema.schema), referenced_names(schema.schema)
    return [item for item in elements if item.name not in names] or elements


@dataclass(slots=True)
class _Comparer:
    """One comparison; types that hold themselves are compared once."""

    budget: Budget
    compared: set[tuple[int, int]] = field(default_factory=set)

    def component(self, writer: Any, reader: Any) -> Iterator[Reason]:
        if isinstance(writer, xmlschema.XsdElement) and isinstance(reader, xmlschema.XsdElement):
            if writer.name != reader.name:
                yield Reason("element", writer.local_name)
            else:
                yield from self.element(writer, reader, writer.local_name)
        else:
            yield from self.type(getattr(writer, "type", writer), getattr(reader, "type", reader), "")

    def element(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        if writer.nillable and not reader.nillable:
            yield Reason("nillable", path)
        yield from _compare_fixed(writer, reader, path)
        yield from _compare_default(writer, reader, path)
        if not _identities(reader) <= _identities(writer) or _alternatives(reader) != _alternatives(writer):
            yield Reason("condition", path)
        if getattr(reader.type, "abstract", False) and not getattr(writer.type, "abstract", False):
            yield Reason("abstract", path)
        yield from self.type(writer.type, reader.type, path)
        yield from self.derived(writer, reader, path)

    def derived(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        """Yield how types differ that a document may name in place of the element's own."""
        pair = id(writer), id(reader)
        if writer.type.name == _ANY or pair in self.compared:
            return
        self.compared.add(pair)
        types = [item for item in writer.maps.types.values() if isinstance(item, xmlschema.validators.XsdComplexType)]
        self.budget.spend(len(types))
        for type_ in types:
            if type_ is writer.type or type_.abstract or not _may_replace(type_, writer):
                continue
            target = reader.maps.types.get(type_.name)
            if target is None or target.abstract or not _may_replace(target, reader):
                yield Reason("derived", path, words={"name": str(type_.local_name)})
            else:
                yield from self.type(type_, target, path)

    def type(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        pair = id(writer), id(reader)
        if pair in self.compared or reader.name == _ANY:
            return
        self.compared.add(pair)
        yield from _compare_attributes(writer, reader, path, self.budget)
        first, second = _text_type(writer), _text_type(reader)
        if first is not None and second is not None:
            yield from _compare_texts(first, second, path, self.budget)
        elif first is not None or second is not None:
            yield from _text_or_elements(writer, reader, path)
        else:
            if writer.mixed and not reader.mixed:
                yield Reason("mixed", path or ROOT)
            yield from self.children(writer, reader, path)
        if not _assertions(reader) <= _assertions(writer):
            yield Reason("condition", path or ROOT)

    def children(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        """Yield how the child elements differ: which may stand there, and in them."""
        first, second = _Children(writer), _Children(reader)
        names = {*first.elements, *second.elements}
        if first.wildcards or second.wildcards:
            names |= {name for name in (*first.top, *second.top) if not name.startswith(f"{{{XSD}}}")}
            names.update(_sample_names(writer, [*first.wildcards, *second.wildcards]))
        try:
            difference = find_difference(content_model(writer), content_model(reader), names, self.budget)
        except TooLargeError:
            yield Reason("large", path or ROOT)
        else:
            if difference is not None:
                yield Reason("children", path or ROOT, words={"children": _list_names(difference)})
        for name in [*first.elements, *sorted(names - first.elements.keys())]:
            self.budget.spend()
            writers, readers = first.declarations(name), second.declarations(name)
            for target in readers:
                here = _join(path, target.local_name)
                for source in writers:
                    yield from self.element(source, target, here)
                if name not in first.elements and first.is_free(name) and target.type.name != _ANY:
                    yield Reason("processed" if name in first.top else "declared", here)


class _Children:
    """What may stand in elements of a type: declared elements by name, with those of their groups, and wildcards."""

    def __init__(self, type_: Any) -> None:
        particles = list(type_.content.iter_elements())
        opened = open_content(type_)
        self.top: Mapping[str, Any] = type_.maps.elements
        self.wildcards = [item for item in particles if item.name is None]
        self.wildcards += [opened.any_element] if opened is not None else []
        named = (inner for item in particles if item.name is not None for inner in substitutes(item))
        self.elements: dict[str, Any] = {item.name: item for item in named}

    def declarations(self, name: str) -> list[Any]:
        """Return the declarations that an element of a name is held against, there or at the top of the schema."""
        declared = [self.elements[name]] if name in self.elements else []
        if name in self.top and name not in self.elements:
            declared += [self.top[name]] * any(
                item.process_contents != "skip" and wildcard_matches(item, name, self.top) for item in self.wildcards
            )
        return declared

    def is_free(self, name: str) -> bool:
        """Return whether an element of a name may hold anything."""
        return any(
            (item.process_contents == "skip" or name not in self.top) and wildcard_matches(item, name, self.top)
            for item in self.wildcards
        )


def _may_replace(type_: Any, element: Any) -> bool:
    """Return whether a document may name a type in place of an element's own."""
    return bool(type_.is_derived(element.type)) and not type_.is_blocked(element)


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _sample_names(type_: Any, wildcards: list[Any]) -> Iterator[str]:
    """Yield names that wildcards tell apart: in no namespace, in the schema's own, in those that wildcards name."""
    namespaces = {text for item in wildcards for text in (*item.namespace, *item.not_namespace)}
    plain = {text for text in namespaces if not text.startswith("##")}
    for namespace in sorted({type_.schema.target_namespace, "", "urn:another", *plain}):
        yield f"{{{namespace}}}any-other" if namespace else "any-other"
    yield from sorted({text for item in wildcards for text in item.not_qname if not text.startswith("##")})


def _list_names(names: tuple[str, ...]) -> str:
    if not names:
        return "no element"
    local = [item.rpartition("}")[2] for item in names]
    return ", ".join(local) if len(local) <= _MAX_SHOWN else f"{', '.join(local[:_MAX_SHOWN])} and so on"


_MAX_SHOWN = 8


def _text_type(type_: Any) -> Any:
    """Return the simple type of what has only text inside, else None."""
    if type_.is_simple():
        return type_
    return type_.content if type_.has_simple_content() else None


def _text_or_elements(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    """Yield what comes of text in place of elements, or the other way."""
    text = _text_type(reader)
    if text is not None:
        fits = not writer.mixed and not list(writer.content.iter_elements()) and simple_types.is_valid(text, "")
    else:
        fits = reader.mixed and is_nullable(content_model(reader))
    if not fits:
        yield Reason("kind", path or ROOT)


def _compare_texts(writer: Any, reader: Any, path: str, budget: Budget) -> Iterator[Reason]:
    if simple_types.is_subtype(writer, reader, budget):
        return
    budget.spend(_STEPS_PER_EXAMPLE)
    example = simple_types.example(writer, reader, budget)
    words = {"proof": f', as "{example}" shows' if example is not None else ""}
    answer = Answer.NO if example is not None else None
    names = simple_types.type_name(writer), simple_types.type_name(reader)
    yield Reason("text", path or ROOT, *names, words, answer)


def _compare_attributes(writer: Any, reader: Any, path: str, budget: Budget) -> Iterator[Reason]:
    first, second = (_attributes_by_name(type_) for type_ in (writer, reader))
    for name, attribute in first.items():
        here = _join(path, f"@{attribute.local_name}")
        target = second.get(name) or _top_attribute(reader, name)
        if target is not None:
            yield from _compare_texts(attribute.type, target.type, here, budget)
            yield from _compare_fixed(attribute, target, here)
        elif not _allows_attribute(reader, name):
            yield Reason("attribute", here)
    for name, attribute in second.items():
        here = _join(path, f"@{attribute.local_name}")
        if name not in first and _allows_attribute(writer, name):
            yield Reason("declared", here)
        if attribute.use == "required" and (name not in first or first[name].use != "required"):
            yield Reason("required", here)
    yield from _compare_attribute_wildcards(writer, reader, path, {*first, *second}, budget)


def _compare_attribute_wildcards(
    writer: Any, reader: Any, path: str, described: set[str], budget: Budget
) -> Iterator[Reason]:
    wildcard, other = _attribute_wildcard(writer), _attribute_wildcard(reader)
    if wildcard is None:
        return
    names = {*_sample_names(wildcard, [item for item in (wildcard, other) if item is not None])}
    names |= {*wildcard.maps.attributes} | ({*other.maps.attributes} if other is not None else set())
    allowed = [name for name in sorted(names - described) if _allows_attribute(writer, name)]
    if not all(_allows_attribute(reader, name) for name in allowed):
        yield Reason("wildcard", path or ROOT)
        return
    for name in allowed:
        source, target = _top_attribute(writer, name), _top_attribute(reader, name)
        if source is not None and target is not None:
            yield from _compare_texts(source.type, target.type, _join(path, f"@{target.local_name}"), budget)
        elif target is not None:
            kind = "processed" if name in wildcard.maps.attributes else "declared"
            yield Reason(kind, _join(path, f"@{target.local_name}"))


def _attribute_wildcard(type_: Any) -> Any:
    return getattr(type_, "attributes", {}).get(None)


def _top_attribute(type_: Any, name: str) -> Any:
    """Return the declaration at the top of the schema that a wildcard holds an attribute against, if it does."""
    wildcard = _attribute_wildcard(type_)
    if wildcard is None or wildcard.process_contents == "skip" or not _allows_attribute(type_, name):
        return None
    return wildcard.maps.attributes.get(name)


def _attributes_by_name(type_: Any) -> dict[str, Any]:
    attributes = getattr(type_, "attributes", {})
    return {name: item for name, item in attributes.items() if name is not None and item.use != "prohibited"}


def _allows_attribute(type_: Any, name: str) -> bool:
    wildcard = _attribute_wildcard(type_)
    return wildcard is not None and wildcard_matches(wildcard, name, wildcard.maps.attributes)


def _compare_fixed(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    if reader.fixed is not None and writer.fixed != reader.fixed:
        yield Reason("fixed", path, str(writer.fixed or "any value"), str(reader.fixed))


def _compare_default(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    """Yield that an element may no longer be empty: with a default or a fixed value, one of any type may."""
    text = _text_type(reader.type)
    had, has = ((item.default if item.fixed is None else item.fixed) is not None for item in (writer, reader))
    if had and not has and text is not None and not simple_types.is_valid(text, ""):
        yield Reason("default", path)


def _identities(element: Any) -> set[tuple[Any, ...]]:
    """Return what keys and references an element has, whatever they are called; a key is unique as well."""
    constraints = {_identity(item) for item in element.identities}
    return constraints | {("unique", *rest) for kind, *rest in constraints if kind == "key"}


def _identity(item: Any) -> tuple[Any, ...]:
    kind = item.elem.tag.rpartition("}")[2]
    paths = tuple((part.path, part.xpath_default_namespace) for part in (item.selector, *item.fields))
    target = getattr(item, "refer", None)
    return kind, paths, tuple(sorted(item.namespaces.items())), None if target is None else _identity(target)


def _alternatives(element: Any) -> list[tuple[Any, ...]]:
    """Return the conditions by which an element of version 1.1 has other types."""
    return [(item.path, item.xpath_default_namespace, item.type.name) for item in element.alternatives]


def _assertions(type_: Any) -> set[tuple[str, ...]]:
    """Return the assertions of version 1.1."""
    return {(str(item.path), str(item.xpath_default_namespace)) for item in getattr(type_, "assertions", ())}
