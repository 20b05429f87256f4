"""XML Schema: why a document that one schema describes may not be valid by another.

Content models are compared as regular expressions over element names.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import xmlschema

from xregit.payloads.compatibility.base import ROOT, Answer, Reason
from xregit.payloads.compatibility.budget import TooLargeError
from xregit.payloads.compatibility.xsd import simple_types
from xregit.payloads.xsd.codec import referenced_names, root_elements
from xregit.payloads.xsd.schema import XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.payloads.compatibility.budget import Budget
    from xregit.payloads.xsd.codec import Xsd

_ANY = f"{{{XSD}}}anyType"


def reasons(writer: Xsd, reader: Xsd, budget: Budget) -> Iterator[Reason]:
    """Yield why a document of the first schema may be refused by the second."""
    comparer = _Comparer(budget)
    if writer.component is not None and reader.component is not None:
        yield from comparer.component(writer.component, reader.component)
        return
    reader_elements = {item.name: item for item in reader.schema.elements.values()}
    for element in _top_elements(writer):
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
        if {item.name for item in reader.identities} - {item.name for item in writer.identities}:
            yield Reason("condition", path)
        yield from self.type(writer.type, reader.type, path)

    def type(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        pair = id(writer), id(reader)
        if pair in self.compared or reader.name == _ANY:
            return
        self.compared.add(pair)
        yield from _compare_attributes(writer, reader, path)
        first, second = _text_type(writer), _text_type(reader)
        if first is not None and second is not None:
            yield from _compare_texts(first, second, path)
        elif first is not None or second is not None:
            yield from _text_or_elements(writer, reader, path)
        else:
            if writer.mixed and not reader.mixed:
                yield Reason("mixed", path or ROOT)
            yield from self.children(writer, reader, path)
        if _assertions(reader) - _assertions(writer):
            yield Reason("condition", path or ROOT)

    def children(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        """Yield how the child elements differ: which may stand there, and in them."""
        first, second = (list(type_.content.iter_elements()) for type_ in (writer, reader))
        names = {item.name for item in (*first, *second) if item.name is not None}
        names |= {inner.name for item in (*first, *second) if item.name for inner in item.iter_substitutes()}
        try:
            difference = find_difference(
                content_model(writer.content),
                content_model(reader.content),
                names | set(_wildcard_names(writer, first, second)),
                self.budget,
            )
        except TooLargeError:
            yield Reason("large", path or ROOT)
        else:
            if difference is not None:
                yield Reason("children", path or ROOT, words={"children": _list_names(difference)})
        reader_elements = {item.name: item for item in second if item.name is not None}
        for item in {item.name: item for item in first if item.name in reader_elements}.values():
            here = _join(path, item.local_name)
            yield from self.element(item, reader_elements[item.name], here)
        wildcards = [item for item in first if item.name is None]
        for name in sorted(reader_elements.keys() - {item.name for item in first}):
            element = reader_elements[name]
            if element.type.name != _ANY and any(item.is_matching(name) for item in wildcards):
                yield Reason("declared", _join(path, element.local_name))


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _wildcard_names(writer: Any, *sides: list[Any]) -> Iterator[str]:
    """Yield names that only wildcards allow: in no namespace, in the schema's own, in those that wildcards name."""
    wildcards = [item for side in sides for item in side if item.name is None]
    if wildcards:
        namespaces = {text for item in wildcards for text in item.namespace if not text.startswith("##")}
        for namespace in sorted({writer.schema.target_namespace, "", "urn:another", *namespaces}):
            yield f"{{{namespace}}}any-other" if namespace else "any-other"


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
        fits = reader.mixed and is_nullable(content_model(reader.content))
    if not fits:
        yield Reason("kind", path or ROOT)


