"""The faults that are found while files are read and by the model's interpreter, declared as rules without a check."""

from __future__ import annotations

from xregit.diagnostics import Severity
from xregit.rules.rule import Rule


def _declared(about: str, rules: dict[str, str]) -> tuple[Rule, ...]:
    return tuple(Rule(name, about, Severity.ERROR, summary) for name, summary in rules.items())


FILES = _declared(
    "text",
    {
        "file-kind": "A folder, or something else that is no file, stands where a file is expected.",
        "file-size": "A file is too large to be read.",
        "file-link": "A symbolic link leads out of the registry, into a hidden folder, or to a folder.",
        "file-name": "The name of a file has control characters, or is not UTF-8.",
        "file-unreadable": "A file can't be read.",
        "misplaced-file": "A file is where no entity of the registry is kept.",
        "missing-file": "A group or resource has a folder, but not the file that describes it.",
        "not-a-mapping": "A file, or an entry, holds no attributes.",
        "duplicate-id": "The same entity is described twice.",
        "mismatched-id": "A file states another id than its path.",
    },
)

YAML = _declared(
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

JSON = _declared(
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
    *_declared(
        "text",
        {
            "not-a-registry": "A document is a piece of a registry on its own, a model, or something else.",
            "unknown-group-type": "A document has groups of a type that no model defines.",
            "conflicting-names": "A document states one attribute under two names, with two values.",
        },
    ),
    # What means the same under another name is found as a remark (see `Weighing.severity`).
    Rule("other-dialect", "text", Severity.WARNING, "Something in a document is read under another name."),
)

MODEL = (
    Rule("unknown-attribute", "model", Severity.ERROR, "An attribute is not in the model.", ("MSG-12",)),
    *_declared(
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
    Rule("left-out", "import", Severity.INFO, "The import has no place for something that a document states."),
    Rule("different-entity", "import", Severity.ERROR, "A document describes an entity otherwise than what is there."),
    Rule("different-model", "import", Severity.ERROR, "A document needs a model that is not the registry's."),
)
