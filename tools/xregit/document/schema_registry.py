"""Schema registries of Confluent's API as values of xRegistry documents: Confluent's own, Apicurio's, Karapace's.

They are asked by HTTP, where the user names the address, or read from what they gave: the answer of ``/schemas``, or
the records of the topic ``_schemas``. A subject of a topic becomes a Kafka message, too (subject name strategies).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from xregit.document.schema_files import SchemaFile, SchemaSet, schema_format, schema_id
from xregit.errors import XregitError

_TIMEOUT = 30.0  # seconds
_MAX_ANSWER = 64 * 1024 * 1024
_FILE_NAMES = {"AVRO": ".avsc", "PROTOBUF": ".proto", "JSON": ".schema.json"}
_VALUE, _KEY = "-value", "-key"
_RECORD = re.compile(rb'\\?"subject\\?"')


@dataclass
class SchemaRegistry:
    """What a schema registry holds: its name, each subject's versions, and the compatibility of subjects."""

    name: str
    subjects: dict[str, dict[int, Mapping[str, Any]]] = field(default_factory=dict)
    compatibility: dict[str, str] = field(default_factory=dict)

    def add(self, item: Mapping[str, Any]) -> None:
        """Add one version of a subject, as the API gives it; one that was deleted goes."""
        versions = self.subjects.setdefault(str(item["subject"]), {})
        if item.get("deleted"):
            versions.pop(int(item["version"]), None)
        else:
            versions[int(item["version"])] = item

    def document(self) -> dict[str, Any]:
        """Return the xRegistry document: a schema group, and a message group of the topics' messages."""
        files = [_file(item) for versions in self.subjects.values() for item in versions.values()]
        schemas = SchemaSet(files).schemas()
        for subject, mode in self.compatibility.items():
            if schema_id(subject) in schemas and mode:
                schemas[schema_id(subject)]["meta"] = {"compatibility": mode.lower()}
        messages = dict(self._messages({file.id: file for file in files}))
        group = {"name": self.name, "protocol": "KAFKA", "messages": messages}
        return {
            "schemagroups": {self.name: {"name": self.name, "schemas": schemas}},
            **({"messagegroups": {self.name: group}} if messages else {}),
        }

    def _messages(self, files: Mapping[str, SchemaFile]) -> Iterator[tuple[str, Any]]:
        """Yield the message of each subject that names a topic: TopicNameStrategy and TopicRecordNameStrategy."""
        for subject in self.subjects:
            schema = files.get(schema_id(subject))
            if schema is None:
                continue
            record = _record(schema)
            topic = subject.removesuffix(_VALUE) if subject.endswith(_VALUE) else subject.removesuffix(f"-{record}")
            if topic in ("", subject):
                continue
            yield (
                schema_id(topic if subject.endswith(_VALUE) else record),
                {
                    "protocol": "KAFKA",
                    "protocoloptions": {"topic": topic},
                    "dataschemaformat": schema.format,
                    "dataschemauri": f"/schemagroups/{self.name}/schemas/{schema.id}",
                },
            )


def ask_registry(address: str) -> SchemaRegistry:
    """Return what a registry holds; a user's name and password in the address are sent to it, and kept nowhere.

    Raises:
        XregitError: it can't be reached, refuses, or answers something else than a schema registry.
    """
    parts = urlsplit(address)
    client = _Client(parts.username or "", parts.password or "", urlunsplit(parts._replace(netloc=_host(parts.netloc))))
    registry = SchemaRegistry(schema_id(parts.hostname or "schemas").lower())
    for subject in client.names("subjects", str):
        versions = f"subjects/{quote(subject, safe='')}/versions"
        for path in [f"{versions}/{version}" for version in client.names(versions, int)]:
            item = client.get(path)
            if not _is_schema(item):
                raise client.error(path, "it answers no schema")
            registry.add(item)
        mode = client.get(f"config/{quote(subject, safe='')}?defaultToGlobal=true", optional=True)
        level = mode.get("compatibilityLevel") if isinstance(mode, Mapping) else None
        registry.compatibility[subject] = level if isinstance(level, str) and level != "NONE" else ""
    if not registry.subjects:
        message = f'the schema registry at "{client.base}" has no subjects'
        raise XregitError(message)
    return registry


