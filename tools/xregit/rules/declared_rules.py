"""Rules without a check of their own: faults that readers, the model's interpreter and `xregit.changes` find."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from xregit.catalog.registry import Registry
from xregit.diagnostics import Finding, Severity
from xregit.model.times import moment
from xregit.rules.attributes import near
from xregit.rules.rule import DatedWaivers, Rule, finding, rule

_WILDCARD = re.compile(r"[*?[]")


def _declare_fault(about: str, rules: dict[str, str]) -> tuple[Rule, ...]:
    return tuple(Rule(name, about, Severity.ERROR, summary) for name, summary in rules.items())


FILES = _declare_fault(
    "text",
    {
        "file-kind": "A folder, or something else that is no file, stands where a file is expected.",
        "file-size": "A file is too large to be read.",
        "file-link": "A symbolic link is among the files of the registry.",
        "file-name": "The name of a file has control characters, or is not UTF-8.",
        "file-unreadable": "A file can't be read.",
        "nested-repository": "A folder of the registry is a Git repository of its own.",
        "misplaced-file": "A file is in an unexpected location.",
        "missing-file": "A group or resource has a folder, but not the file that describes it.",
        "not-a-mapping": "A file, or an entry, holds no attributes.",
        "duplicate-id": "The same entity is described twice.",
        "mismatched-id": "A file states another id than its path.",
    },
)

YAML = _declare_fault(
    "text",
    {
        "yaml-encoding": "A file is not UTF-8, or has characters that YAML doesn't allow.",
        "yaml-syntax": "The text of a file is not YAML.",
        "yaml-empty": "A YAML file holds nothing.",
        "yaml-documents": "A YAML file holds more than one document.",
        "yaml-duplicate-key": "A key stands twice in one mapping.",
        "yaml-key": "A key is not text.",
        "yaml-number": "A number is too large, or no number that JSON can hold.",
        "yaml-alias": "A YAML file has an anchor or an alias.",
        "yaml-tag": "A YAML file has a tag.",
        "yaml-depth": "A value is nested too deeply.",
    },
)

JSON = _declare_fault(
    "text",
    {
        "json-encoding": "A JSON document is not UTF-8, or has half a character.",
        "json-syntax": "The document of a schema is not JSON, though its format is.",
        "json-duplicate-key": "A key stands twice in one object of a JSON document.",
        "json-number": "A number in a JSON document is too large, or no number.",
        "json-depth": "A JSON document is nested too deeply.",
    },
)

DOCUMENTS = (
    *_declare_fault(
        "text",
        {
            "not-a-registry": "A document is a piece of a registry on its own, a model, or something else.",
            "unknown-group-type": "A document has groups of a type that no model defines.",
            "conflicting-names": "A document states one attribute under two names, with two values.",
        },
    ),
    # What means the same under another name is found as a remark (see `Runner.severity`).
    Rule("other-dialect", "text", Severity.WARNING, "Something in a document is read under another name."),
)

MODEL = (
    Rule("unknown-attribute", "model", Severity.ERROR, "An attribute is not in the model.", ("MSG-12",)),
    *_declare_fault(
        "model",
        {
            "required-attribute-missing": "An attribute that must be there is missing.",
            "invalid-attribute": "An attribute has a value that it can't have.",
            "misplaced-placeholder": "A property of a type that has no templates has one as its value.",
            "malformed-xid": "A reference has not the form of an xid, or is to the wrong type of entity.",
            "model-error": "The registry's own model is not in the model language.",
            "model-required-true": "An attribute has a default, but is not required.",
            "model-scalar-default": "An attribute that holds many values has a default.",
        },
    ),
)

IMPORT = (
    Rule("edited-here-and-there", "text", Severity.WARNING, "An import and people have changed the same differently."),
    Rule("filled-in", "import", Severity.INFO, "The import states what a document leaves to another of its entities."),
    Rule("left-out", "import", Severity.INFO, "The import has no place for something that a document states."),
    Rule("different-entity", "import", Severity.ERROR, "A document describes an entity otherwise than what is there."),
    Rule("different-model", "import", Severity.ERROR, "A document needs a model that is not the registry's."),
)


CHANGE, WAIVERS = "change", "waivers"


def _declare_change(
    severity: Severity, rules: Mapping[str, tuple[str, str]], *, waivable: bool = False
) -> tuple[Rule, ...]:
    return tuple(
        Rule(name, CHANGE, severity, summary, (requirement,) if requirement else (), waivable=waivable)
        for name, (requirement, summary) in rules.items()
    )


BREAKS = _declare_change(
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
        "consumption-changed": ("EP-22", "Consumers of an endpoint get other messages, or some not at all or twice."),
        "endpoint-address-removed": ("EP-23", "An address of an endpoint is gone."),
        "authorization-dropped": ("EP-25", "A way to be admitted to an endpoint is gone."),
        "endpoint-not-live": ("EP-34", "An endpoint is no longer live."),
        "option-changed": ("EP-22", "An option of an endpoint changes, and its effect is not known."),
        "payload-unclear": ("MSG-7", "A payload's schema changes, and its compatibility couldn't be determined."),
    },
    waivable=True,
)

UNCLEAR = _declare_change(
    Severity.WARNING,
    {
        "payload-described": ("MSG-7", "A payload has a schema that had none; what is sent already may not fit."),
    },
    waivable=True,
)

OF_WAIVERS = (
    *_declare_change(Severity.INFO, {"waiver-used": ("", "A waiver lets a change through.")}),
    *_declare_change(
        Severity.WARNING,
        {
            "waiver-expired": ("", "A waiver would let a change through, but its last day is over."),
            "waiver-unneeded": ("", "A waiver lets nothing through."),
        },
    ),
)

# What decides on the changes beside them, and what no comparison has seen.
POLICY = (
    *_declare_change(Severity.ERROR, {"file-not-compared": ("", "A file can't be read, so no change in it is seen.")}),
    *_declare_change(
        Severity.WARNING,
        {
            "settings-changed": ("", "A change sets how bad findings are, or what is published."),
            "waivers-changed": ("", "A change brings a waiver, which counts from the next change on."),
        },
    ),
)

RULES = (*BREAKS, *UNCLEAR, *OF_WAIVERS, *POLICY)
WAIVABLE = frozenset(item.name for item in RULES if item.waivable)


@rule(WAIVERS, Severity.ERROR)
def unknown_rule_waived(_registry: Registry, dated: DatedWaivers) -> Iterator[Finding]:
    """A waiver names a rule that does not exist, or that it can't let through."""
    for index, waiver in enumerate(dated.waivers):
        name = waiver.get("rule") if isinstance(waiver, Mapping) else None
        if isinstance(name, str) and name not in WAIVABLE:
            help_ = near(name, WAIVABLE) or '"xregit explain" lists all rules; those about a change can be waived.'
            yield finding("waivers", index, "rule", message=f'No change breaks a rule "{name}".', help=help_)


@rule(WAIVERS, Severity.WARNING)
def waiver_without_effect(registry: Registry, dated: DatedWaivers) -> Iterator[Finding]:
    """A waiver has ended, or names an entity that does not exist."""
    for index, waiver in enumerate(dated.waivers):
        xid, until = (waiver.get(name) if isinstance(waiver, Mapping) else None for name in ("xid", "until"))
        last = moment(until)
        if last and dated.today and last.date() < dated.today:
            message = f"The waiver ended on {last.date()}."
            yield finding("waivers", index, "until", message=message, help="Remove it, or agree on a new day.")
        elif isinstance(xid, str) and not _WILDCARD.search(xid) and xid != "/" and registry.entity(xid) is None:
            message = f'There is no "{xid}" in the registry.'
            yield finding("waivers", index, "xid", message=message, help="Correct the xid, or remove the waiver.")
