"""What may be wrong with a change, declared as rules without a check: `xregit.changes` finds it.

Errors are changes that break somebody, warnings those that may; a change that breaks nobody is no finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding, Severity
from xregit.rules.rule import Rule, found, rule
from xregit.rules.stated import near

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

CHANGE, WAIVERS = "change", "waivers"


def _declared(severity: Severity, rules: Mapping[str, tuple[str, str]]) -> tuple[Rule, ...]:
    return tuple(
        Rule(name, CHANGE, severity, summary, (requirement,) if requirement else ())
        for name, (requirement, summary) in rules.items()
    )


BREAKS = _declared(
    Severity.ERROR,
    {
        "definition-removed": ("MSG-8", "A definition is gone, and its removal was not announced for an earlier day."),
        "made-draft": ("MSG-7", "A group that others may rely on becomes a draft."),
        "envelope-changed": ("MSG-7", "A definition has another envelope than before."),
        "protocol-changed": ("MSG-7", "A definition is bound to another protocol than before."),
        "protocol-dropped": ("MSG-7", "A definition is no longer bound to a protocol."),
        "mode-changed": ("MSG-7", "Events are sent in another mode or format than before."),
        "property-newly-required": ("MSG-7", "A property must be sent that need not be sent before."),
        "property-no-longer-sent": ("MSG-7", "A property may be missing that was always sent."),
        "value-changed": ("MSG-7", "A property has another value than before."),
        "value-narrowed": ("MSG-7", "A property may have fewer values than before."),
        "value-widened": ("MSG-7", "A property may have more values than before."),
        "address-moved": ("MSG-7", "A topic, subject, key or path is another one than before."),
        "type-changed": ("MSG-7", "A property has another type than before."),
        "type-narrowed": ("MSG-7", "A property has a type with fewer values than before."),
        "type-widened": ("MSG-7", "A property has a type with more values than before."),
        "payload-changed": ("MSG-7", "A payload's schema fits the old one no longer."),
        "payload-no-longer-described": ("MSG-7", "A payload has no schema any more."),
        "contract-left": ("EP-38", "Messages leave the contract of an endpoint."),
        "usage-dropped": ("EP-3", "An endpoint can no longer be used for what it was."),
        "endpoint-address-removed": ("EP-23", "An address of an endpoint is gone."),
        "authorization-dropped": ("EP-25", "A way to be admitted to an endpoint is gone."),
        "endpoint-not-live": ("EP-34", "An endpoint is no longer live."),
    },
)

UNCLEAR = _declared(
    Severity.WARNING,
    {
        "payload-described": ("MSG-7", "A payload has a schema that had none; what is sent already may not fit."),
        "payload-unclear": ("MSG-7", "A payload's schema changes, and whether old and new fit can't be told."),
        "option-changed": ("EP-22", "An option of an endpoint changes, and what that does can't be told."),
    },
)

OF_WAIVERS = (
    *_declared(Severity.INFO, {"waiver-used": ("", "A waiver lets a change through.")}),
    *_declared(
        Severity.WARNING,
        {
            "waiver-expired": ("", "A waiver would let a change through, but its last day is over."),
            "waiver-unneeded": ("", "A waiver lets nothing through."),
        },
    ),
)

RULES = (*BREAKS, *UNCLEAR, *OF_WAIVERS)
WAIVABLE = frozenset(item.name for item in (*BREAKS, *UNCLEAR))


@rule(WAIVERS, Severity.ERROR, "A waiver names a rule that does not exist, or that it can't let through.")
def unknown_rule_waived(_registry: Registry, stated: Mapping[str, Any]) -> Iterator[Finding]:
    """Report waivers of rules that are not about changes."""
    listed = stated.get("waivers")
    for index, waiver in enumerate(listed if isinstance(listed, list | tuple) else ()):
        name = waiver.get("rule") if isinstance(waiver, Mapping) else None
        if isinstance(name, str) and name not in WAIVABLE:
            help_ = near(name, WAIVABLE) or '"xregit explain" lists all rules; those about a change can be waived.'
            yield found("waivers", index, "rule", message=f'No change breaks a rule "{name}".', help=help_)
