"""References from one entity to another: base messages, aliases, replacements and deprecations."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.references import local_xid
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import BASE, SELECTORS, group_of
from xregit.catalog.views import Message
from xregit.diagnostics import Finding, Severity
from xregit.model.times import moment
from xregit.rules.agreement import unlike
from xregit.rules.attributes import mapping, near, text
from xregit.rules.rule import DATED, Dated, finding, rule
from xregit.xid import Xid

XREF, DEPRECATED, ENVELOPE = "xref", "deprecated", "envelope"
# core/spec.md, "xref": what an alias may hold besides its id, the latter two because servers write them.
ALIAS_META = frozenset({XREF, "epoch", "self", "xid"})
_GROUP_PARTS = 2
# Where the parts of an xid have the ids of a group and of a resource.
_GID, _ID = 2, 4


@rule("message", Severity.ERROR, "MSG-28", "MSG-2", attributes=(BASE,))
def basemessage_cycle(registry: Registry, message: Message) -> Iterator[Finding]:
    """A message is its own base message, directly or through others."""
    # A cycle once, on that of its messages that comes first.
    cycle = registry.resolved(message.xid).cycle[:-1]
    if cycle and message.xid == min(cycle):
        start = cycle.index(message.xid)
        chain = " → ".join((*cycle[start:], *cycle[:start], message.xid))
        yield finding(BASE, message=f"The base messages form a cycle: {chain}.", help="Remove one of these references.")


@rule("message", Severity.WARNING, "MSG-30", "MSG-25", attributes=(BASE,))
def basemessage_not_found(registry: Registry, message: Message) -> Iterator[Finding]:
    """A base message is not in this registry."""
    # References into this registry that lead nowhere; those to other registries are never looked at.
    base = message.base
    if base.startswith("/"):
        target = registry.resource(base)
        if (target is None and not registry.unreadable(base)) or (target and target.type is not message.entity.type):
            yield finding(
                BASE, message=f'There is no message "{base}".', help=hint(registry, base, "the message", message.xid)
            )


@rule("resource", Severity.ERROR, attributes=(XREF,))
def malformed_xref(registry: Registry, resource: Resource) -> Iterator[Finding]:
    """An xref is not the xid of a resource."""
    # An "xref" that names a group, a version, or a type that the model doesn't have.
    target = _xref(resource)
    if target is None:
        return
    model = registry.model.groups.get(target.groups)
    if not target.resource or target.version or target.meta or not model or target.resources not in model.resources:
        message = f'"{target}" is not the xid of a resource.'
        plural = resource.type.plural
        help_ = f'Write the xid of the {resource.type.singular}, as "/<groups>/<id>/{plural}/<id>".'
        yield finding(XREF, message=message, help=help_)


@rule("resource", Severity.ERROR, attributes=(XREF,))
def xref_to_another_type(registry: Registry, resource: Resource) -> Iterator[Finding]:
    """An alias has a target of another type."""
    target = _xref(resource)
    model = registry.model.groups.get(target.groups) if target else None
    if target is None or model is None or not target.resource:
        return
    kind = model.resources.get(target.resources)
    if kind is not None and kind is not resource.type:
        message = f'A {resource.type.singular} can\'t be an alias of a {kind.singular}: "{target}".'
        yield finding(XREF, message=message, help=f"Point to a {resource.type.singular}.")


@rule("resource", Severity.WARNING, attributes=(XREF,))
def xref_not_found(registry: Registry, resource: Resource) -> Iterator[Finding]:
    """The target of an alias is not in this registry."""
    if resource.xref and (kind := _target_singular(registry, resource)) and _is_missing(registry, resource.xref):
        message = f'There is no {kind} "{resource.xref}".'
        yield finding(XREF, message=message, help=hint(registry, resource.xref, f"the {kind}", resource.xid))


@rule("resource", Severity.WARNING, attributes=(XREF,))
def xref_to_alias(registry: Registry, resource: Resource) -> Iterator[Finding]:
    """An alias has another alias as its target."""
    # An alias of an alias: it shows nothing, because an "xref" is followed only once.
    target = registry.entity(resource.xref) if resource.xref and _target_singular(registry, resource) else None
    if isinstance(target, Resource) and target.xref:
        message = f'"{target.xid}" is itself an alias, of "{target.xref}"; it is not followed any further.'
        help_ = f'Point to "{target.xref}".' if target.xref != resource.xid else "Describe one of the two."
        if target is resource:
            message, help_ = (
                "This alias refers to itself.",
                "Point to another one, or remove xref.",
            )
        yield finding(XREF, message=message, help=help_)


@rule("resource", Severity.ERROR, attributes=(XREF,))
def xref_with_other_attributes(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """An alias states attributes of its own."""
    # What stands beside an "xref": the target's attributes count, and nothing else may.
    if not resource.xref:
        return
    others: list[tuple[str, ...]] = [(name,) for name in resource.definition if name not in {XREF, "meta"}]
    others += [("meta", name) for name in mapping(resource.definition, "meta") if name not in ALIAS_META]
    if others:
        names = ", ".join(f'"{path[-1]}"' for path in others)
        message = f"An alias has no attributes of its own, but this one states {names}."
        help_ = 'Remove them, or replace "xref" by "basemessage" to derive from the other message.'
        plain = "Remove them, or the xref."
        yield finding(
            *others[0], message=message, help=help_ if resource.type.singular == "message" else plain, on_key=True
        )


@rule("resource", Severity.ERROR, "MSG-32", "MSG-20", attributes=(XREF,))
def xref_unfit_for_group(registry: Registry, resource: Resource) -> Iterator[Finding]:
    """The group of an alias has another envelope or protocol."""
    if not resource.xref or resource.type.singular != "message" or not _target_singular(registry, resource):
        return
    target, group = registry.resource(resource.xref), group_of(registry, resource)
    if target is None or group is None or target.xref:
        return
    for message, help_ in _unfit(registry, target, group):
        yield finding(XREF, message=message, help=help_)


def _unfit(registry: Registry, target: Resource, group: Group) -> Iterator[tuple[str, str]]:
    """Yield why a message can't be in a group, each with what helps."""
    attributes = registry.resolved(target.xid).attributes
    for selector in SELECTORS:
        expected, value = text(group.attributes, selector), text(attributes, selector)
        if expected and value and unlike(group, selector, value):
            message = f'The {selector} of "{target.xid}" is {value}, but all messages of "{group.xid}" have {expected}.'
            yield message, f"Put the alias into a group with that {selector}, or without one."
    expected = text(group.attributes, ENVELOPE)
    # A message without protocol goes by any; one without envelope has none, and an alias can't add it.
    if expected and ENVELOPE not in {*attributes, *registry.doubtful(target.xid)}:
        message = f'"{target.xid}" has no envelope, but all messages of "{group.xid}" have {expected}.'
        yield message, "Put the alias into a group without envelope, or derive from the message by basemessage."


