"""Names that are nearly known ones, where any name is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.misspellings import TABLES
from xregit.catalog.resources import authored
from xregit.diagnostics import Finding, Severity
from xregit.model import check, names, siblings
from xregit.model.aliases import closest_name
from xregit.model.language import MAPPINGS, NOTHING
from xregit.model.spelling import fold_name, is_misspelled, is_slip
from xregit.rules.attributes import items
from xregit.rules.rule import finding, rule

if TYPE_CHECKING:
    from xregit.catalog.entities import Group
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Endpoint
    from xregit.diagnostics import Finding
    from xregit.json_pointer import KeyPath
    from xregit.model.language import AttributeModel


ENDPOINTS, OPTIONS, ENVELOPE, ADDRESSES = "endpoints", "protocoloptions", "envelopeoptions", "endpoints"
# What only endpoints have: anything may have a name or a description of its own, and an address a protocol.
_OF_ADDRESSES = ("usage", "channel", "envelope", ENVELOPE, "messagegroups")
_OF_ENDPOINTS = (*_OF_ADDRESSES, "protocol")
_INTO_OPTIONS = f'Move it into "{OPTIONS}": indent it below that.'
_INTO_ENVELOPE = f'Move it into "{ENVELOPE}": indent it below that.'
_INTO_ADDRESS = f'Move it into an entry of the list "{ADDRESSES}" in "{OPTIONS}".'
_OUT_OF_OPTIONS = f'Move it out of "{OPTIONS}": indent it as that is.'
_OUT_OF_ADDRESS = f'Move it out of the entry: indent it as "{ADDRESSES}" is.'

Attributes = Mapping[str, Any]
GroupModels = Mapping[str, "AttributeModel"]


@rule(
    "group",
    Severity.WARNING,
    "An attribute stands where it counts as a name of your own.",
    "EP-23",
    "EP-37",
)
def misplaced_attribute(_registry: Registry, group: Group) -> Iterator[Finding]:
    """Report what nobody looks for in a group, as it belongs to what is in it; and in an endpoint, in a wrong part."""
    known = siblings(group.type.attributes, group.attributes)
    if group.type.plural == ENDPOINTS:
        yield from _of_endpoint(group.attributes, known)
    elif any(name not in known for name in group.attributes):
        for resource in group.type.resources.values():
            advice = f"Groups hand nothing of this on: state it in each {resource.singular}."
            due = _due(siblings(resource.attributes, group.attributes), advice)
            yield from _stray(group.attributes, (), known, due)


def _of_endpoint(attributes: Attributes, known: GroupModels) -> Iterator[Finding]:
    envelope, options = (known[name].attributes if name in known else NOTHING for name in (ENVELOPE, OPTIONS))
    listed = options[ADDRESSES].item if ADDRESSES in options else None
    address = listed.attributes if listed else NOTHING
    into = {**_due(envelope, _INTO_ENVELOPE), **_due(address, _INTO_ADDRESS)}
    yield from _stray(attributes, (), known, {**into, **_due(options, _INTO_OPTIONS)})
    above = {**into, **_due(_OF_ENDPOINTS, _OUT_OF_OPTIONS)}
    stated = attributes.get(OPTIONS)
    yield from _stray(stated, (OPTIONS,), options, above)
    outside = {**_due(options, _OUT_OF_ADDRESS), **_due(_OF_ADDRESSES, _OUT_OF_OPTIONS), "options": _OUT_OF_ADDRESS}
    for index, entry in items(stated, ADDRESSES):
        yield from _stray(entry, (OPTIONS, ADDRESSES, index), address, outside)


def _due(names: Iterable[str], advice: str) -> dict[str, str]:
    """Return what to do with each of some names, where it is not known."""
    return dict.fromkeys((name for name in names if name != "*"), advice)


def _stray(value: Any, path: KeyPath, known: Iterable[str], due: dict[str, str]) -> Iterator[Finding]:
    """Give the names in a value that are known only elsewhere."""
    for name in value if isinstance(value, MAPPINGS) else ():
        if name in due and name not in known:
            text_ = f'"{name}" counts as a name of your own here, so nobody looks for it.'
            yield finding(*path, name, message=text_, help=due[name], on_key=True)


_OTHER = "*"
# What documents of other releases call it (facts.md, K35).
_FORMER = {"url": "uri"}

Models = Mapping[str, "AttributeModel"]


@rule("entity", Severity.WARNING, "An attribute has nearly the name of one that the model knows.")
def misspelled_attribute(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Report names that are allowed only because any name is; elsewhere an unknown name is an error."""
    for other in _of_entity(registry, entity):
        if not other.hyphenated:
            message = f'"{other.path[-1]}" counts as a name of your own; what the model has is "{other.meant}".'
            help_ = f'Write "{other.meant}"; or choose a name that nobody takes for it.'
            yield finding(*other.path, message=message, help=help_, on_key=True)
        elif not other.faults:
            message = f'"{other.path[-1]}" is another way to write "{other.meant}".'
            yield finding(*other.path, message=message, help=f'Write "{other.meant}", as the model does.', on_key=True)


