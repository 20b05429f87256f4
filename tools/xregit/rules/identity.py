"""Ids of groups, resources and versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group, Resource
from xregit.diagnostics import Finding, Severity
from xregit.model.quoting import cut
from xregit.rules.rule import found, rule
from xregit.xid import MAX_ID_CHARS, is_id

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

RESERVED_VERSIONS = frozenset({"null", "request"})
_FORM = (
    f"An id has letters, digits and - . _ ~ : @, begins with a letter, a digit or _, and has at most {MAX_ID_CHARS} "
    "characters."
)


@rule("entity", Severity.ERROR, "An id has characters that ids can't have, is too long, or is reserved.")
def malformed_id(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Report the ids of groups, resources and versions that servers refuse."""
    if not is_id(entity.id):
        yield found(
            message=f'"{cut(entity.id, MAX_ID_CHARS)}" can\'t be an id.', help=f"Rename it. {_FORM}", on_key=True
        )
    # An id stated as "versionid" is an attribute, which the model checks.
    if isinstance(entity, Resource) and "versionid" not in entity.written:
        for vid in entity.versions:
            if vid in RESERVED_VERSIONS:
                message = f'"{vid}" can\'t be the id of a version: the word is reserved.'
                yield found("versions", vid, message=message, help="Choose another version id.", on_key=True)
            elif not is_id(vid):
                message = f'"{cut(vid, MAX_ID_CHARS)}" can\'t be the id of a version.'
                yield found("versions", vid, message=message, help=f"Rename it. {_FORM}", on_key=True)


@rule("entity", Severity.ERROR, "Two ids beside each other differ only in case.")
def ids_differ_only_in_case(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Report an entity if the id of a sibling before it is the same but for case."""
    for twin in [other for other in registry.lookalikes.get(entity.xid, ()) if other < entity.xid][:1]:
        message = f'The id "{entity.id}" differs only in case from that of "{twin}".'
        yield found(message=message, help="Rename one of the two, or merge them.", on_key=True)


@rule("resource", Severity.WARNING, "A resource has more versions than its type keeps.", "MSG-6", "MSG-24")
def too_many_versions(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """Report versions that a server would drop, such as those of a message."""
    limit = resource.type.maxversions
    if 0 < limit < len(resource.versions):
        message = f"There are {len(resource.versions)} versions, but a {resource.type.singular} has at most {limit}."
        help_ = f'Make each a {resource.type.singular} of its own, and mark the old one as "deprecated".'
        yield found("versions", message=message, help=help_, on_key=True)