@rule("entity", Severity.WARNING, "MSG-8", attributes=(DEPRECATED,))
def alternative_not_found(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """The alternative of a deprecation is not in this registry."""
    # An "alternative" that points into this registry and leads nowhere.
    xid = _alternative(registry, entity)
    if len(xid.split("/")) > _GROUP_PARTS and _is_missing(registry, xid):
        message = f'There is no "{xid}" in this registry.'
        yield finding(
            DEPRECATED, "alternative", message=message, help=hint(registry, xid, "the alternative", entity.xid)
        )


@rule("entity", Severity.WARNING, "MSG-8", attributes=(DEPRECATED,))
def alternative_leads_back(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """The alternative of a deprecation leads back to the deprecated entity."""
    # Alternatives in a cycle once, on the one of them that comes first.
    cycle = list(alternatives(registry, entity))
    if entity.xid in cycle and entity.xid == min(cycle):
        chain = " → ".join((entity.xid, *cycle))
        message = f"The chain of alternatives leads back to this {entity.type.singular}: {chain}."
        yield finding(DEPRECATED, "alternative", message=message, help="Name what to use instead, or remove it.")


def alternatives(registry: Registry, entity: Group | Resource) -> Iterator[str]:
    """Yield the xids of what takes an entity's place, of what takes that one's, and so on, each once."""
    xids: set[str] = set()
    current: object = entity
    while isinstance(current, Group | Resource):
        xid = _alternative(registry, current)
        if not xid or xid in xids:
            return
        xids.add(xid)
        yield xid
        current = registry.entity(xid)


def _alternative(registry: Registry, entity: Group | Resource) -> str:
    deprecated = (entity.meta if isinstance(entity, Resource) else entity.attributes).get(DEPRECATED)
    return local_xid(text(deprecated, "alternative"), registry.settings.baseurl)


def _is_missing(registry: Registry, xid: str) -> bool:
    return registry.entity(xid) is None and not registry.unreadable(xid)


def _xref(resource: Resource) -> Xid | None:
    """Return the xref's parts; None where there is none, or one that the model's check finds malformed."""
    xref = resource.xref
    if not xref:
        return None
    try:
        return Xid.parse(xref)
    except ValueError:
        return None


def _target_singular(registry: Registry, resource: Resource) -> str:
    """Return the type's name if the xref leads to the alias's own type, else an empty text."""
    target = _xref(resource)
    model = registry.model.groups.get(target.groups) if target else None
    if target is None or model is None or not target.resource or target.version or target.meta:
        return ""
    return resource.type.singular if model.resources.get(target.resources) is resource.type else ""


def hint(registry: Registry, xid: str, what: str, own: str = "") -> str:
    """Return a hint on what a reference to nothing may have meant: a type, something beside its place, or a group.

    What has the reference, whose xid is its ``own``, is never meant.
    """
    parts, own_parts = xid.split("/"), own.split("/")
    _, groups, gid, plural, id_ = (*parts, "", "", "", "")[: _ID + 1]
    type_ = registry.model.groups.get(groups)
    if type_ is None:
        return near(groups, registry.model.groups) or _default_hint(what)
    groups_of_type = registry.groups.get(groups, {})
    group = groups_of_type.get(gid)
    if group is not None and plural not in type_.resources:
        return near(plural, type_.resources) or _default_hint(what)
    place, name = (_GID, gid) if group is None else (_ID, id_)
    choices: Collection[str] = groups_of_type if group is None else group.collections.get(plural, {})
    alike = parts[:place] == own_parts[:place] and parts[place + 1 :] == own_parts[place + 1 :]
    guess = near(name, choices, "".join(own_parts[place : place + 1]) if alike else "")
    return guess or _default_hint(what)


def _default_hint(what: str) -> str:
    return f"Add {what}, or correct the reference."


@rule("entity", Severity.ERROR, attributes=(DEPRECATED,))
def removal_before_effective(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """An entity's removal date is before its deprecation date."""
    deprecated = _deprecated(entity)
    effective, removal = moment(text(deprecated, "effective")), moment(text(deprecated, "removal"))
    if effective and removal and removal < effective:
        message = (
            f"It is deprecated from {text(deprecated, 'effective')}, but removed at {text(deprecated, 'removal')}."
        )
        yield finding(DEPRECATED, "removal", message=message, help="Make the removal the later of the two times.")


@rule(DATED, Severity.WARNING, attributes=(DEPRECATED,))
def removal_date_passed(_registry: Registry, dated: Dated) -> Iterator[Finding]:
    """An entity still exists after its removal date."""
    removal = moment(text(_deprecated(dated.entity), "removal"))
    if removal and removal.date() < dated.today:
        message = f"Its removal date, {removal.date()}, has passed."
        help_ = "Remove it, or move the date if it is still in use."
        yield finding(DEPRECATED, "removal", message=message, help=help_)


@rule(DATED, Severity.INFO, "MSG-8", attributes=(DEPRECATED,))
def deprecated_message_carried(registry: Registry, dated: Dated) -> Iterator[Finding]:
    """An endpoint still carries a message that is deprecated."""
    # A message once, by the endpoints that carry it and are not deprecated themselves.
    entity, deprecated = dated.entity, _deprecated(dated.entity)
    if deprecated is None or entity.type.singular != "message":
        return
    since = moment(text(deprecated, "effective"))
    if since and since.date() > dated.today:
        return
    carriers = dict.fromkeys(xid for xid, _ in registry.indexes.carriers.get(entity.xid, ()))
    current = [xid for xid in carriers if _deprecated(registry.groups["endpoints"][xid.rpartition("/")[2]]) is None]
    if current:
        more = f" and {len(current) - 1} more" if len(current) > 1 else ""
        message = f'It is deprecated, but still carried by "{current[0]}"{more}.'
        help_ = "Remove it from the endpoint, or accept the finding in a comment that says how long it stays."
        yield finding(DEPRECATED, message=message, help=help_, on_key=True)


def _deprecated(entity: Group | Resource) -> Any:
    return (entity.meta if isinstance(entity, Resource) else entity.attributes).get(DEPRECATED)