def read_dump(data: bytes, name: str) -> SchemaRegistry | None:
    """Return what a registry held, from its answer or the records of its topic; None for any other text.

    Records are lines of a value, of a key and a value with a tab between, or as ``kcat -J`` prints them.
    """
    if not _RECORD.search(data[:100_000]):
        return None
    registry = SchemaRegistry(schema_id(name).lower())
    for item in _items(data):
        if _is_schema(item):
            registry.add(item)
        elif isinstance(item, Mapping) and "compatibilityLevel" in item:
            registry.compatibility[str(item.get("subject"))] = str(item["compatibilityLevel"]).replace("NONE", "")
    return registry if registry.subjects else None


def _items(data: bytes) -> Iterator[Any]:
    """Yield the entries of an answer, or the values of records, with the subject of their keys."""
    whole = _json(data.decode(errors="replace"))
    if isinstance(whole, list):
        yield from whole
        return
    for line in data.decode(errors="replace").splitlines():
        key, tab, text = line.partition("\t")
        value = _json(text if tab else line)
        if isinstance(value, Mapping) and isinstance(value.get("payload"), str):
            key, value = str(value.get("key")), _json(value["payload"])
        names = _json(key) if key.startswith("{") else None
        subject = {"subject": names.get("subject")} if isinstance(names, Mapping) else {}
        yield {**subject, **value} if isinstance(value, Mapping) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_schema(item: Any) -> bool:
    return (
        isinstance(item, Mapping)
        and isinstance(item.get("subject"), str)
        and type(item.get("version")) is int
        and isinstance(item.get("schema"), str)
    )


def _file(item: Mapping[str, Any]) -> SchemaFile:
    """Return a version of a subject as a document with its references."""
    subject, text = str(item["subject"]), str(item["schema"])
    name = f"x{_FILE_NAMES.get(str(item.get('schemaType') or 'AVRO'), '.json')}"
    listed = item.get("references")
    references = {
        str(each.get("name")): f"{each.get('subject')}/{each.get('version')}"
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, Mapping)
    }
    version = str(item["version"])
    return SchemaFile(f"{subject}/{version}", schema_id(subject), version, schema_format(name, text), text, references)


def _record(schema: SchemaFile) -> str:
    """Return the full name of the record that a document defines, by which some name subjects."""
    value = _json(schema.text) if schema.language == "Avro" else None
    if isinstance(value, Mapping) and isinstance(value.get("name"), str):
        return f"{value['namespace']}.{value['name']}" if value.get("namespace") else str(value["name"])
    if isinstance(value, Mapping):
        return str(value.get("title", ""))
    package = re.search(r"(?m)^[ \t]*package\s+([\w.]+)\s*;", schema.text)
    message = re.search(r"(?m)^[ \t]*message\s+(\w+)", schema.text)
    return ".".join(match[1] for match in (package, message) if match) if message else ""


def _host(netloc: str) -> str:
    return netloc.rpartition("@")[2]


class _NoRedirects(HTTPRedirectHandler):
    """Follows none: what is sent to a registry, a password too, is for no other host, and no other host was named."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(frozen=True)
class _Client:
    """The questions to one registry."""

    user: str
    password: str
    base: str

    def names(self, path: str, kind: type) -> list[Any]:
        """Return a list of subjects or versions."""
        value = self.get(path)
        if not isinstance(value, list) or any(type(item) is not kind for item in value):
            raise self.error(path, "it answers no list; name the address of a schema registry's API")
        return value

    def get(self, path: str, *, optional: bool = False) -> Any:
        """Return the JSON of an answer; None where there is none and it is optional."""
        headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"}
        if self.user:
            credentials = f"{unquote(self.user)}:{unquote(self.password)}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(credentials).decode()}"
        request = Request(f"{self.base.rstrip('/')}/{path}", headers=headers)  # noqa: S310 - the user named it
        try:
            with build_opener(_NoRedirects).open(request, timeout=_TIMEOUT) as answer:
                data = answer.read(_MAX_ANSWER + 1)
        except HTTPError as error:
            error.close()
            if optional:
                return None
            moved = "; if you trust where it leads, name that address"
            hints = dict.fromkeys((301, 302, 303, 307, 308), moved) | {
                401: "; put the user's name and password into it, as in https://name:password@host"
            }
            raise self.error(path, f"it answers {error.code} {error.reason}{hints.get(error.code, '')}") from error
        except (URLError, HTTPException, OSError) as error:
            raise self.error(path, f"it can't be reached: {getattr(error, 'reason', error)}") from error
        if len(data) > _MAX_ANSWER:
            raise self.error(path, f"its answer is larger than {_MAX_ANSWER // 2**20} MiB")
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self.error(path, "it answers no JSON; name the address of a schema registry's API") from error

    def error(self, path: str, why: str) -> XregitError:
        return XregitError(f'"{self.base.rstrip("/")}/{path}" gives no schemas: {why}')
