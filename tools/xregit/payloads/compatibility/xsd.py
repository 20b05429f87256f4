"""XML Schema: why a document that one schema describes may not be valid by another.

Declared elements, attributes, types and facets are compared one by one. Groups inside groups and wildcards must be the
same; where they aren't, the answer is "can't tell".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

import xmlschema

from xregit.payloads.compatibility import simple_types
from xregit.payloads.compatibility.base import ROOT, Answer, Budget, Reason
from xregit.payloads.xsd.codec import Xsd, local_name, referenced_names, root_elements
from xregit.payloads.xsd.schema import XSD

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
    """Return the root elements of documents: the elements that no other refers to, or all if there are none."""
    elements, names = root_elements(schema.schema), referenced_names(schema.schema)
    return [item for item in elements if item.name not in names] or elements


@dataclass(slots=True)
class _Comparer:
    """One comparison; types that hold themselves are compared once."""

    budget: Budget
    compared: set[tuple[int, int]] = field(default_factory=set)
    types: dict[int, list[Any]] = field(default_factory=dict)

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
        keys, alternatives = _identities(reader), [_alternatives(side) for side in (writer, reader)]
        has_same_keys = keys <= _identities(writer) and (not keys or self.has_same_values(writer, reader))
        if not has_same_keys or alternatives[0].keys() != alternatives[1].keys():
            yield Reason("condition", path)
        for condition, type_ in alternatives[0].items():
            if condition in alternatives[1]:
                yield from self.type(type_, alternatives[1][condition], path)
        if getattr(reader.type, "abstract", False) and not getattr(writer.type, "abstract", False):
            yield Reason("abstract", path)
        yield from self.type(writer.type, reader.type, path)
        yield from self.derived(writer, reader, path)

    def has_same_values(self, writer: Any, reader: Any) -> bool:
        """Return whether the texts below two elements, of which keys are made, have the same values in both."""
        parts = [
            [each for item in side.iter() for each in (item, *getattr(item, "attributes", {}).values())]
            for side in (writer, reader)
        ]
        self.budget.spend(len(parts[0]) + len(parts[1]))
        spaces = [
            {(item.name, simple_types.value_space(_text_type(item.type))) for item in side if item.name}
            for side in parts
        ]
        names = {name for name, _ in spaces[0]} & {name for name, _ in spaces[1]}
        return not any(name in names for name, _ in spaces[0] ^ spaces[1])

    def derived(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        """Yield how types differ that a document may name in place of the element's own."""
        pair = id(writer), id(reader)
        if pair in self.compared:
            return
        self.compared.add(pair)
        if id(writer.maps) not in self.types:
            named = writer.maps.types.values()
            own = [item for item in named if not item.name.startswith(f"{{{XSD}}}")]
            self.types[id(writer.maps)] = own
        types = self.types[id(writer.maps)]
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
        yield from self.attributes(writer, reader, path)
        first, second = _text_type(writer), _text_type(reader)
        if first is not None and second is not None:
            yield from self.texts(first, second, path)
        elif first is not None or second is not None:
            yield from _text_or_elements(writer, reader, path)
        else:
            if writer.mixed and not reader.mixed:
                yield Reason("mixed", path or ROOT)
            yield from self.children(writer, reader, path)
        if not _assertions(reader) <= _assertions(writer):
            yield Reason("condition", path or ROOT)

    def texts(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        if simple_types.is_subtype(writer, reader):
            return
        self.budget.spend(_STEPS_PER_EXAMPLE)
        example = simple_types.example(writer, reader)
        words = {"proof": f'; for example "{example}"' if example is not None else ""}
        answer = Answer.NO if example is not None else None
        names = simple_types.type_name(writer), simple_types.type_name(reader)
        yield Reason("text", path or ROOT, *names, words, answer)

    def attributes(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        first, second = _attributes(writer), _attributes(reader)
        for name, attribute in first.declared.items():
            if name not in second.declared and not second.allows(name):
                yield Reason("attribute", _join(path, f"@{attribute.local_name}"))
        for name, attribute in second.declared.items():
            source = first.declared.get(name)
            if attribute.use == "required" and (source is None or source.use != "required"):
                yield Reason("required", _join(path, f"@{attribute.local_name}"))
        for wildcard in first.wildcards:
            if _key(wildcard) not in map(_key, second.wildcards):
                yield second.refusal_of(wildcard, path)
        yield from self.declarations(first, second, _join(path, "@"))

    def children(self, writer: Any, reader: Any, path: str) -> Iterator[Reason]:
        """Yield how the child elements differ: which are allowed, how often, in which order, and what is inside."""
        first, second = _children(writer), _children(reader)
        # Of what can't be there, nothing is refused.
        is_possible = _is_possible(writer.content)
        yield from self.groups(writer.content, reader.content, (first, second), path, is_top=is_possible)
        if _open_content(writer) not in {None, _open_content(reader)} or _differs_by_place(writer, reader):
            yield Reason("content", path or ROOT)
        yield from self.declarations(first, second, _join(path, ""))

    def groups(
        self, writer: Any, reader: Any, sides: tuple[_Declarations, _Declarations], path: str, *, is_top: bool
    ) -> Iterator[Reason]:
        """Yield how the members of two groups differ; of groups inside others, it isn't certain that they do."""
        model = _common_model(_unwrap(writer), _unwrap(reader))
        first, second = _Group(writer, model), _Group(reader, model)
        self.budget.spend(20 * (1 + len(first.members) + len(second.members)))
        unknown = Reason("content", path or ROOT)
        if not _is_within(first.times, second.times) or (model == "choice" and not (first.members and second.members)):
            yield unknown
            return
        known = first.single & second.single if is_top else frozenset()
        for key, member in first.members.items():
            target, here = second.members.get(key), _join(path, local_name(str(key)))
            if target is None:
                self.budget.spend(len(first.members) + len(sides[0].wildcards))
                yield from _lost_member(first, second, key, sides, path)
            elif hasattr(member, "model"):
                yield from self.groups(member, target, sides, path, is_top=False)
            elif not _is_within(_times(member), _times(target)):
                kind = "required" if member.min_occurs < target.min_occurs else "count"
                is_certain = key in known and model != "choice" and not sides[1].allows(key)
                yield Reason(kind, here) if is_certain else unknown
        for key, target in second.members.items():
            if key not in first.members and model != "choice" and not _is_emptiable(target):
                is_certain = is_top and key in second.single and key not in sides[0].declared
                yield Reason("required", _join(path, local_name(str(key)))) if is_certain else unknown
        pairs = (first.members, second.members), (second.members, first.members)
        orders = [[key for key in one if key in other] for one, other in pairs]
        if model == "sequence" and orders[0] != orders[1]:
            yield Reason("order", path or ROOT) if known.issuperset(orders[0]) else unknown

    def declarations(self, first: _Declarations, second: _Declarations, prefix: str) -> Iterator[Reason]:
        """Yield how the declarations differ that elements or attributes are held against."""
        self.budget.spend(sum((1 + len(side.top)) * len(side.wildcards) for side in (first, second)))
        sources, targets = first.checked(), second.checked()
        for name, target in targets.items():
            self.budget.spend(1 + len(first.wildcards))
            here, source = f"{prefix}{target.local_name}", sources.get(name)
            if source is None:
                if target.type.name != _ANY and first.allows(name):
                    yield Reason("content" if name in first.top else "declared", here)
            elif isinstance(target, xmlschema.XsdElement):
                yield from self.element(source, target, here)
            else:
                yield from self.texts(source.type, target.type, here)
                yield from _compare_fixed(source, target, here)


@dataclass(frozen=True, slots=True)
class _Declarations:
    """The elements or attributes that a type may hold: declared ones, wildcards, and all declared at the top."""

    declared: Mapping[str, Any]
    wildcards: list[Any]
    top: Mapping[str, Any]

    def allows(self, name: str) -> bool:
        """Return whether a wildcard allows a name."""
        return any(
            (item.process_contents != "strict" or name in self.top) and item.is_matching(name)
            for item in self.wildcards
        )

    def refusal_of(self, wildcard: Any, path: str) -> Reason:
        """Return the reason for a wildcard of the writer that isn't here."""
        is_certain = wildcard.process_contents != "strict" and not self.wildcards
        return Reason("wildcard", path or ROOT, answer=Answer.NO if is_certain else None)

    def checked(self) -> dict[str, Any]:
        """Return the declarations by name, with those at the top to which wildcards lead."""
        checking = [item for item in self.wildcards if item.process_contents != "skip"]
        top = self.top.items() if checking else ()
        found = {
            name: item
            for name, item in top
            if not name.startswith(f"{{{XSD}}}") and any(wildcard.is_matching(name) for wildcard in checking)
        }
        return {**found, **self.declared}


def _attributes(type_: Any) -> _Declarations:
    attributes = getattr(type_, "attributes", {})
    declared = {name: item for name, item in attributes.items() if name is not None and item.use != "prohibited"}
    wildcard = attributes.get(None)
    return _Declarations(declared, [] if wildcard is None else [wildcard], type_.maps.attributes)


def _children(type_: Any) -> _Declarations:
    particles = list(type_.content.iter_elements())
    named = (inner for item in particles if item.name is not None for inner in _substitutes(item))
    wildcards = [item for item in particles if item.name is None]
    wildcards += [type_.open_content.any_element] if _open_content(type_) else []
    return _Declarations({item.name: item for item in named}, wildcards, type_.maps.elements)


def _differs_by_place(writer: Any, reader: Any) -> bool:
    """Return whether elements of one name are declared differently in one type, of which only one is compared."""
    sides: list[dict[str, list[Any]]] = [defaultdict(list), defaultdict(list)]
    for side, type_ in zip(sides, (writer, reader), strict=True):
        for item in type_.content.iter_elements():
            if item.name is not None:
                facts = item.fixed, item.default, item.nillable, item.block, frozenset(_identities(item))
                side[item.name].append(facts)
    pairs = ((sides[0][name], sides[1][name]) for name in sides[0].keys() & sides[1].keys())
    return any(one != other and max(len(set(one)), len(set(other))) > 1 for one, other in pairs)


def _open_content(type_: Any) -> tuple[Any, ...] | None:
    """Return what else a type of version 1.1 allows."""
    opened = getattr(type_, "open_content", None)
    return None if opened is None or opened.mode == "none" else (opened.mode, _key(opened.any_element))


class _Group:
    """The members of a group by the name of a single element, else by what they are and their number.

    A ``single`` element has no other of its name, in a group that is there once.
    """

    def __init__(self, particle: Any, model: str) -> None:
        group = _unwrap(particle)
        is_same = hasattr(group, "model") and (group.model == model or (group.model, model) == ("sequence", "all"))
        self.times = _times(group) if is_same else (1, 1)
        self.members: dict[Any, Any] = {}
        again: Counter[Any] = Counter()
        for item in _items(group) if is_same else [group]:
            names = () if hasattr(item, "model") else tuple(sorted(_names(item)))
            kind: Any = names or (item.model if hasattr(item, "model") else _key(item))
            key = item.name if names == (item.name,) else (kind,)
            again[key] += 1
            self.members[key if again[key] == 1 else (key, again[key])] = item
        counts = Counter(name for item in self.members.values() for name in _names(item))
        single = (key for key in self.members if counts[key] == 1 and self.times == (1, 1))
        self.single: frozenset[str] = frozenset(single)


def _names(particle: Any) -> Iterator[str]:
    """Yield the names of the allowed elements, except what wildcards allow."""
    for item in particle.iter_elements() if hasattr(particle, "model") else [particle]:
        if item.name is not None:
            yield from (inner.name for inner in _substitutes(item))


def _is_emptiable(particle: Any) -> bool:
    """Return whether nothing need be there; an empty choice can't be."""
    if particle.min_occurs == 0 or not hasattr(particle, "model"):
        return bool(particle.min_occurs == 0)
    return (any if particle.model == "choice" else all)(map(_is_emptiable, particle))


def _is_possible(particle: Any) -> bool:
    """Return whether something may be there; a choice of nothing can't."""
    if particle.min_occurs == 0 or not hasattr(particle, "model"):
        return True
    return (any if particle.model == "choice" else all)(map(_is_possible, particle))


def _common_model(writer: Any, reader: Any) -> str:
    """Return as what two groups are compared; one of another kind, or an element, counts as a member."""
    models = [item.model for item in (writer, reader) if hasattr(item, "model")]
    if models == ["sequence", "all"] or len(set(models)) == 1:
        return str(models[-1])
    return "sequence"


def _lost_member(
    writer: _Group, reader: _Group, key: Any, sides: tuple[_Declarations, _Declarations], path: str
) -> Iterator[Reason]:
    """Yield that a member of the writer's group isn't in the reader's, unless a wildcard there takes it."""
    first, second = sides
    keys = list(writer.members)
    following = next((item for item in keys[keys.index(key) :] if item in reader.members), None)
    wildcards = [(_key(item),) for item in second.wildcards]
    if isinstance(key, str):
        takes_all = [following] == wildcards and _times(reader.members[following]) == (0, inf)
        if not wildcards and key not in second.declared:
            yield Reason("child", _join(path, local_name(key)))
        elif not (takes_all and second.allows(key)):
            yield Reason("content", path or ROOT)
    else:
        wildcard = next((item for item in first.wildcards if key == (_key(item),)), None)
        yield Reason("content", path or ROOT) if wildcard is None else second.refusal_of(wildcard, path)


def _unwrap(particle: Any) -> Any:
    """Return the one particle of a group that is there once and holds nothing else."""
    while hasattr(particle, "model") and len(particle) == 1 and _times(particle) == (1, 1):
        particle = particle[0]
    return particle


def _items(group: Any) -> Iterator[Any]:
    """Yield the particles of a group; an inner group that changes nothing is replaced by its particles."""
    for item in map(_unwrap, group):
        if hasattr(item, "model") and item.model == group.model and _times(item) == (1, 1):
            yield from _items(item)
        elif _times(item)[1]:
            yield item


def _times(particle: Any) -> tuple[int, float]:
    return particle.min_occurs, inf if particle.max_occurs is None else particle.max_occurs


def _is_within(times: tuple[int, float], limits: tuple[int, float]) -> bool:
    return limits[0] <= times[0] and times[1] <= limits[1]


def _key(wildcard: Any) -> tuple[Any, ...]:
    """Return what is equal for wildcards that allow the same."""
    is_attribute = isinstance(wildcard, xmlschema.validators.XsdAnyAttribute)
    declared = wildcard.maps.attributes if is_attribute else wildcard.maps.elements
    declared = frozenset(declared if wildcard.process_contents == "strict" else ())
    siblings = id(wildcard) if any(name.startswith("##") for name in wildcard.not_qname) else 0
    names = (frozenset(item) for item in (wildcard.namespace, wildcard.not_namespace, wildcard.not_qname))
    return (*names, wildcard.target_namespace, wildcard.process_contents, declared, siblings)


def _substitutes(element: Any) -> Iterator[Any]:
    """Yield the declarations that may replace an element: its own, and its substitution group's."""
    if not element.abstract:
        yield element
    blocked = f"{element.block} {getattr(element.type, 'block', '')}".split()
    if "substitution" in element.block:
        return
    for item in element.iter_substitutes():
        if not item.abstract and not any(item.type.is_derived(element.type, name) for name in blocked):
            yield item


def _may_replace(type_: Any, element: Any) -> bool:
    """Return whether a document may name a type in place of an element's own."""
    return bool(type_.is_derived(element.type)) and not type_.is_blocked(element)


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


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
        fits = reader.mixed and _is_emptiable(reader.content)
    if not fits:
        yield Reason("kind", path or ROOT)


def _compare_fixed(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    texts, types = [writer.fixed, reader.fixed], [_text_type(writer.type), _text_type(reader.type)]
    is_same = texts[0] == texts[1] or (None not in texts and simple_types.same_number(types, texts))
    if reader.fixed is not None and not is_same:
        yield Reason("fixed", path, str(writer.fixed or "any value"), str(reader.fixed))
    elif reader.fixed is not None and None not in types and len(set(map(simple_types.value_space, types))) > 1:
        one, other = map(simple_types.type_name, types)
        yield Reason("text", path or ROOT, one, other, {"proof": ""})


def _compare_default(writer: Any, reader: Any, path: str) -> Iterator[Reason]:
    """Yield that an element may no longer be empty: with a default or a fixed value, one of any type may."""
    text = _text_type(reader.type)
    had, has = ((item.default if item.fixed is None else item.fixed) is not None for item in (writer, reader))
    if had and not has and text is not None and not simple_types.is_valid(text, ""):
        yield Reason("default", path)


def _identities(element: Any) -> set[tuple[Any, ...]]:
    """Return what keys and references an element has, whatever they are called."""
    return {_identity(item) for item in element.identities}


def _identity(item: Any) -> tuple[Any, ...]:
    kind = item.elem.tag.rpartition("}")[2]
    paths = tuple((part.path, part.xpath_default_namespace) for part in (item.selector, *item.fields))
    target = getattr(item, "refer", None)
    return kind, paths, tuple(sorted(item.namespaces.items())), None if target is None else _identity(target)


def _alternatives(element: Any) -> dict[tuple[Any, ...], Any]:
    """Return the types that an element of version 1.1 has by conditions, of which the first counts that holds."""
    items = [(item.path, item.xpath_default_namespace, item.type) for item in element.alternatives]
    return {(number, *condition): type_ for number, (*condition, type_) in enumerate(items)}


def _assertions(type_: Any) -> set[tuple[str, ...]]:
    """Return the assertions of version 1.1."""
    return {(str(item.path), str(item.xpath_default_namespace)) for item in getattr(type_, "assertions", ())}
