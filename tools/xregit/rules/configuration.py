"""The settings of the tool in ``xregit.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, SETTINGS_FILE
from xregit.diagnostics import Finding, Severity
from xregit.rules.rule import found, rule
from xregit.rules.stated import mapping, near

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.rules.rule import Chosen


@rule("settings", Severity.ERROR, "The settings, or a comment, name a rule that does not exist.")
def unknown_rule(_registry: Registry, chosen: Chosen) -> Iterator[Finding]:
    """Report names below ``rules`` and ``paths`` that no rule has; those in comments are found with the comments."""
    written = chosen.settings.written
    for path in (("rules",), *(("paths", pattern) for pattern in mapping(written, "paths"))):
        for name in mapping(written, *path):
            if name not in chosen.rules:
                help_ = near(name, chosen.rules) or '"xregit explain" lists all rules.'
                yield found(*path, name, message=f'There is no rule "{name}".', help=help_, on_key=True)
            elif chosen.rules[name] == "import":
                message = f'The severity of "{name}" is fixed: it is a rule of the import, not of the check.'
                yield found(*path, name, message=message, help="Remove the line.", on_key=True)


@rule("settings", Severity.WARNING, "The settings are about a part of the registry that is not there.")
def pattern_without_match(registry: Registry, chosen: Chosen) -> Iterator[Finding]:
    """Report patterns below ``paths`` that fit no file and no entity."""
    for scope in chosen.settings.paths:
        if not any(scope.covers(path, xid) for path, xid in _covered(registry)):
            message = f'Nothing in the registry is at "{scope.pattern}".'
            help_ = (
                "Write a path as the findings show it, or an xid with a slash before it; * is any part of a name, "
                "** any number of names."
            )
            yield found("paths", scope.pattern, message=message, help=help_, on_key=True)


def _covered(registry: Registry) -> Iterator[tuple[str, str]]:
    """Give the file and xid of all that findings may be about."""
    folder = registry.place.path.removesuffix(REGISTRY_FILE)
    yield from ((folder + name, "/") for name in (REGISTRY_FILE, SETTINGS_FILE, MODEL_FILE))
    yield from ((path, "/") for path in registry.broken)
    yield from ((group.place.path, group.xid) for group in registry.all_groups)
    for resource in registry.all_resources:
        yield resource.place.path, resource.xid
        for version in resource.versions.values():
            yield (version.document or version).place.path, version.xid
