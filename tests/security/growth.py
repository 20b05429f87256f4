"""Catalogs of a given size that hold very much of one thing: each construct, attribute and keyword that there is.

What there is comes from the tables of the readers themselves, so that a new attribute or keyword is drawn, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from xregit.model import builtin
from xregit.model.language import AttributeModel

Contents = Mapping[str, bytes]
# Makes a catalog that has about so many bytes.
Grow = Callable[[int], Contents]

GROUP = {"registry.yaml": b"registryid: hostile\n", "messagegroups/g/messagegroup.yaml": b"name: G\n"}
MESSAGE = "messagegroups/g/messages/a.yaml"
EVENT: Mapping[str, Any] = {
    "envelope": "CloudEvents/1.0",
    "envelopemetadata": {"type": {"value": "a"}, "source": {"value": "/a"}},
}


def repeated(piece: str, size: int) -> str:
    """Return a text of about so many bytes; ``@`` in the piece is a number that makes it differ from all others."""
    length = len(piece) + 4 * piece.count("@")
    return "".join(piece.replace("@", str(10_000 + number)) for number in range(max(size // length, 1)))


def many(piece: str, size: int, between: str = ",") -> str:
    """Return pieces as `repeated` does, with something between them."""
    return repeated(f"{piece}{between}", size).removesuffix(between)


# What an attribute may be given, whatever it wants: JSON, which is YAML as well.
VALUES: Mapping[str, Callable[[int], str]] = {
    "one letter": lambda size: json.dumps("a" * size),
    "placeholders": lambda size: json.dumps(repeated("{a@}", size)),
    "levels": lambda size: json.dumps(repeated("/a@", size)),
    "signs": lambda size: json.dumps(repeated("%41:?&=#", size)),
    "texts": lambda size: "[" + many('"a@"', size) + "]",
    "maps": lambda size: "[" + many('{"a": "a@"}', size) + "]",
    "keys": lambda size: "{" + many('"a@": "a"', size) + "}",
    "keys of maps": lambda size: "{" + many('"a@": {"value": "a", "type": "string", "description": "a"}', size) + "}",
    "xids": lambda size: "[" + many('"/messagegroups/g/messages/a@"', size) + "]",
}


def attributes() -> Iterator[tuple[str, Grow]]:
    """Yield each attribute of each kind of entity, and of the settings and waivers, with each value that it may get."""
    for kind, (path, base, table) in kinds().items():
        for keys, conditions in _paths(table):
            for name, value in VALUES.items():
                yield f"{kind}: {'.'.join(keys)}: {name}", _grown(path, base, keys, conditions, value)


def kinds() -> Mapping[str, tuple[str, Mapping[str, Any], Mapping[str, AttributeModel]]]:
    """Return for each kind of file its path, what it has at least, and what it may have."""
    model = builtin()
    message = model.groups["messagegroups"].resources["messages"]
    schema = model.groups["schemagroups"].resources["schemas"]
    return {
        "registry": ("registry.yaml", {"registryid": "hostile"}, model.attributes),
        "settings": ("xregit.yaml", {}, model.settings),
        "waivers": ("waivers.yaml", {}, model.waivers),
        "messagegroup": ("messagegroups/g/messagegroup.yaml", {}, model.groups["messagegroups"].attributes),
        "endpoint": (
            "endpoints/e/endpoint.yaml",
            {"usage": ["producer"], "messagegroups": ["/messagegroups/g"]},
            model.groups["endpoints"].attributes,
        ),
        "schemagroup": ("schemagroups/s/schemagroup.yaml", {}, model.groups["schemagroups"].attributes),
        "message": (MESSAGE, EVENT, {**message.metaattributes, **message.attributes}),
        "schema": (
            "schemagroups/s/schemas/x/schema.yaml",
            {"format": "Avro/1.11.1"},
            {**schema.metaattributes, **schema.attributes},
        ),
    }


def _paths(
    table: Mapping[str, AttributeModel], before: tuple[str, ...] = (), conditions: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]]:
    """Yield the way to each attribute, and what must have which value for it to count."""
    for name, attribute in table.items():
        here = (*before, "other" if name == "*" else name)
        yield here, conditions
        inner: AttributeModel | None = attribute
        path = here
        while inner is not None:
            yield from _paths(inner.attributes, path, conditions)
            path, inner = (*path, "a" if inner.type == "map" else "0"), inner.item
            if inner is not None and not inner.attributes:
                yield path, conditions
        for value, more in attribute.ifvalues.items():
            yield from _paths(more, before, (*conditions, (here, value)))


def _grown(
    path: str, base: Mapping[str, Any], keys: tuple[str, ...], conditions: tuple[Any, ...], value: Callable[[int], str]
) -> Grow:
    def grow(size: int) -> Contents:
        root: dict[str, Any] = json.loads(json.dumps(base))
        for where, text in conditions:
            _put(root, where, text)
        _put(root, keys, "@VALUE@")
        text = json.dumps(root).replace('"@VALUE@"', value(size))
        return {**GROUP, MESSAGE: json.dumps(EVENT).encode(), path: text.encode()}

    return grow


def _put(root: Any, keys: tuple[str, ...], value: Any) -> None:
    for number, key in enumerate(keys):
        if isinstance(root, list):
            root[:] = root or [{}]
            if number == len(keys) - 1:
                root[0] = value
                return
            root = root[0]
        elif number == len(keys) - 1:
            root[key] = value
        else:
            follows: Any = [] if keys[number + 1] == "0" else {}
            if not isinstance(root.get(key), type(follows)):
                root[key] = follows
            root = root[key]


def in_yaml(text: str, path: str = MESSAGE) -> Contents:
    """Return a catalog with one file of that text."""
    return {**GROUP, path: text.encode()}


HEAD = yaml.safe_dump(dict(EVENT))
# Constructs of YAML, comments to xregit, and files that no model describes.
TEXTS: Mapping[str, Grow] = {
    "a comment that names rules": lambda size: in_yaml(f"{HEAD}# xregit: ignore {many('a@', size, ', ')}\n"),
    "a comment that names rules of a file": lambda size: in_yaml(
        f"# xregit: ignore-file {many('unknown-attribute', size, ', ')} -- why\n{HEAD}"
    ),
    "comments": lambda size: in_yaml(HEAD + repeated("# xregit: ignore unknown-attribute -- why\n", size)),
    "comments behind lines": lambda size: in_yaml(
        f"{HEAD}labels:\n" + repeated("  a@: b # xregit: ignore unknown-attribute -- why\n", size)
    ),
    "comments that ignore what is there": lambda size: in_yaml(
        HEAD + repeated("a@: b # xregit: ignore unknown-attribute -- why\n", size)
    ),
    "comments that say nothing": lambda size: in_yaml(HEAD + repeated("# xregit: nothing@\n", size)),
    "other comments": lambda size: in_yaml(HEAD + repeated("# @\n", size)),
    "empty lines": lambda size: in_yaml(HEAD + "\n" * size),
    "blanks": lambda size: in_yaml(HEAD + " " * size),
    "tabs": lambda size: in_yaml(HEAD + "\t" * size),
    "unknown names": lambda size: in_yaml(HEAD + repeated("a@: b\n", size)),
    "names nearly known": lambda size: in_yaml(HEAD + repeated("envelopemetadat@: b\n", size)),
    "the same name": lambda size: in_yaml(HEAD + repeated("name: b\n", size)),
    "questions": lambda size: in_yaml(HEAD + repeated("? a@\n: b\n", size)),
    "keys of lists": lambda size: in_yaml(HEAD + repeated("? [a@]\n: b\n", size)),
    "merges": lambda size: in_yaml(HEAD + repeated("<<: {a@: b}\n", size)),
    "anchors": lambda size: in_yaml(HEAD + repeated("a@: &a@ b\n", size)),
    "aliases": lambda size: in_yaml("a: &a b\n" + repeated("b@: *a\n", size)),
    "tags": lambda size: in_yaml(HEAD + repeated("a@: !!str b\n", size)),
    "tags of our own": lambda size: in_yaml(HEAD + repeated("a@: !a b\n", size)),
    "a long tag": lambda size: in_yaml(f"{HEAD}a: !{'a' * size} b\n"),
    "directives": lambda size: in_yaml(repeated("%TAG !a@! tag:a\n", size) + f"---\n{HEAD}"),
    "documents": lambda size: in_yaml(HEAD + repeated("---\na: b\n", size)),
    "brackets": lambda size: in_yaml(f"{HEAD}a: {'[' * size}"),
    "braces": lambda size: in_yaml(f"{HEAD}a: {'{' * size}"),
    "closed brackets": lambda size: in_yaml(f"{HEAD}a: {'[' * (size // 2)}{']' * (size // 2)}\n"),
    "hyphens": lambda size: in_yaml(f"{HEAD}a:\n" + "- " * (size // 2)),
    "levels": lambda size: in_yaml(HEAD + "".join(f"{' ' * level}a:\n" for level in range(int((2 * size) ** 0.5)))),
    "block scalars": lambda size: in_yaml(HEAD + repeated("a@: |\n  b\n", size)),
    "a block scalar": lambda size: in_yaml(f"{HEAD}description: |\n" + repeated("  a@\n", size)),
    "a folded scalar": lambda size: in_yaml(f"{HEAD}description: >\n" + repeated("  a@\n\n", size)),
    "a plain scalar": lambda size: in_yaml(f"{HEAD}description: a\n" + repeated("  a@\n", size)),
    "a quoted scalar": lambda size: in_yaml(HEAD + 'description: "' + repeated(r"\u00e9", size) + '"\n'),
    "quotes": lambda size: in_yaml(HEAD + "description: '" + "''" * (size // 2) + "'\n"),
    "numbers": lambda size: in_yaml(f"{HEAD}a: [{many('1.5e3', size)}]\n"),
    "a number": lambda size: in_yaml(f"{HEAD}a: {'9' * size}\n"),
    "a number of base 60": lambda size: in_yaml(f"{HEAD}a: {'59:' * (size // 3)}59\n"),
    "underscores": lambda size: in_yaml(f"{HEAD}a: {'1_' * (size // 2)}1\n"),
    "times": lambda size: in_yaml(f"{HEAD}a: [{many('2026-01-31T00:00:00Z', size)}]\n"),
    "a time": lambda size: in_yaml(f"{HEAD}a: 2026-01-31T00:00:00.{'0' * size}Z\n"),
    "smart quotes": lambda size: in_yaml(HEAD + repeated("a@: “b”\n", size)),
    "what nobody sees": lambda size: in_yaml(f"{HEAD}description: " + "\u200b" * (size // 3)),
    "no UTF-8": lambda size: {**GROUP, MESSAGE: HEAD.encode() + b"a: \xff\n" * (size // 6)},
    "UTF-16": lambda size: {**GROUP, MESSAGE: (HEAD + "a: b\n" * (size // 10)).encode("utf-16")},
    "control characters": lambda size: in_yaml(HEAD + "a: \x01\n" * (size // 5)),
    "conflicts": lambda size: in_yaml(HEAD + repeated("<<<<<<< a\na: b\n=======\na: c\n>>>>>>> b\n", size)),
    "carriage returns": lambda size: in_yaml(HEAD + "\r" * size),
}


def _files(name: str, text: str, size: int, length: int) -> Contents:
    numbers = range(10_000, 10_000 + max(size // length, 1))
    return {**GROUP, **{name.replace("@", str(number)): text.replace("@", str(number)).encode() for number in numbers}}


def _versions(policy: str) -> Grow:
    """Return what makes a schema of many versions."""
    schema = f"format: Avro/1.11.1\ncompatibility: {policy}\n".encode()

    def grow(size: int) -> Contents:
        return {
            **_files("schemagroups/s/schemas/x/versions/@.avsc", '"int"', size, 40),
            "schemagroups/s/schemagroup.yaml": b"name: S\n",
            "schemagroups/s/schemas/x/schema.yaml": schema,
        }

    return grow


_ENDPOINT = (
    b"usage: [consumer]\nenvelope: CloudEvents/1.0\nprotocol: HTTP/1.1\nmessagegroups: [/messagegroups/g]\n"
    b"protocoloptions: {endpoints: [{url: 'https://example.com'}]}\n"
)
_SHORT = "envelope: CloudEvents/1.0\nenvelopemetadata: {type: {value: a}}\n"


def _parts(format_: str, ending: str, document: Callable[[int], str], selector: str) -> Grow:
    """Return what makes a schema document of many types, half of the bytes, and messages that each name one of them."""

    def grow(size: int) -> Contents:
        message = f"{_SHORT}dataschemaformat: {format_}\ndataschemauri: /schemagroups/s/schemas/x{selector}\n"
        return {
            **_files("messagegroups/g/messages/a@.yaml", message, size // 2, len(message)),
            "schemagroups/s/schemagroup.yaml": b"name: S\n",
            "schemagroups/s/schemas/x/schema.yaml": f"format: {format_}\n".encode(),
            f"schemagroups/s/schemas/x/versions/1.{ending}": document(size // 2).encode(),
        }

    return grow


_XSD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{}</xs:schema>'
# Catalogs of many files.
FILES: Mapping[str, Grow] = {
    "messages that are alike": lambda size: {
        **_files("messagegroups/g/messages/a@.yaml", _SHORT, size, len(_SHORT)),
        "endpoints/e/endpoint.yaml": _ENDPOINT,
    },
    "messages of one topic": lambda size: {
        **_files(
            "messagegroups/g/messages/a@.yaml",
            "protocol: MQTT/5.0\nprotocoloptions: {topic_name: {type: uritemplate, value: '{a}/{b@}'}}\n",
            size,
            80,
        ),
        "endpoints/e/endpoint.yaml": b"usage: [consumer]\nprotocol: MQTT/5.0\nmessagegroups: [/messagegroups/g]\n",
    },
    "a chain of bases": lambda size: {
        **GROUP,
        **{
            f"messagegroups/g/messages/a{at}.yaml": f"basemessage: /messagegroups/g/messages/a{at + 1}\n".encode()
            for at in range(size // 45)
        },
    },
    "groups": lambda size: _files("messagegroups/g@/messagegroup.yaml", "name: G\n", size, 8),
    "attributes of the model": lambda size: {
        **GROUP,
        "model.yaml": ("attributes:\n" + repeated("  a@: {type: string}\n", size)).encode(),
    },
    "group types": lambda size: {
        **GROUP,
        "model.yaml": ("groups:\n" + repeated("  things@: {singular: thing@}\n", size)).encode(),
    },
    "terms": lambda size: {
        **_files("glossaries/g/terms/t@.yaml", "name: T\nseealso: [/glossaries/g/terms/t@]\n", size, 50),
        "glossaries/g/glossary.yaml": b"name: G\n",
        "model.yaml": b"groups: {glossaries: {singular: glossary, resources: {terms: {singular: term, "
        b"hasdocument: false, attributes: {seealso: {type: array, item: {type: xid}}}}}}}\n",
    },
    "paths of the settings and findings": lambda size: {
        "xregit.yaml": b"paths:\n"
        + repeated('  /messagegroups/a@*/**: {description-missing: "off"}\n', size // 2).encode(),
        **_files("messagegroups/g/messages/m@.yaml", "name: A\n", size // 2, 8),
    },
    "misplaced files": lambda size: _files("messagegroup/g@/messagegroups.yaml", "name: G\n", size, 8),
    "endpoints": lambda size: _files("endpoints/e@/endpoint.yaml", _ENDPOINT.decode(), size, len(_ENDPOINT)),
    "versions without documents": lambda size: {
        **GROUP,
        "schemagroups/s/schemagroup.yaml": b"name: S\n",
        "schemagroups/s/schemas/x/schema.yaml": (
            "format: Avro/1.11.1\nversions: {" + many("'@': {ancestor: '1'}", size) + "}\n"
        ).encode(),
    },
    "a chain of versions": lambda size: {
        **GROUP,
        "schemagroups/s/schemagroup.yaml": b"name: S\n",
        "schemagroups/s/schemas/x/schema.yaml": b"format: Avro/1.11.1\nversions:\n"
        + "".join(f"  '{n}': {{ancestor: '{n + 1}'}}\n" for n in range(size // 25)).encode(),
    },
    "messages of one JSON Schema": _parts(
        "JsonSchema/draft-07",
        "json",
        lambda size: '{"definitions": {' + many('"d@": {"type": "string"}', size) + "}}",
        "#/definitions/d@",
    ),
    "messages of one Avro union": _parts(
        "Avro/1.11.1",
        "avsc",
        lambda size: "[" + many('{"type": "record", "name": "R@", "fields": []}', size) + "]",
        ":R@",
    ),
    "messages of one XML schema": _parts(
        "XSD/1.0", "xsd", lambda size: _XSD.format(repeated('<xs:element name="e@" type="xs:int"/>', size)), ":e@"
    ),
    "messages of one .proto file": _parts(
        "Protobuf/3",
        "proto",
        lambda size: 'syntax = "proto3";' + repeated("message M@ { int32 a = 1; }\n", size),
        ":M@",
    ),
    **{f"versions that promise {policy}": _versions(policy) for policy in ("backward", "full_transitive")},
}
