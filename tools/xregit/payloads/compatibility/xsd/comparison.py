"""XML Schema: why a document that one schema describes may not be valid by another.

Content models are compared as regular expressions over element names.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import xmlschema

from xregit.payloads.compatibility.verdicts import ROOT, Answer, Reason
from xregit.payloads.compatibility.xsd import simple_types
from xregit.payloads.xsd.codec import referenced_names, root_elements
from xregit.payloads.xsd.schema import XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xregit.payloads.xsd.codec import Xsd

_ANY = f"{{{XSD}}}anyType"


def reasons(written: Xsd, read: Xsd) -> Iterator[Reason]:
    """Yield why a document of the first schema may be refused by the second."""
    comparing = _Comparer()
    if written.component is not None and read.component is not None:
        yield from comparing.component(written.component, read.component)
        return
    named = {item.name: item for item in read.schema.elements.values()}
    for element in _top_elements(written):
        if element.name in named:
            yield from comparing.element(element, named[element.name], element.local_name)
        else:
            yield Reason("element", element.local_name)


def _top_elements(schema: Xsd) -> list[Any]:
    """Return the elements that stand at the top of documents: those that no other refers to, if there are any."""
    listed, used = root_elements(schema.schema), referenced_names(schema.schema)
    return [item for item in listed if item.name not in used] or listed


@dataclass(slots=True)
class _Comparer:
    """One comparison; types that hold themselves are compared once."""

    seen: set[tuple[int, int]] = field(default_factory=set)

    def component(self, written: Any, read: Any) -> Iterator[Reason]:
        if isinstance(written, xmlschema.XsdElement) and isinstance(read, xmlschema.XsdElement):
            if written.name != read.name:
                yield Reason("element", written.local_name)
            else:
                yield from self.element(written, read, written.local_name)
        else:
            yield from self.type(getattr(written, "type", written), getattr(read, "type", read), "")

    def element(self, written: Any, read: Any, path: str) -> Iterator[Reason]:
        if written.nillable and not read.nillable:
            yield Reason("nillable", path)
        yield from _compare_fixed(written, read, path)
        if {item.name for item in read.identities} - {item.name for item in written.identities}:
            yield Reason("condition", path)
        yield from self.type(written.type, read.type, path)

    def type(self, written: Any, read: Any, path: str) -> Iterator[Reason]:
        pair = id(written), id(read)
        if pair in self.seen or read.name == _ANY:
            return
        self.seen.add(pair)
        yield from _compare_attributes(written, read, path)
        one, other = _text_type(written), _text_type(read)
        if one is not None and other is not None:
            yield from _compare_texts(one, other, path)
        elif one is not None or other is not None:
            yield from _text_or_elements(written, read, path)
        else:
            if written.mixed and not read.mixed:
                yield Reason("mixed", path or ROOT)
            yield from self.children(written, read, path)
        if _assertions(read) - _assertions(written):
            yield Reason("condition", path or ROOT)

    def children(self, written: Any, read: Any, path: str) -> Iterator[Reason]:
        """Yield how the child elements differ: which may stand there, and in them."""
        one, other = (list(type_.content.iter_elements()) for type_ in (written, read))
        names = {item.name for item in (*one, *other) if item.name is not None}
        names |= {inner.name for item in (*one, *other) if item.name for inner in item.iter_substitutes()}
        try:
            found = find_difference(
                content_model(written.content),
                content_model(read.content),
                names | set(_wildcard_names(written, one, other)),
            )
        except TooLargeError:
            yield Reason("large", path or ROOT)
        else:
            if found is not None:
                yield Reason("children", path or ROOT, words={"children": _list_names(found)})
        known = {item.name: item for item in other if item.name is not None}
        for item in {item.name: item for item in one if item.name in known}.values():
            here = f"{path}/{item.local_name}" if path else item.local_name
            yield from self.element(item, known[item.name], here)
        taken = [item for item in one if item.name is None]
        for name in sorted(known.keys() - {item.name for item in one}):
            if known[name].type.name != _ANY and any(item.is_matching(name) for item in taken):
                yield Reason("declared", f"{path}/{known[name].local_name}" if path else known[name].local_name)


def _wildcard_names(written: Any, *sides: list[Any]) -> Iterator[str]:
    """Yield names that only wildcards allow: in no namespace, in the schema's own, in those that wildcards name."""
    wildcards = [item for side in sides for item in side if item.name is None]
    if wildcards:
        own = written.schema.target_namespace
        stated = {text for item in wildcards for text in item.namespace if not text.startswith("##")}
        for namespace in sorted({own, "", "urn:another", *stated}):
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


def _text_or_elements(written: Any, read: Any, path: str) -> Iterator[Reason]:
    """Yield what comes of text in place of elements, or the other way."""
    text = _text_type(read)
    if text is not None:
        empty = not written.mixed and not list(written.content.iter_elements()) and simple_types.is_valid(text, "")
        fits = empty
    else:
        fits = read.mixed and is_nullable(content_model(read.content))
    if not fits:
        yield Reason("kind", path or ROOT)


def _compare_texts(written: Any, read: Any, path: str) -> Iterator[Reason]:
    if simple_types.is_subtype(written, read):
        return
    shown = simple_types.example(written, read)
    proof = f', as "{shown}" shows' if shown is not None else ""
    answer = Answer.NO if shown is not None else None
    yield Reason(
        "text", path or ROOT, simple_types.type_name(written), simple_types.type_name(read), {"proof": proof}, answer
    )


