"""When things are announced to go away, and what replaces them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.diagnostics import Finding, Severity
from xregit.model.times import moment
from xregit.rules.rule import DATED, Dated, found, rule
from xregit.rules.stated import text

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

DEPRECATED = "deprecated"


@rule("entity", Severity.ERROR, "Something goes away before it is deprecated.", stated=(DEPRECATED,))
def removal_before_effective(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Report a ``removal`` that lies before ``effective``."""
    stated = _deprecated(entity)
    effective, removal = moment(text(stated, "effective")), moment(text(stated, "removal"))
    if effective and removal and removal < effective:
        message = f"It is deprecated from {text(stated, 'effective')}, but removed at {text(stated, 'removal')}."
        yield found(DEPRECATED, "removal", message=message, help="Let the removal be the later of the two times.")


@rule(DATED, Severity.WARNING, "Something is still there after the date of its removal.", stated=(DEPRECATED,))
def removal_date_passed(_registry: Registry, dated: Dated) -> Iterator[Finding]:
    """Report a ``removal`` before today."""
    removal = moment(text(_deprecated(dated.entity), "removal"))
    if removal and removal.date() < dated.today:
        message = f"It was to be removed on {removal:%Y-%m-%d}, and is still there."
        help_ = "Remove it, or move the date if it is still in use."
        yield found(DEPRECATED, "removal", message=message, help=help_)


@rule(DATED, Severity.INFO, "An endpoint still carries a message that is deprecated.", "MSG-8", stated=(DEPRECATED,))
def deprecated_message_carried(registry: Registry, dated: Dated) -> Iterator[Finding]:
    """Report a message once, by the endpoints that carry it and are not deprecated themselves."""
    entity, stated = dated.entity, _deprecated(dated.entity)
    if stated is None or entity.type.singular != "message":
        return
    since = moment(text(stated, "effective"))
    if since and since.date() > dated.today:
        return
    carriers = dict.fromkeys(xid for xid, _ in registry.indexes.carriers.get(entity.xid, ()))
    current = [xid for xid in carriers if _deprecated(registry.groups["endpoints"][xid.rpartition("/")[2]]) is None]
    if current:
        more = f" and {len(current) - 1} more" if len(current) > 1 else ""
        message = f'It is deprecated, but still carried by "{current[0]}"{more}.'
        help_ = "Take it out of what the endpoint carries; or say, in a comment that accepts this, until when it stays."
        yield found(DEPRECATED, message=message, help=help_, on_key=True)


def _deprecated(entity: Group | Resource) -> Any:
    return (entity.meta if isinstance(entity, Resource) else entity.attributes).get(DEPRECATED)
