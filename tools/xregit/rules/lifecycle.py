"""When things are announced to go away, and what replaces them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group, Resource
from xregit.diagnostics import Finding, Severity
from xregit.rules.rule import found, rule
from xregit.rules.stated import text

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


@rule("entity", Severity.ERROR, "Something goes away before it is deprecated.")
def removal_before_effective(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Report a ``removal`` that lies before ``effective``."""
    stated = (entity.meta if isinstance(entity, Resource) else entity.attributes).get("deprecated")
    if stated is None:
        return
    effective, removal = _time(text(stated, "effective")), _time(text(stated, "removal"))
    if effective and removal and removal < effective:
        message = f"It is deprecated from {text(stated, 'effective')}, but removed at {text(stated, 'removal')}."
        yield found("deprecated", "removal", message=message, help="Let the removal be the later of the two times.")


def _time(written: str) -> datetime | None:
    """Return the time, taken as UTC where it has no zone; None for what the model reports as no time."""
    try:
        time = datetime.fromisoformat(written)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
