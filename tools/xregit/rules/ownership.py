"""Whether everything has an owner, in a repository that names owners."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xregit.catalog import owners
from xregit.diagnostics import Finding, Severity
from xregit.rules.rule import Rule, found, rule

if TYPE_CHECKING:
    from xregit.catalog.entities import Group
    from xregit.catalog.registry import Registry

malformed_codeowners = Rule(owners.RULE, "text", Severity.WARNING, "A line of CODEOWNERS can't be used.")


@rule("group", Severity.WARNING, "A group has no owner, though the repository names owners.")
def group_without_owner(registry: Registry, group: Group) -> Iterator[Finding]:
    """Report a group whose file no line of CODEOWNERS gives to somebody."""
    if not registry.owners.usable or registry.owners.of(group.place.path):
        return
    folder = group.place.path.rpartition("/")[0]
    message = f"No line of {registry.owners.path} names an owner of the {group.type.singular}."
    yield found(message=message, help=f'Add a line such as "/{folder}/ @your-team".', on_key=True)
