"""What a rule is: a declaration with a small function that finds one kind of fault in one kind of entity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.registry import Registry
from xregit.catalog.settings import Settings
from xregit.catalog.views import Message
from xregit.diagnostics import Finding, Severity
from xregit.messages.overlap import Overlap

# What the page of each rule about a change ends with.
_WAIVER = """\
## When it is intended

A waiver lets the change through. Merge it before the change, so that its approver reviews it on its own:

```yaml
# waivers.yaml
waivers:
  - xid: /messagegroups/fleet/messages/fleet.position
    rule: {rule}
    reason: Why no client breaks.
    approvedby: Who agreed to it.
    until: "2030-12-31"
```
"""
_DOCS = Path(__file__).parent / "docs"

Check = Callable[["Registry", Any], Iterable[Finding]]

# What a rule can be about. "text" and "model" are found while reading and by the model's interpreter; an "entity" is a
# "group" or a "resource" of any type, "settings" are those of xregit.yaml. Aliases are resources and entities only.
# "import" is found when documents become files, and never by a check; "suppression" is about comments that accept a
# finding. What is "dated" is an entity, and the date of the day on which it is checked. A "change" is what happened
# between two states of a registry, which `xregit.changes` looks into; "waivers" are those of waivers.yaml. A "sound
# message" is one of a registry in which nothing is an error: only then can messages be compared.
DATED, SOUND = "dated", "sound message"
ABOUT = (
    "text", "model", "import", "suppression", "settings", "waivers", "entity", DATED, "group", "resource",
    "messagegroup", "message", SOUND, "endpoint", "schema", "change",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dated:
    """An entity on the day on which it is checked."""

    entity: Group | Resource
    today: date


@dataclass(frozen=True, slots=True)
class DatedWaivers:
    """The waivers on the day on which they are checked, if that is known."""

    waivers: Sequence[Any]
    today: date | None


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """The settings, and what each rule is about, by its name."""

    settings: Settings
    rules: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ComparedMessage:
    """A message, and its pairs with messages before it that one message can fit as well, whatever its payload."""

    message: Message
    overlaps: tuple[Overlap, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """One rule: its name says what is wrong, ``requirements`` are IDs of the requirements table that it enforces.

    ``check`` takes the registry and one entity, as its view where there is one; a rule about "text", "model",
    "import" or "suppression" has none, since others find these. It is asked only about entities that state one of
    the ``attributes`` themselves, and about messages with the envelope or protocol of ``selector``, if any are named;
    so it need not look whether that is so. What is ``waivable`` can be let through by a waiver.
    """

    name: str
    about: str
    severity: Severity
    summary: str
    requirements: tuple[str, ...] = ()
    check: Check | None = None
    attributes: frozenset[str] = frozenset()
    selector: tuple[str, str] = ("", "")
    waivable: bool = False

    @property
    def doc(self) -> str:
        """The rule's page: why it exists, a bad and a good example, as Markdown."""
        # "error" marks the place for the tests; a reader may take it for the severity, which is often another.
        text = (_DOCS / f"{self.name}.md").read_text(encoding="utf-8")
        page = re.sub("(#|//) error$", r"\1 found here", text, flags=re.MULTILINE)
        return f"{page.rstrip()}\n\n{_WAIVER.format(rule=self.name)}" if self.waivable else page


def rule(
    about: str,
    severity: Severity,
    *requirements: str,
    attributes: Iterable[str] = (),
    selector: tuple[str, str] = ("", ""),
) -> Callable[[Check], Rule]:
    """Make a `Rule` of a function, with its name, in hyphens, its docstring as summary, and itself as ``check``."""

    def declare(check: Check) -> Rule:
        name, summary = getattr(check, "__name__", "").replace("_", "-"), check.__doc__ or ""
        return Rule(name, about, severity, summary, requirements, check, frozenset(attributes), selector)

    return declare


def finding(*path: str | int, message: str, help: str, on_key: bool = False) -> Finding:  # noqa: A002
    """Return a finding at the path inside the entity that a rule is about; the runner adds the rule's name."""
    return Finding("", path, message, help, on_key=on_key)
