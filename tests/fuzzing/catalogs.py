"""Readers of whole catalogs: documents in any dialect, and folders in which one file is not as it should be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import xregit
from tests.mutation.mutations import contents_of
from xregit.catalog.loader import read_contents, read_folder
from xregit.errors import XregitError

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "cases" / "document" / "small"
FILES = (
    "registry.yaml", "xregit.yaml", "model.yaml", "waivers.yaml",
    "messagegroups/{0}/messagegroup.yaml", "messagegroups/{0}/messages/{1}.yaml",
    "endpoints/{2}/endpoint.yaml", "schemagroups/{3}/schemagroup.yaml", "schemagroups/{3}/schemas/{4}/schema.yaml",
    "schemagroups/{3}/schemas/{4}/versions/9.json",
)  # fmt: skip
# A file has a name of its own, since positions are remembered by it.
_numbers = count()


@cache
def _folder() -> Path:
    """Return a folder of this process; it goes with it."""
    folder = TemporaryDirectory()
    _kept.append(folder)
    return Path(folder.name).resolve()


_kept: list[TemporaryDirectory[str]] = []


def document(data: bytes) -> None:
    """Read a document, check, compile and import it; the folder that it becomes can be read as a whole."""
    path = _folder() / f"{next(_numbers)}.{'json' if data.lstrip()[:1] in (b'{', b'[') else 'yaml'}"
    path.write_bytes(data)
    try:
        registry = xregit.read(path)
        xregit.check(registry)
        json.dumps(xregit.compile(registry))
        with TemporaryDirectory(dir=_folder()) as name:
            into = Path(name) / "registry"
            if not xregit.import_documents([path], into).failed:
                assert read_folder(into).problems == ()
    except XregitError:
        return
    finally:
        path.unlink()


def folder(data: bytes) -> None:
    """Check and compile a catalog in which one file has these bytes."""
    registry = read_contents(*edited(data))
    try:
        xregit.check(registry)
        json.dumps(xregit.compile(registry))
    except XregitError:
        return


def edited(data: bytes) -> tuple[Path, dict[str, bytes]]:
    """Return a folder, and the small catalog with a file, which the first byte selects, of the other bytes."""
    number = data[0] % len(FILES) if data else 0
    return _folder() / "registry", {**_contents(), FILES[number].format(*_names()): data[1:]}


def document_seeds() -> Iterator[bytes]:
    """Give the small catalog, whole and in parts, and documents of other dialects."""
    whole = xregit.compile(read_contents(_folder() / "registry", _contents()))
    yield json.dumps(whole).encode()
    for plural in ("messagegroups", "endpoints", "schemagroups"):
        yield json.dumps({"specversion": "1.0-rc2", "registryid": "a", plural: whole[plural]}).encode()
    old = {"format": "CloudEvents/1.0", "metadata": {"attributes": {"type": {"value": "t", "required": True}}}}
    yield json.dumps(
        {
            "specversion": "0.5-wip",
            "messagegroups": {"g": {"id": "g", "format": "CloudEvents/1.0", "messages": {"t": {"id": "t", **old}}}},
            "schemagroups": {
                "s": {"schemas": {"a": {"format": "Avro", "versions": {"1": {"schema": {"type": "int"}}}}}}
            },
        }
    ).encode()
    yield json.dumps(
        {
            "specversion": "1.0-rc4",
            "messagegroups": {
                "g": {
                    "messages": {
                        "t": {
                            "basemessageurl": "#/messagegroups/g/messages/u",
                            "protocol": "MQTT/5.0",
                            "protocoloptions": {"topicname": "a/{b}", "payloadformat": 1},
                        },
                        "u": {},
                    }
                }
            },
        }
    ).encode()
    yield b"specversion: 1.0-rc2\nregistryid: a\nmessagegroups:\n  g:\n    messages: {t: {description: x}}\n"


def folder_seeds() -> Iterator[bytes]:
    """Give the right content of each file."""
    contents = _contents()
    for number, name in enumerate(FILES):
        yield bytes([number]) + contents.get(name.format(*_names()), b"a: b\n")
    yield b"\x01rules: {unknown-attribute: warning}\npaths: {registry/**: {a: off}}\nbaseurl: https://a.b/\n"
    yield b"\x02groups: {clubs: {singular: club, resources: {members: {singular: member}}}}\nattributes: {a: {}}\n"
    yield b"\x03waivers: [{xid: /messagegroups/*, rule: a, reason: b, approvedby: c, until: 2030-01-01}]\n"


@cache
def _contents() -> dict[str, bytes]:
    return contents_of(SMALL)


@cache
def _names() -> tuple[str, ...]:
    """Return a group of messages, a message in it, an endpoint, a group of schemas and a schema."""
    paths = [path.split("/") for path in _contents()]
    message = next(path for path in paths if path[0] == "messagegroups" and len(path) == 4)
    schema = next(path for path in paths if path[0] == "schemagroups" and path[-1] == "schema.yaml")
    endpoint = next(path for path in paths if path[0] == "endpoints")
    return message[1], message[3].removesuffix(".yaml"), endpoint[1], schema[1], schema[3]