def _compare_attributes(written: Any, read: Any, path: str) -> Iterator[Reason]:
    one, other = (_attributes_by_name(type_) for type_ in (written, read))
    for name, attribute in one.items():
        here = f"{path}/@{attribute.local_name}" if path else f"@{attribute.local_name}"
        target = other.get(name)
        if target is not None:
            yield from _compare_texts(attribute.type, target.type, here)
            yield from _compare_fixed(attribute, target, here)
        elif not _allows_attribute(read, name):
            yield Reason("attribute", here)
    for name, attribute in other.items():
        if name not in one and _allows_attribute(written, name):
            yield Reason("declared", f"{path}/@{attribute.local_name}" if path else f"@{attribute.local_name}")
        if attribute.use == "required" and (name not in one or one[name].use != "required"):
            yield Reason("required", f"{path}/@{attribute.local_name}" if path else f"@{attribute.local_name}")
    wild, taken = (getattr(type_, "attributes", {}).get(None) for type_ in (written, read))
    if wild is not None and (taken is None or list(wild.namespace) != list(taken.namespace)):
        yield Reason("wildcard", path or ROOT, answer=Answer.NO if taken is None else None)


def _attributes_by_name(type_: Any) -> dict[str, Any]:
    attributes = getattr(type_, "attributes", {})
    return {name: item for name, item in attributes.items() if name is not None and item.use != "prohibited"}


def _allows_attribute(type_: Any, name: str) -> bool:
    wild = getattr(type_, "attributes", {}).get(None)
    return wild is not None and bool(wild.is_matching(name))


def _compare_fixed(written: Any, read: Any, path: str) -> Iterator[Reason]:
    if read.fixed is not None and written.fixed != read.fixed:
        yield Reason("fixed", path, str(written.fixed or "any value"), str(read.fixed))


def _assertions(type_: Any) -> set[str]:
    """Return the assertions of XSD 1.1."""
    return {str(item.path) for item in getattr(type_, "assertions", ())}


NOTHING: tuple[Any, ...] = ("nothing",)
EMPTY: tuple[Any, ...] = ("empty",)
_MAX_STATES = 4_000

Model = tuple[Any, ...]


class TooLargeError(Exception):
    """The models have too many states to be compared."""


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
    made = EMPTY
    for part in reversed(parts):
        made = _sequence(part, made)
    return made


def _repeat(inner: Model, least: int, most: int | None) -> Model:
    if inner in (NOTHING, EMPTY) or (least, most) == (1, 1):
        return EMPTY if inner == NOTHING and not least else inner
    return EMPTY if most == 0 else ("rep", inner, least, most)


def _sequence(one: Model, other: Model) -> Model:
    if NOTHING in (one, other):
        return NOTHING
    return other if one == EMPTY else one if other == EMPTY else ("seq", one, other)


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


def derivative(item: Model, name: str) -> Model:
    """Return what is left of a model after an element."""
    kind = item[0]
    if kind == "leaf":
        return EMPTY if _is_name(item, name) else NOTHING
    if kind == "seq":
        first = _sequence(derivative(item[1], name), item[2])
        return _either((first, derivative(item[2], name))) if is_nullable(item[1]) else first
    if kind == "alt":
        return _either(derivative(inner, name) for inner in item[1])
    if kind == "rep":
        most = None if item[3] is None else item[3] - 1
        return _sequence(derivative(item[1], name), _derive_repeat(item[1], max(item[2] - 1, 0), most))
    if kind == "all":
        return _either(_derive_all(item[1], pair, name) for pair in item[1])
    return NOTHING


def _derive_repeat(inner: Model, least: int, most: int | None) -> Model:
    return inner if (least, most) == (1, 1) else EMPTY if most == 0 else ("rep", inner, least, most)


def _derive_all(pairs: frozenset[tuple[int, Model]], pair: tuple[int, Model], name: str) -> Model:
    rest = pairs - {pair}
    left = derivative(pair[1], name)
    if left == NOTHING:
        return NOTHING
    # What is left of one member may still come, anywhere among the others.
    members = rest if left == EMPTY else rest | {(pair[0], left)}
    return ("all", members) if members else EMPTY


def _is_name(leaf: Model, name: str) -> bool:
    return name in leaf[1] or (leaf[2] is not None and bool(leaf[2].is_matching(name)))


def find_difference(written: Model, read: Model, names: Iterable[str]) -> tuple[str, ...] | None:
    """Return the shortest list of children that the first model allows and the second refuses; None if there is none.

    Raises:
        TooLargeError: it can't be found within bounds.
    """
    alphabet = sorted(names)
    waiting: deque[tuple[Model, Model, tuple[str, ...]]] = deque([(written, read, ())])
    seen = {(written, read)}
    while waiting:
        one, other, path = waiting.popleft()
        if is_nullable(one) and not is_nullable(other):
            return path
        for name in alphabet:
            pair = derivative(one, name), derivative(other, name)
            if pair[0] != NOTHING and pair not in seen:
                seen.add(pair)
                waiting.append((*pair, (*path, name)))
        if len(seen) > _MAX_STATES:
            raise TooLargeError
    return None