def _compare_texts(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    if simple_types.is_subtype(writer, reader):
        return
    example = simple_types.example(writer, reader)
    words = {"proof": f', as "{example}" shows' if example is not None else ""}
    answer = Answer.NO if example is not None else None
    names = simple_types.type_name(writer), simple_types.type_name(reader)
    yield Reason("text", path or ROOT, *names, words, answer)


def _compare_attributes(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    first, second = (_attributes_by_name(type_) for type_ in (writer, reader))
    for name, attribute in first.items():
        here = _join(path, f"@{attribute.local_name}")
        target = second.get(name)
        if target is not None:
            yield from _compare_texts(attribute.type, target.type, here)
            yield from _compare_fixed(attribute, target, here)
        elif not _allows_attribute(reader, name):
            yield Reason("attribute", here)
    for name, attribute in second.items():
        here = _join(path, f"@{attribute.local_name}")
        if name not in first and _allows_attribute(writer, name):
            yield Reason("declared", here)
        if attribute.use == "required" and (name not in first or first[name].use != "required"):
            yield Reason("required", here)
    wildcard, other = (getattr(type_, "attributes", {}).get(None) for type_ in (writer, reader))
    if wildcard is not None and (other is None or list(wildcard.namespace) != list(other.namespace)):
        yield Reason("wildcard", path or ROOT, answer=Answer.NO if other is None else None)


def _attributes_by_name(type_: Any) -> dict[str, Any]:
    attributes = getattr(type_, "attributes", {})
    return {name: item for name, item in attributes.items() if name is not None and item.use != "prohibited"}


def _allows_attribute(type_: Any, name: str) -> bool:
    wildcard = getattr(type_, "attributes", {}).get(None)
    return wildcard is not None and bool(wildcard.is_matching(name))


def _compare_fixed(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    if reader.fixed is not None and writer.fixed != reader.fixed:
        yield Reason("fixed", path, str(writer.fixed or "any value"), str(reader.fixed))


def _assertions(type_: Any) -> set[str]:
    """Return the assertions of XSD 1.1."""
    return {str(item.path) for item in getattr(type_, "assertions", ())}


NOTHING: tuple[Any, ...] = ("nothing",)
EMPTY: tuple[Any, ...] = ("empty",)
_STEPS_PER_PAIR = 20

Model = tuple[Any, ...]
_Pair = tuple[Model, Model]


def content_model(particle: Any) -> Model:
    """Return the model of a particle of the library: a group, an element or a wildcard."""
    if hasattr(particle, "model"):
        parts = [content_model(item) for item in particle]
        inner = _group(particle.model, parts)
    elif particle.name is None:
        inner = ("leaf", frozenset(), particle)
    else:
        names = {particle.name, *(item.name for item in particle.iter_substitutes())}
        inner = ("leaf", frozenset(names), None)
    return _repeat(inner, particle.min_occurs, particle.max_occurs)


def _group(kind: str, parts: list[Model]) -> Model:
    if kind == "choice":
        return _either(parts) if parts else NOTHING
    if kind == "all":
        return ("all", frozenset(enumerate(parts))) if parts else EMPTY
    model = EMPTY
    for part in reversed(parts):
        model = _sequence(part, model)
    return model


def _repeat(inner: Model, least: int, most: int | None) -> Model:
    if inner in (NOTHING, EMPTY) or (least, most) == (1, 1):
        return EMPTY if inner == NOTHING and not least else inner
    return EMPTY if most == 0 else ("rep", inner, least, most)


def _sequence(first: Model, second: Model) -> Model:
    if NOTHING in (first, second):
        return NOTHING
    return second if first == EMPTY else first if second == EMPTY else ("seq", first, second)


def _either(models: Iterable[Model]) -> Model:
    flat = {inner for item in models for inner in (item[1] if item[0] == "alt" else (item,))} - {NOTHING}
    if len(flat) < 2:  # noqa: PLR2004 - a choice of one is that one
        return next(iter(flat), NOTHING)
    return ("alt", frozenset(flat))


def is_nullable(item: Model) -> bool:
    """Return whether a model allows that nothing follows."""
    kind = item[0]
    if kind == "seq":
        return is_nullable(item[1]) and is_nullable(item[2])
    if kind == "alt":
        return any(is_nullable(inner) for inner in item[1])
    if kind == "rep":
        return not item[2] or is_nullable(item[1])
    if kind == "all":
        return all(is_nullable(inner) for _, inner in item[1])
    return item == EMPTY


def derivative(item: Model, name: str, budget: Budget) -> Model:
    """Return what is left of a model after an element.

    Raises:
        TooLargeError: it can't be found within the budget.
    """
    kind = item[0]
    if kind == "leaf":
        return EMPTY if _is_name(item, name) else NOTHING
    budget.spend(len(item[1]) if kind in {"alt", "all"} else 1)
    if kind == "seq":
        first = _sequence(derivative(item[1], name, budget), item[2])
        return _either((first, derivative(item[2], name, budget))) if is_nullable(item[1]) else first
    if kind == "alt":
        return _either(derivative(inner, name, budget) for inner in item[1])
    if kind == "rep":
        most = None if item[3] is None else item[3] - 1
        return _sequence(derivative(item[1], name, budget), _derive_repeat(item[1], max(item[2] - 1, 0), most))
    if kind == "all":
        return _either(_derive_all(item[1], pair, name, budget) for pair in item[1])
    return NOTHING


def _derive_repeat(inner: Model, least: int, most: int | None) -> Model:
    return inner if (least, most) == (1, 1) else EMPTY if most == 0 else ("rep", inner, least, most)


def _derive_all(pairs: frozenset[tuple[int, Model]], pair: tuple[int, Model], name: str, budget: Budget) -> Model:
    remainder = derivative(pair[1], name, budget)
    if remainder == NOTHING:
        return NOTHING
    rest = pairs - {pair}
    budget.spend(len(rest))
    # What is left of one member may still come, anywhere among the others.
    members = rest if remainder == EMPTY else rest | {(pair[0], remainder)}
    return ("all", members) if members else EMPTY


def _is_name(leaf: Model, name: str) -> bool:
    return name in leaf[1] or (leaf[2] is not None and bool(leaf[2].is_matching(name)))


def find_difference(writer: Model, reader: Model, names: Iterable[str], budget: Budget) -> tuple[str, ...] | None:
    """Return the shortest list of children that the first model allows and the second refuses; None if there is none.

    Raises:
        TooLargeError: it can't be found within the budget.
    """
    if writer == reader:
        return None
    alphabet = sorted(names)
    waiting = deque([(writer, reader)])
    # Each pair with the pair and the element that lead to it.
    origins: dict[_Pair, tuple[_Pair, str] | None] = {(writer, reader): None}
    while waiting:
        first, second = waiting.popleft()
        if is_nullable(first) and not is_nullable(second):
            return _path(origins, (first, second))
        for name in alphabet:
            pair = derivative(first, name, budget), derivative(second, name, budget)
            if pair[0] != NOTHING and pair not in origins:
                budget.spend(_STEPS_PER_PAIR)
                origins[pair] = (first, second), name
                waiting.append(pair)
    return None


def _path(origins: Mapping[_Pair, tuple[_Pair, str] | None], pair: _Pair) -> tuple[str, ...]:
    """Return the elements that lead to a pair of models."""
    names: list[str] = []
    while origin := origins[pair]:
        pair, name = origin
        names.append(name)
    return tuple(reversed(names))
