"""Repositories that are made to hurt: what each holds, what is run on it, and the rules or words that answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Contents = Mapping[str, bytes | str]
MESSAGE = "messagegroups/g/messages/a.yaml"
SCHEMA = "schemagroups/s/schemas/x/versions/1"
EVENT = "envelope: CloudEvents/1.0\nenvelopemetadata: {type: {value: a}}\n"
GROUP = {"registry.yaml": "registryid: hostile\n", "messagegroups/g/messagegroup.yaml": "name: G\n"}
STRUCTURE = {
    "$schema": "https://json-structure.org/meta/core/v0/#",
    "$id": "https://example.com/a",
    "name": "A",
    "type": "object",
}
NULL_OR_INT = {"type": "record", "name": "A", "fields": [{"name": "a", "type": ["null", "int"], "default": 0}]}
DEEP = 10_000
MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class Attack:
    """A repository below ``registry/``, by path, a command that is run beside it, and what it must say and give.

    A path that begins with ``../`` lies beside the registry.
    """

    contents: Callable[[], Contents]
    command: tuple[str, ...] = ("check",)
    says: tuple[str, ...] = ()
    code: int = 1


def schema(text: str, ending: str, format_: str) -> Contents:
    """Return a catalog with one message and its schema."""
    return {
        **GROUP,
        MESSAGE: f"{EVENT}dataschemaformat: {format_}\ndataschemauri: /schemagroups/s/schemas/x/versions/1\n",
        "schemagroups/s/schemagroup.yaml": "name: S\n",
        "schemagroups/s/schemas/x/schema.yaml": f"versions: {{'1': {{format: {format_}}}}}\n",
        f"{SCHEMA}.{ending}": text,
    }


def message(text: str) -> Contents:
    """Return a catalog with one message."""
    return {**GROUP, MESSAGE: text}


def document(value: Mapping[str, Any]) -> Contents:
    """Return a document beside a catalog."""
    return {**GROUP, "../document.json": json.dumps({"specversion": "1.0-rc2", "registryid": "a", **value})}


def messages(found: Mapping[str, Any]) -> Contents:
    """Return a document with messages."""
    return document({"messagegroups": {"g": {"messages": found}}})


def runs() -> Contents:
    """Return a message whose comments, values and texts hold long runs, at whose end is not what began before them."""
    comment = f"# xregit: ignore a{' ' * MANY}b\n"
    labels = f'labels: {{one: "://{":" * MANY}", two: "{"eyJ-" * (MANY // 4)}"}}\n'
    return message(f"{comment}{EVENT}{labels}description: |\n  a\n{chr(10) * MANY}  b\n")


def chain() -> Contents:
    """Return messages, each with the next one as its base."""
    bases = {
        f"m{number}": {"description": "x", "basemessage": f"/messagegroups/g/messages/m{number + 1}"}
        for number in range(DEEP)
    }
    return messages(
        {**bases, f"m{DEEP}": {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "t"}}}}
    )


def properties() -> Contents:
    """Return one message with very many properties."""
    result: dict[str, Any] = {f"p{number}": {} for number in range(MANY // 4)}
    return messages({"a": {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "a"}, **result}}})


def body() -> Contents:
    """Return a message on the wire whose payload has very many properties."""
    event = {"specversion": "1.0", "id": "1", "source": "/a", "type": "a"}
    line = json.dumps({**event, "data": {f"p{number}": number for number in range(MANY)}})
    return {**message(EVENT), "../line.jsonl": line}


ANCHORS = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 30)
)
ENTITIES = '<!DOCTYPE a [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + level)} "{f"&{chr(97 + level)};" * 10}">' for level in range(9)
)
XSD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{}</xs:schema>'
AGAIN = "^(a|aa)+$"
PAYLOAD = {"type": "object", "properties": {"x": {"pattern": AGAIN}}}
BACKTRACKING = {"specversion": "1.0", "id": "1", "source": "/a", "type": "a", "data": {"x": "a" * 50_000 + "!"}}
DOUBLE = "".join(
    f'"d{level}": {{"properties": {{"a": {reference}, "b": {reference}}}}},'
    for level in range(40)
    for reference in [f'{{"$ref": "#/$defs/d{level + 1}"}}']
)
PLACEHOLDERS = "".join(f"{{name{number}}}" for number in range(2 * DEEP))

ATTACKS: dict[str, Attack] = {
    "an id that leads upwards": Attack(
        lambda: {**GROUP, "messagegroups/g/messages/a%2F..%2F..%2Fb.yaml": EVENT}, says=("a/../../b",)
    ),
    "an id of a document that leads upwards": Attack(
        lambda: messages({"../../../../../../evil": {}}),
        ("import", "document.json", "--into", "registry"),
        says=("../../../../../../evil",),
    ),
    "ids that differ in case alone": Attack(
        lambda: {**message(EVENT), "messagegroups/g/messages/A.yaml": EVENT}, says=("ids-differ-only-in-case",)
    ),
    "invisible characters in an id": Attack(
        lambda: {**GROUP, "messagegroups/g/messages/a\u200bb.yaml": EVENT}, says=("malformed-id", "\\u200b")
    ),
    "text that runs backwards": Attack(
        lambda: message(f"{EVENT}descripton: a \u202egnp.exe\n"), says=("unknown-attribute", "\\u202egnp.exe")
    ),
    "an escape for the terminal": Attack(
        lambda: message(f'{EVENT}"\\e]0;owned\\a\\e[2J": x\n'), says=("\\x1b]0;owned\\x07\\x1b[2J",)
    ),
    "aliases of aliases": Attack(lambda: message(ANCHORS), says=("yaml-alias",)),
    "brackets without end": Attack(lambda: message("a: " + "[" * 200_000), says=("yaml-",)),
    "entities of entities": Attack(
        lambda: schema(f"{ENTITIES}]><a>&j;</a>", "xsd", "XSD/1.0"), says=("declares entities",)
    ),
    "a schema that includes a file": Attack(
        lambda: schema(XSD.format('<xs:include schemaLocation="file:///etc/passwd"/>'), "xsd", "XSD/1.0"),
        says=('"file:///etc/passwd" is not in this registry',),
    ),
    "a schema that refers to a host": Attack(
        lambda: schema('{"$ref": "http://169.254.169.254/latest"}', "json", "JsonSchema/draft-07"),
        says=("169.254.169.254",),
    ),
    "a pattern that backtracks": Attack(
        lambda: {
            **schema(json.dumps(PAYLOAD), "json", "JsonSchema/draft-07"),
            "../line.jsonl": json.dumps(BACKTRACKING),
        },
        ("match", "line.jsonl"),
        says=('"outcome":',),
        code=0,
    ),
    "a default that a pattern backtracks on": Attack(
        lambda: schema(
            XSD.format(
                '<xs:simpleType name="P"><xs:restriction base="xs:string"><xs:pattern value="(a+)+"/></xs:restriction>'
                f'</xs:simpleType><xs:element name="a" type="P" default="{"a" * 60}!"/>'
            ),
            "xsd",
            "XSD/1.0",
        ),
        says=("default",),
    ),
    "a name of 5,000 digits": Attack(
        lambda: schema(
            json.dumps({**STRUCTURE, "properties": {"9" * 5000: {"type": "none"}}}), "json", "JsonStructure/draft-02"
        ),
        says=("invalid-schema",),
    ),
    "a version of 5,000 digits": Attack(
        lambda: schema(json.dumps(NULL_OR_INT), "avsc", f"Avro/{'9' * 5000}"),
        says=("format-without-version",),
        code=0,
    ),
    "runs without the end that is looked for": Attack(runs, says=("malformed-suppression",)),
    "runs in a file that is to be formatted": Attack(runs, ("fmt", "--check"), says=("a.yaml",)),
    "runs in what becomes a page": Attack(runs, ("site", "-o", "out"), says=("out",), code=0),
    "times beyond the calendar": Attack(
        lambda: message(
            f'{EVENT}createdat: "0001-01-01T00:00:00+14:00"\ndeprecated: {{effective: "9999-12-31T23:59:59-14:00"}}\n'
        ),
        ("build", "--only", "check,document"),
        says=("registry.json",),
        code=0,
    ),
    "an address that is none, for the static API": Attack(
        lambda: {**message(EVENT), "xregit.yaml": 'baseurl: "http://[::1"\n'},
        ("build", "--only", "check,api"),
        says=("api",),
        code=0,
    ),
    "owners by many wildcards": Attack(
        lambda: {**message(EVENT), "../.github/CODEOWNERS": "*/" + "*e" * 30 + "! @a\n"},
        code=0,
        says=("group-without-owner",),
    ),
    "a schema that doubles at each level": Attack(
        lambda: schema(
            f'{{"$ref": "#/$defs/d0", "$defs": {{{DOUBLE} "d40": {{}}}}}}', "json", "JsonSchema/draft/2020-12"
        ),
        ("site", "-o", "out"),
        says=("out",),
        code=0,
    ),
    "placeholders side by side": Attack(
        lambda: message(EVENT.replace("}}", f'}}, source: {{type: uritemplate, value: "{PLACEHOLDERS}"}}}}')),
        says=("placeholders-side-by-side",),
        code=0,
    ),
    "a chain of ten thousand bases": Attack(chain, ("--registry", "document.json", "check"), says=("Found",), code=0),
    "a quarter of a million properties": Attack(
        properties, ("--registry", "document.json", "check"), says=("Found",), code=0
    ),
    "a payload of a million properties": Attack(body, ("match", "line.jsonl"), says=('"outcome":"one"',), code=0),
}
