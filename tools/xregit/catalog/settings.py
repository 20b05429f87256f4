"""``registry/xregit.yaml`` to the settings of the tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from xregit.model.language import NOTHING


def _nothing() -> Mapping[str, Any]:
    return NOTHING


@dataclass(frozen=True, slots=True)
class Settings:
    """What a repository may set.

    ``rules`` maps a rule's name to ``error``, ``warning``, ``info`` or ``off``; ``baseurl`` is where the static API
    will be served; ``repository`` is the web address of the repository, for edit links; ``written`` is all of the file.
    """

    rules: Mapping[str, str] = field(default_factory=_nothing)
    baseurl: str = ""
    repository: str = ""
    branch: str = "main"
    title: str = ""
    written: Mapping[str, Any] = field(default_factory=_nothing)


def settings_of(value: Mapping[str, Any]) -> Settings:
    """Return the settings that a checked ``xregit.yaml`` states; what has the wrong type is left at its default."""
    stated = value.get("rules")
    rules = (
        {name: level for name, level in stated.items() if _is_text(level)} if isinstance(stated, Mapping) else NOTHING
    )
    texts = {name: value[name] for name in ("baseurl", "repository", "branch", "title") if _is_text(value.get(name))}
    return Settings(rules=rules, written=value, **texts)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""
