"""The settings of the tool in ``xregit.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xregit.diagnostics import Finding, Severity
from xregit.rules.rule import found, rule
from xregit.rules.stated import mapping, near

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.catalog.settings import Settings


@rule("settings", Severity.ERROR, "The settings name a rule that does not exist.")
def unknown_rule(_registry: Registry, settings: Settings) -> Iterator[Finding]:
    """Report names below ``rules`` that no rule has."""
    from xregit.rules.listed import RULES  # this rule is in it

    names = {item.name: item.about for item in RULES}
    for name in mapping(settings.written, "rules"):
        if name not in names:
            help_ = near(name, names) or '"xregit explain" lists all rules.'
            yield found("rules", name, message=f'There is no rule "{name}".', help=help_, on_key=True)
        elif names[name] == "import":
            message = f'The severity of "{name}" is fixed: it is a rule of the import, not of the check.'
            yield found("rules", name, message=message, help="Remove the line.", on_key=True)
