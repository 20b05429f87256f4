"""XML Schema: why a document that one schema describes may not be valid by another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import xmlschema

from xregit.payloads.compatibility.answers import ROOT, Answer, Reason
from xregit.payloads.compatibility.xsd import texts
from xregit.payloads.compatibility.xsd.models import TooLargeError, difference, may_end, model
from xregit.payloads.xsd.parsing import referred, roots
from xregit.payloads.xsd.places import XSD

if TYPE_CHECKING:
    from xregit.payloads.xsd.parsing import Xsd

_ANY = f"{{{XSD}}}anyType"


def reasons(written: Xsd, read: Xsd) -> Iterator[Reason]:
    """Give why a document of the first schema may be refused by the second."""
    comparing = _Comparing()
    if written.component is not None and read.component is not None:
        yield from comparing.component(written.component, read.component)
        return
    named = {item.name: item for item in read.schema.elements.values()}
    for element in _tops(written):
        if element.name in named:
            yield from comparing.element(element, named[element.name], element.local_name)
        else:
            yield Reason("element", element.local_name)


def _tops(schema: Xsd) -> list[Any]:
    """Return the elements that stand at the top of documents: those that no other refers to, if there are any."""
    listed, used = roots(schema.schema), referred(schema.schema)
    return [item for item in listed if item.name not in used] or listed


@dataclass(slots=True)
class _Comparing:
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
        yield from _fixed(written, read, path)
        if {item.name for item in read.identities} - {item.name for item in written.identities}:
            yield Reason("condition", path)
        yield from self.type(written.type, read.type, path)

    def type(self, written: Any, read: Any, path: str) -> Iterator[Reason]:
        pair = id(written), id(read)
        if pair in self.seen or read.name == _ANY:
            return
        self.seen.add(pair)
        yield from _attributes(written, read, path)
        one, other = _text_type(written), _text_type(read)
        if one is not None and other is not None:
            yield from _text(one, other, path)
        elif one is not None or other is not None:
            yield from _of_two_kinds(written, read, path)
        else:
            if written.mixed and not read.mixed:
                yield Reason("mixed", path or ROOT)
            yield from self.children(written, read, path)
        if _conditions(read) - _conditions(written):
            yield Reason("condition", path or ROOT)

    def children(self, written: Any, read: Any, path: str) -> Iterator[Reason]:
        """Give how the child elements differ: which may stand there, and in them."""
        one, other = (list(type_.content.iter_elements()) for type_ in (written, read))
        names = {item.name for item in (*one, *other) if item.name is not None}
        names |= {inner.name for item in (*one, *other) if item.name for inner in item.iter_substitutes()}
        try:
            found = difference(model(written.content), model(read.content), names | set(_foreign(written, one, other)))
        except TooLargeError:
            yield Reason("large", path or ROOT)
        else:
            if found is not None:
                yield Reason("children", path or ROOT, words={"children": _listed(found)})
        known = {item.name: item for item in other if item.name is not None}
        for item in {item.name: item for item in one if item.name in known}.values():
            here = f"{path}/{item.local_name}" if path else item.local_name
            yield from self.element(item, known[item.name], here)
        taken = [item for item in one if item.name is None]
        for name in sorted(known.keys() - {item.name for item in one}):
            if known[name].type.name != _ANY and any(item.is_matching(name) for item in taken):
                yield Reason("declared", f"{path}/{known[name].local_name}" if path else known[name].local_name)


def _foreign(written: Any, *sides: list[Any]) -> Iterator[str]:
    """Give names that only wildcards allow: in no namespace, in the schema's own, in those that wildcards name."""
    wildcards = [item for side in sides for item in side if item.name is None]
    if wildcards:
        own = written.schema.target_namespace
        stated = {text for item in wildcards for text in item.namespace if not text.startswith("##")}
        for namespace in sorted({own, "", "urn:another", *stated}):
            yield f"{{{namespace}}}any-other" if namespace else "any-other"


def _listed(names: tuple[str, ...]) -> str:
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


def _of_two_kinds(written: Any, read: Any, path: str) -> Iterator[Reason]:
    """Give what comes of text in place of elements, or the other way."""
    text = _text_type(read)
    if text is not None:
        empty = not written.mixed and not list(written.content.iter_elements()) and texts.is_valid(text, "")
        fits = empty
    else:
        fits = read.mixed and may_end(model(read.content))
    if not fits:
        yield Reason("kind", path or ROOT)


def _text(written: Any, read: Any, path: str) -> Iterator[Reason]:
    if texts.follows(written, read):
        return
    shown = texts.example(written, read)
    proof = f', as "{shown}" shows' if shown is not None else ""
    answer = Answer.NO if shown is not None else None
    yield Reason("text", path or ROOT, texts.name(written), texts.name(read), {"proof": proof}, answer)


def _attributes(written: Any, read: Any, path: str) -> Iterator[Reason]:
    one, other = (_usable(type_) for type_ in (written, read))
    for name, attribute in one.items():
        here = f"{path}/@{attribute.local_name}" if path else f"@{attribute.local_name}"
        target = other.get(name)
        if target is not None:
            yield from _text(attribute.type, target.type, here)
            yield from _fixed(attribute, target, here)
        elif not _takes(read, name):
            yield Reason("attribute", here)
    for name, attribute in other.items():
        if name not in one and _takes(written, name):
            yield Reason("declared", f"{path}/@{attribute.local_name}" if path else f"@{attribute.local_name}")
        if attribute.use == "required" and (name not in one or one[name].use != "required"):
            yield Reason("required", f"{path}/@{attribute.local_name}" if path else f"@{attribute.local_name}")
    wild, taken = (getattr(type_, "attributes", {}).get(None) for type_ in (written, read))
    if wild is not None and (taken is None or list(wild.namespace) != list(taken.namespace)):
        yield Reason("wildcard", path or ROOT, answer=Answer.NO if taken is None else None)


def _usable(type_: Any) -> dict[str, Any]:
    attributes = getattr(type_, "attributes", {})
    return {name: item for name, item in attributes.items() if name is not None and item.use != "prohibited"}


def _takes(type_: Any, name: str) -> bool:
    wild = getattr(type_, "attributes", {}).get(None)
    return wild is not None and bool(wild.is_matching(name))


def _fixed(written: Any, read: Any, path: str) -> Iterator[Reason]:
    if read.fixed is not None and written.fixed != read.fixed:
        yield Reason("fixed", path, str(written.fixed or "any value"), str(read.fixed))


def _conditions(type_: Any) -> set[str]:
    """Return the assertions of XSD 1.1."""
    return {str(item.path) for item in getattr(type_, "assertions", ())}
