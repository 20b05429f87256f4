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
        "file-kind": "A folder, or something else that is not a file, is in a file's place.",
        "file-size": "A file is too large to be read.",
        "file-link": "A symbolic link is among the files of the registry.",
        "file-name": "The name of a file has control characters, or is not UTF-8.",
        "file-unreadable": "A file can't be read.",
        "nested-repository": "A folder of the registry is a Git repository of its own.",
        "misplaced-file": "A file is in an unexpected location.",
        "missing-file": "A group or resource has a folder, but not the file that describes it.",
        "not-a-mapping": "A file or entry has no attributes.",
        "duplicate-id": "The same entity is described twice.",
        "mismatched-id": "The id in a file differs from its path.",
    },
)

YAML = _declare_fault(
    "text",
    {
        "yaml-encoding": "A file is not UTF-8, or has characters that YAML doesn't allow.",
        "yaml-syntax": "A file is not valid YAML.",
        "yaml-empty": "A YAML file is empty.",
        "yaml-documents": "A YAML file contains more than one document.",
        "yaml-duplicate-key": "A mapping has the same key twice.",
        "yaml-key": "A key is not text.",
        "yaml-number": "A number is too large, or JSON can't represent it.",
        "yaml-alias": "A YAML file has an anchor or an alias.",
        "yaml-tag": "A YAML file has a tag.",
        "yaml-depth": "A value is nested too deeply.",
    },
)

JSON = _declare_fault(
    "text",
    {
        "json-encoding": "A JSON document is not UTF-8, or contains a lone surrogate.",
        "json-syntax": "A schema document is not valid JSON, though its format requires JSON.",
        "json-duplicate-key": "An object of a JSON document has the same key twice.",
        "json-number": "A number in a JSON document is too large, or is not a number.",
        "json-depth": "A JSON document is nested too deeply.",
    },
)

DOCUMENTS = (
    *_declare_fault(
        "text",
        {
            "not-a-registry": "A document is not a registry, but a part of one, a model or something else.",
            "unknown-group-type": "A document has groups of a type that no model defines.",
            "conflicting-names": "A document states one attribute under two names, with two values.",
        },
    ),
    # What means the same under another name is found as a remark (see `Runner.severity`).
    Rule("other-dialect", "text", Severity.WARNING, "A name in a document is read as another name."),
)

MODEL = (
    Rule("unknown-attribute", "model", Severity.ERROR, "An attribute is not in the model.", ("MSG-12",)),
    *_declare_fault(
        "model",
        {
            "required-attribute-missing": "A required attribute is missing.",
            "invalid-attribute": "An attribute has an invalid value.",
            "misplaced-placeholder": "A property's value is a template, but its type allows none.",
            "malformed-xid": "A reference is not an xid, or names the wrong type of entity.",
            "model-error": "The registry's model is not valid.",
            "model-required-true": "An attribute has a default, but is not required.",
            "model-scalar-default": "An attribute that is a list, map or object has a default.",
        },
    ),
)

IMPORT = (
    Rule("edited-here-and-there", "text", Severity.WARNING, "An import and people have changed the same differently."),
    Rule("filled-in", "import", Severity.INFO, "The import fills in an attribute from another entity of the document."),
    Rule("left-out", "import", Severity.INFO, "The import leaves out something that a document states."),
    Rule("different-entity", "import", Severity.ERROR, "A document describes an existing entity differently."),
    Rule("different-model", "import", Severity.ERROR, "A document needs another model than the registry's."),
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
        "definition-removed": ("MSG-8", "A definition was removed without an announced removal date in the past."),
        "made-draft": ("MSG-7", "A group that others may rely on becomes a draft."),
        "envelope-changed": ("MSG-7", "The envelope of a definition changed."),
        "protocol-changed": ("MSG-7", "The protocol of a definition changed."),
        "protocol-dropped": ("MSG-7", "A definition no longer has a protocol."),
        "mode-changed": ("MSG-7", "The mode or format of events changed."),
        "property-newly-required": ("MSG-7", "An optional property is now required."),
        "property-no-longer-sent": ("MSG-7", "A required property is now optional."),
        "value-changed": ("MSG-7", "The value of a property changed."),
        "value-narrowed": ("MSG-7", "A property allows fewer values than before."),
        "value-widened": ("MSG-7", "A property allows more values than before."),
        "address-moved": ("MSG-7", "A topic, subject, key or path changed."),
        "type-changed": ("MSG-7", "The type of a property changed."),
        "type-narrowed": ("MSG-7", "The new type of a property allows fewer values."),
        "type-widened": ("MSG-7", "The new type of a property allows more values."),
        "payload-changed": ("MSG-7", "A payload's schema is not compatible with the old one."),
        "payload-no-longer-described": ("MSG-7", "A payload no longer has a schema."),
        "contract-left": ("EP-38", "An endpoint no longer carries some messages."),
        "usage-dropped": ("EP-3", "An endpoint no longer has one of its usages."),
        "consumption-changed": (
            "EP-22",
            "Consumers get different messages, or some twice or never.",
        ),
        "endpoint-address-removed": ("EP-23", "An address of an endpoint was removed."),
        "authorization-dropped": ("EP-25", "A type of authorization of an endpoint was removed."),
        "endpoint-not-live": ("EP-34", "An endpoint is no longer live."),
        "option-changed": ("EP-22", "An option of an endpoint changed, with unknown effect."),
        "payload-unclear": ("MSG-7", "A payload's schema changed, and its compatibility couldn't be determined."),
    },
    waivable=True,
)

UNCLEAR = _declare_change(
    Severity.WARNING,
    {
        "payload-described": ("MSG-7", "A payload got its first schema; messages sent today may not conform to it."),
    },
    waivable=True,
)

OF_WAIVERS = (
    *_declare_change(Severity.INFO, {"waiver-used": ("", "A waiver allows a change.")}),
    *_declare_change(Severity.WARNING, {"waiver-unneeded": ("", "A waiver is not needed.")}),
)

# What decides on the changes beside them, and what no comparison has seen.
POLICY = (
    *_declare_change(Severity.ERROR, {"file-not-compared": ("", "An unreadable file hides what changed in it.")}),
    *_declare_change(
        Severity.WARNING,
        {
            "settings-changed": (
                "",
                "A change changes the severity of findings, the model, or a setting of what is published.",
            ),
            "waivers-changed": ("", "A change adds or edits a waiver, which applies from the next change on."),
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
            yield finding("waivers", index, "rule", message=f'There is no rule "{name}" about changes.', help=help_)


@rule(WAIVERS, Severity.WARNING)
def waiver_without_effect(registry: Registry, dated: DatedWaivers) -> Iterator[Finding]:
    """A waiver has ended, or names an entity that does not exist, and is not about a removal."""
    for index, item in enumerate(dated.waivers):
        waiver = item if isinstance(item, Mapping) else {}
        xid, last = waiver.get("xid"), moment(waiver.get("until"))
        if last and dated.today and last.date() < dated.today:
            message = f"The waiver ended on {last.date()}."
            yield finding("waivers", index, "until", message=message, help="Remove it, or agree on a new day.")
        elif waiver.get("rule") == "definition-removed" or not isinstance(xid, str) or _WILDCARD.search(xid):
            continue
        elif xid != "/" and registry.entity(xid) is None:
            message = f'There is no "{xid}" in the registry.'
            yield finding("waivers", index, "xid", message=message, help="Correct the xid, or remove the waiver.")
