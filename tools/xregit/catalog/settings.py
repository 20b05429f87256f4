"""The settings of the tool, from ``registry/xregit.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from xregit.catalog.codeowners import settings_regex
from xregit.model.datatypes import is_nonempty_text
from xregit.model.files import SPECVERSION
from xregit.model.language import NOTHING, nothing

TEXTS = ("baseurl", "profile", "repository", "branch", "title", "domainlabel")
# Each finding is held against each of them.
MAX_PATHS = 100


@dataclass(frozen=True)
class RuleSeverities:
    """Severities of rules in a part of the registry; a ``pattern`` that begins with a slash is for xids, not paths."""

    pattern: str
    rules: Mapping[str, str]

    def covers(self, path: str, xid: str) -> bool:
        """Return whether an entity, or the file that it stands in, is what the pattern names or below that."""
        return bool(self._regex.fullmatch(xid if self.pattern.startswith("/") else path))

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return settings_regex(self.pattern)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a repository may set.

    ``rules`` maps a rule's name to ``error``, ``warning``, ``info`` or ``off``, ``paths`` does so for parts of the
    registry, in their order and at most `MAX_PATHS` of them; ``baseurl`` is where the static API will be served;
    ``profile`` is the specification version that it and the document are written in; ``repository`` is the web address
    of the repository, for edit links; ``domainlabel`` is the label of groups that names their domain; ``raw`` is all of
    the file.
    """

    rules: Mapping[str, str] = field(default_factory=nothing)
    paths: tuple[RuleSeverities, ...] = ()
    baseurl: str = ""
    profile: str = SPECVERSION
    repository: str = ""
    branch: str = "main"
    title: str = ""
    domainlabel: str = ""
    raw: Mapping[str, Any] = field(default_factory=nothing)

    def level(self, rule: str, path: str, xid: str) -> str:
        """Return what is set for a rule's findings in a file and about an entity; nothing where nothing is."""
        level = self.rules.get(rule, "")
        for scope in self.paths:
            if rule in scope.rules and scope.covers(path, xid):
                level = scope.rules[rule]
        return level

    def levels(self, rule: str) -> Iterator[str]:
        """Yield what is set for a rule in all of the registry, nothing where nothing is, and in each of its parts."""
        yield self.rules.get(rule, "")
        yield from (scope.rules[rule] for scope in self.paths if rule in scope.rules)


def settings_of(value: Mapping[str, Any]) -> Settings:
    """Return the settings that a checked ``xregit.yaml`` states; what has the wrong type is left at its default."""
    texts = {name: value[name] for name in TEXTS if is_nonempty_text(value.get(name))}
    paths = value.get("paths")
    scopes = (
        [RuleSeverities(str(pattern), _levels(rules)) for pattern, rules in islice(paths.items(), MAX_PATHS)]
        if isinstance(paths, Mapping)
        else ()
    )
    return Settings(rules=_levels(value.get("rules")), paths=tuple(scopes), raw=value, **texts)


def _levels(rules: Any) -> Mapping[str, str]:
    if not isinstance(rules, Mapping):
        return NOTHING
    return {name: level for name, level in rules.items() if is_nonempty_text(level)}
