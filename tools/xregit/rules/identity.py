"""Ids, owners and the settings of the tool."""

from __future__ import annotations

from collections.abc import Iterator

from xregit.catalog import codeowners
from xregit.catalog.entities import Group, Resource
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, SETTINGS_FILE
from xregit.catalog.registry import Registry
from xregit.diagnostics import Finding, Severity
from xregit.model.excerpts import cut
from xregit.rules.attributes import mapping, near
from xregit.rules.rule import Rule, RuleSettings, finding, rule
from xregit.xid import MAX_ID_CHARS, is_id

RESERVED_VERSIONS = frozenset({"null", "request"})
_FORM = (
    f"An id consists of letters, digits and - . _ ~ : @, begins with a letter, a digit or _, and has at most "
    f"{MAX_ID_CHARS} characters."
)


@rule("entity", Severity.ERROR)
def malformed_id(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """An id has characters that ids can't have, is too long, or is reserved."""
    if not is_id(entity.id):
        yield finding(
            message=f'"{cut(entity.id, MAX_ID_CHARS)}" is not a valid id.', help=f"Rename it. {_FORM}", on_key=True
        )
    # An id stated as "versionid" is an attribute, which the model checks.
    if isinstance(entity, Resource) and "versionid" not in entity.definition:
        for vid in entity.versions:
            if vid in RESERVED_VERSIONS:
                message = f'"{vid}" is not a valid version id: the word is reserved.'
                yield finding("versions", vid, message=message, help="Choose another version id.", on_key=True)
            elif not is_id(vid):
                message = f'"{cut(vid, MAX_ID_CHARS)}" is not a valid version id.'
                yield finding("versions", vid, message=message, help=f"Rename it. {_FORM}", on_key=True)


@rule("entity", Severity.ERROR)
def ids_differ_only_in_case(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Two ids beside each other differ only in case."""
    for twin in [other for other in registry.lookalikes.get(entity.xid, ()) if other < entity.xid][:1]:
        message = f'The id "{entity.id}" differs from the id of "{twin}" only in case.'
        yield finding(message=message, help="Rename one of the two, or merge them.", on_key=True)


@rule("resource", Severity.WARNING, "MSG-6", "MSG-24")
def too_many_versions(_registry: Registry, resource: Resource) -> Iterator[Finding]:
    """A resource has more versions than its type keeps."""
    # Versions that a server would drop, such as those of a message.
    limit = resource.type.maxversions
    if 0 < limit < len(resource.versions):
        message = f"There are {len(resource.versions)} versions, but a {resource.type.singular} has at most {limit}."
        help_ = f'Make each version a separate {resource.type.singular}, and mark the old one as "deprecated".'
        yield finding("versions", message=message, help=help_, on_key=True)


malformed_codeowners = Rule(codeowners.RULE, "text", Severity.WARNING, "A line of CODEOWNERS is not valid.")


@rule("group", Severity.WARNING)
def group_without_owner(registry: Registry, group: Group) -> Iterator[Finding]:
    """A group has no owner, though the repository names owners."""
    # A group whose file no line of CODEOWNERS gives to somebody.
    if not registry.owners.usable or registry.owners.of(group.place.path):
        return
    *registry_folder, _, name, _ = group.place.path.split("/")
    pattern = "/".join(("", *registry_folder, "*", name, ""))
    message = f"No line of {registry.owners.path} names an owner of the {group.type.singular}."
    yield finding(message=message, help=f'Add a line such as "{pattern} @your-team".', on_key=True)


@rule("settings", Severity.ERROR)
def unknown_rule(_registry: Registry, subject: RuleSettings) -> Iterator[Finding]:
    """The settings, or a comment, name a rule that does not exist."""
    # Names below "rules" and "paths" that no rule has; those in comments are found with the comments.
    settings = subject.settings.raw
    for path in (("rules",), *(("paths", pattern) for pattern in mapping(settings, "paths"))):
        for name in mapping(settings, *path):
            if name not in subject.rules:
                help_ = near(name, subject.rules) or '"xregit explain" lists all rules.'
                yield finding(*path, name, message=f'There is no rule "{name}".', help=help_, on_key=True)
            elif subject.rules[name] == "import":
                message = f'The severity of "{name}" is fixed: it is a rule of the import, not of the check.'
                yield finding(*path, name, message=message, help="Remove the line.", on_key=True)


@rule("settings", Severity.WARNING)
def pattern_without_match(registry: Registry, subject: RuleSettings) -> Iterator[Finding]:
    """The settings name a part of the registry that does not exist."""
    # Patterns below "paths" that fit no file and no entity.
    for scope in subject.settings.paths:
        if not any(scope.covers(path, xid) for path, xid in _covered(registry)):
            message = f'"{scope.pattern}" matches nothing in the registry.'
            help_ = (
                "Write a path as the findings show it, or an xid with a leading slash; * matches any part of a name, "
                "** any number of names."
            )
            yield finding("paths", scope.pattern, message=message, help=help_, on_key=True)


@rule("settings", Severity.WARNING)
def domainlabel_not_found(registry: Registry, subject: RuleSettings) -> Iterator[Finding]:
    """The settings name a label for domains that no group has."""
    name = subject.settings.domainlabel
    if name and not any(name in mapping(group.attributes, "labels") for group in registry.all_groups):
        labels = {label for group in registry.all_groups for label in mapping(group.attributes, "labels")}
        message = f'No group has the label "{name}", so each domain is named after the beginning of its ids.'
        help_ = near(name, labels) or f'Add "{name}" to the labels of a group, or remove the setting.'
        yield finding("domainlabel", message=message, help=help_)


def _covered(registry: Registry) -> Iterator[tuple[str, str]]:
    """Yield the file and xid of all that findings may be about."""
    folder = registry.place.path.removesuffix(REGISTRY_FILE)
    yield from ((folder + name, "/") for name in (REGISTRY_FILE, SETTINGS_FILE, MODEL_FILE))
    yield from ((path, "/") for path in registry.broken)
    yield from ((group.place.path, group.xid) for group in registry.all_groups)
    for resource in registry.all_resources:
        yield resource.place.path, resource.xid
        for version in resource.versions.values():
            yield (version.document or version).place.path, version.xid