@rule(
    "endpoint",
    Severity.ERROR,
    "An option that is written without its hyphens has a value that it can't have.",
    "EP-50",
    "EP-51",
    stated=(OPTIONS,),
)
def invalid_under_another_name(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """Report what would be wrong under the name that the document has for it (facts.md, K36)."""
    for other in _of_entity(registry, endpoint.entity):
        for fault in other.faults if other.hyphenated else ():
            help_ = f'{fault.help} The name is written "{other.meant}".'
            yield finding(*other.path, *fault.path[1:], message=fault.message, help=help_)


@rule(
    "endpoint",
    Severity.ERROR,
    "An endpoint states one option under two names, with two values.",
    "EP-37",
    stated=(OPTIONS,),
)
def option_under_two_names(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """Report what the document, which has one name for it, could not hold."""
    model = siblings(endpoint.entity.type.attributes, endpoint.attributes).get(OPTIONS)
    for path, other in _twice(model, endpoint.options, (OPTIONS,)) if model else ():
        message = (
            f'"{".".join(map(str, path[1:]))}" and "{other}" are two names of one option, and their values differ.'
        )
        yield finding(*path, message=message, help="Keep one of the two.", on_key=True)


@rule(
    "entity",
    Severity.WARNING,
    "The name of an envelope, protocol or schema language is nearly a predefined one.",
    "MSG-15",
    "MSG-19",
    "EP-17",
    stated=TABLES,
)
def misspelled_name(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Report what is taken for something of the author's own, of which nothing is known and nothing is checked."""
    for name, table in TABLES.items():
        value = entity.attributes.get(name)
        meant = closest_name(table, value) if isinstance(value, str) else ""
        if meant:
            message = f'"{value}" is no predefined name, so nothing is known of it.'
            yield finding(name, message=message, help=f'Did you mean "{names(table)[meant].example or meant}"?')


@dataclass(frozen=True, slots=True)
class _Other:
    """A name that the model doesn't know, where it stands, its value, and what is probably meant by it."""

    path: KeyPath
    value: Any
    meant: str
    model: AttributeModel

    @property
    def hyphenated(self) -> bool:
        """Whether it is nothing but another way to write what is meant: prose and samples leave hyphens out."""
        return "-" in self.meant and fold_name(str(self.path[-1])) == fold_name(self.meant)

    @property
    def faults(self) -> list[Finding]:
        """What would be wrong with the value if it stood under the name that is meant."""
        return check({self.meant: self.model}, {self.meant: self.value})


def _of_entity(registry: Registry, entity: Group | Resource) -> Iterator[_Other]:
    """Give the names that are nearly known ones in what an entity states."""
    if not isinstance(entity, Resource):
        yield from _misspelled(siblings(entity.type.attributes, entity.attributes), entity.attributes, ())
    elif not entity.xref:
        message = entity.type.plural == "messages"
        stated = registry.resolved(entity.xid).attributes if message else entity.written
        known = siblings(authored(entity.type), stated)
        for path, written in _written(entity):
            yield from _misspelled(known, written, path, entity.type.resourceattributes)


def _written(entity: Resource) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
    """Give what a resource states, with its place: a document may state it of each version."""
    yield (), entity.written
    versions = entity.written.get("versions")
    for name, written in versions.items() if isinstance(versions, MAPPINGS) else ():
        if isinstance(written, MAPPINGS):
            yield ("versions", name), written


def _misspelled(known: Models, value: Any, path: KeyPath, others: Models = NOTHING) -> Iterator[_Other]:
    """Give each such name inside a value; the known one is perhaps among the others."""
    for name, item in value.items():
        model = known.get(name)
        if model is None and _OTHER in known and name not in others:
            meant = next((each for each in (*known, *others) if each not in value and _is_meant(name, each)), "")
            if meant:
                yield _Other((*path, name), item, meant, known.get(meant) or others[meant])
        elif model is not None and _is_open(model):
            if model.item is None:
                yield from _inside(model, item, (*path, name))
            else:
                for index, each in enumerate(item if isinstance(item, list | tuple) else ()):
                    yield from _inside(model.item, each, (*path, name, index))


def _twice(model: AttributeModel, value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Give the path of each member of a value that another one states too, and the other's name."""
    if model.item is not None:
        for index, each in enumerate(value if isinstance(value, list | tuple) else ()):
            yield from _twice(model.item, each, (*path, index))
    for name, item in value.items() if isinstance(value, MAPPINGS) else ():
        if name == model.unwrap and isinstance(item, MAPPINGS):
            yield from (((*path, name, inner), inner) for inner in item if inner in value)
        elif (other := _other_name(name, model.attributes)) and value.get(other, item) != item:
            yield (*path, name), other
        elif name in model.attributes:
            yield from _twice(model.attributes[name], item, (*path, name))


def _other_name(name: str, known: Models) -> str:
    """Return the known name that a document has instead, empty where there is none."""
    if name in known:
        return _FORMER[name] if _FORMER.get(name) in known else ""
    return next((each for each in known if fold_name(each) == fold_name(name)), "")


def _is_meant(name: str, known: str) -> bool:
    return is_misspelled(name, known) or is_slip(name, known)


@lru_cache(maxsize=4096)
def _is_open(model: AttributeModel) -> bool:
    """Tell whether any name is allowed somewhere inside an attribute, other than as the members of a property."""
    if model.property:
        return False
    if model.item is not None:
        return model.type == "array" and _is_open(model.item)
    clauses = (clause for item in model.attributes.values() for clause in item.ifvalues.values())
    inner = (item for members in (model.attributes, *clauses) for item in members.values())
    return _OTHER in model.attributes or any(_is_open(item) for item in inner)


def _inside(model: AttributeModel, value: Any, path: KeyPath) -> Iterator[_Other]:
    if isinstance(value, MAPPINGS):
        yield from _misspelled(siblings(model.attributes, value), value, path)
