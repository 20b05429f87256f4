"""Schema registries of Confluent's API as values of xRegistry documents: Confluent's own, Apicurio's, Karapace's.

They are asked by HTTP, where the user names the address, or read from what they gave: the answer of ``/schemas``, or
the records of the topic ``_schemas``. A subject of a topic becomes a Kafka message, too (subject name strategies).
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from threading import Thread
from time import monotonic
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from xregit.arguments import without_credentials
from xregit.diagnostics import Diagnostic, Severity
from xregit.document.asyncapi.reader import ADVICE, label, scalar
from xregit.document.schema_files import (
    DistinctIds,
    SchemaFile,
    SchemaSet,
    import_note,
    protobuf_types,
    schema_format,
    schema_id,
)
from xregit.errors import XregitError
from xregit.source import json_loader
from xregit.source.json_emitter import pretty_json

# Seconds until an answer must begin, and until it must be whole.
_TIMEOUT, _ANSWER = 30.0, 60.0
#: Seconds until everything that a registry holds must be there.
DEADLINE = 1800.0
_MAX_ANSWER = 64 * 1024 * 1024
_FILE_NAMES = {"AVRO": ".avsc", "PROTOBUF": ".proto", "JSON": ".schema.json"}
_VALUE, _KEY = "-value", "-key"
_RECORD = re.compile(rb'\\?"subject\\?"')


# What a registry is called whose address has no name: it is Kafka that it serves.
_NAMELESS = "kafka"
# A subject's context, of which the default one has no name.
_CONTEXT = re.compile(r":\.([^:]*):(.*)", re.DOTALL)


@dataclass
class SchemaRegistry:
    """What a schema registry holds: its name, each subject's versions, and what is set for subjects.

    ``deleted`` are subjects and versions that only a soft deletion hides, ``left`` counts what has no place,
    ``renamed`` says which ids became others, and ``missing`` has the imports that no subject is.
    """

    name: str
    subjects: dict[str, dict[int, Mapping[str, Any]]] = field(default_factory=dict)
    compatibility: dict[str, str] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    left: Counter[str] = field(default_factory=Counter)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    missing: dict[str, None] = field(default_factory=dict)

    def add(self, item: Mapping[str, Any]) -> None:
        """Add one version of a subject, as the API gives it; one that was deleted goes."""
        versions = self.subjects.setdefault(str(item["subject"]), {})
        if item.get("deleted"):
            versions.pop(int(item["version"]), None)
            self.deleted.add(f"{item['subject']}/{item['version']}")
        else:
            versions[int(item["version"])] = item
            self.deleted.discard(f"{item['subject']}/{item['version']}")
            metadata = item.get("metadata")
            names = metadata if isinstance(metadata, Mapping) else {}
            self.left.update(f"metadata/{name}" for name, value in names.items() if name != "properties" and value)
            self.left.update(name for name, value in item.items() if value and name not in _OF_VERSIONS)

    def delete(self, subject: str, version: Any) -> None:
        """Remove the versions of a subject up to one."""
        versions = self.subjects.get(subject, {})
        for number in [number for number in versions if type(version) is not int or number <= version]:
            del versions[number]
            self.deleted.add(f"{subject}/{number}")

    def configure(self, subject: str, config: Mapping[str, Any]) -> None:
        """Add what is set for a subject, of which the compatibility mode has a place."""
        self.compatibility[subject] = str(config["compatibilityLevel"]).replace("NONE", "")
        self.left.update(name for name, value in config.items() if value and name not in _OF_SETTINGS)

    def diagnostics(self, path: str) -> list[Diagnostic]:
        """Return what there is to say of what is left out of a source of this path or name."""
        texts = [
            f'"{name}" of {count} {"subjects" if count > 1 else "subject"} is left out.'
            for name, count in sorted(self.left.items())
        ]
        if self.deleted:
            texts.append(f"What was deleted there is left out: {', '.join(sorted(self.deleted))}.")
        notes = [("left-out", Severity.INFO, text, ADVICE) for text in texts]
        notes += [("ids-differ-only-in-case", Severity.INFO, *item) for item in self.renamed]
        notes += [("broken-reference", Severity.WARNING, *import_note(name)) for name in self.missing]
        return [Diagnostic(rule, severity, path, text, help=advice) for rule, severity, text, advice in notes]

    def document(self) -> dict[str, Any]:
        """Return the xRegistry document: for each context a schema group, and a group of the topics' messages."""
        contexts: dict[str, dict[str, str]] = {}
        gids = DistinctIds()
        for subject in self.subjects:
            match = _CONTEXT.fullmatch(subject)
            context, name = match.groups() if match else ("", subject)
            gid = gids.distinct(f"{self.name}.{schema_id(context)}" if context else self.name, self._note_case)
            contexts.setdefault(gid, {})[subject] = name
        result: dict[str, Any] = {"schemagroups": {}, "messagegroups": {}}
        for gid, names in contexts.items():
            distinct = DistinctIds()
            ids = {name: distinct.distinct(schema_id(name), self._note_case) for name in names.values()}
            files = [
                _file(item, name, ids[name])
                for subject, name in names.items()
                for item in self.subjects[subject].values()
            ]
            documents = SchemaSet(files)
            self.missing |= dict.fromkeys(documents.missing())
            schemas = documents.schemas()
            for subject, name in names.items():
                if ids[name] in schemas and self.compatibility.get(subject):
                    schemas[ids[name]]["meta"] = {"compatibility": self.compatibility[subject].lower()}
            result["schemagroups"][gid] = {"name": gid, "schemas": schemas}
            distinct = DistinctIds()
            messages = {distinct.distinct(mid, self._note_case): item for mid, item in _messages(gid, ids, files)}
            if messages:
                result["messagegroups"][gid] = {"name": gid, "protocol": "KAFKA", "messages": messages}
        return {plural: groups for plural, groups in result.items() if groups}

    def _note_case(self, message: str, advice: str) -> None:
        self.renamed.append((message, advice))


_OF_KEYS = ("subject", "version", "keytype")  # of the members of a record's key
# What has a place, or says no more than where it is kept.
_OF_VERSIONS = frozenset(
    {*_OF_KEYS, "id", "guid", "schema", "schemaType", "references", "metadata", "deleted", "magic"}
)
_OF_SETTINGS = frozenset({*_OF_KEYS, "compatibilityLevel", "magic"})


def _messages(gid: str, ids: Mapping[str, str], files: Sequence[SchemaFile]) -> Iterator[tuple[str, Any]]:
    """Yield the message of each subject that is one's: of a topic, a record, or a record of a topic.

    ``ids`` are those of the subjects' schemas.

    These are the subject name strategies. A record to which others refer is a part of messages, and none itself.
    """
    schemas = {file.id: file for file in files}
    parts = {path.rpartition("/")[0] for file in files for path in file.references.values()}
    for subject, sid in ids.items():
        schema = schemas.get(sid)
        record = _record(schema) if schema else ""
        if schema is None or (subject == record and subject in parts):
            continue
        topic = subject.removesuffix(_VALUE) if subject.endswith(_VALUE) else subject.removesuffix(f"-{record}")
        if subject != record and topic in ("", subject):
            continue
        key = schemas.get(ids.get(f"{topic}{_KEY}", ""))
        root = f":{record}" if schema.language == "Protobuf" and record else ""
        yield (
            schema_id(topic if subject.endswith(_VALUE) else record),
            {
                **({"labels": {"key-schema": f"/schemagroups/{gid}/schemas/{key.id}"}} if key else {}),
                "protocol": "KAFKA",
                **({"protocoloptions": {"topic": topic}} if subject != record else {}),
                "dataschemaformat": schema.format,
                "dataschemauri": f"/schemagroups/{gid}/schemas/{schema.id}{root}",
            },
        )


def ask_registry(address: str, name: str = "", deadline: float = DEADLINE) -> SchemaRegistry:
    """Return what a registry holds; a user's name and password in the address are sent to it, and kept nowhere.

    It is called after its host unless a name is given. All must be there before the deadline, in seconds from now.

    Raises:
        XregitError: it can't be reached, refuses, is too slow, or answers something else than a schema registry.
    """
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        message = f'"{without_credentials(address)}" is not a valid address; percent-encode its user name and password'
        raise XregitError(message) from error
    client = _Client(
        parts.username or "",
        parts.password or "",
        without_credentials(address),
        monotonic() + deadline,
    )
    registry = SchemaRegistry(name or _host_name(parts.hostname or ""))
    subjects = client.names("subjects?subjectPrefix=:*:", str)  # of all contexts, where there are any
    for subject in subjects:
        versions = f"subjects/{quote(subject, safe='')}/versions"
        for path in [f"{versions}/{version}" for version in client.names(versions, int)]:
            item = client.get(path)
            if not _is_schema(item):
                raise client.error(path, "it answers no schema")
            registry.add(item)
        config = client.get(f"config/{quote(subject, safe='')}?defaultToGlobal=true", optional=True)
        if isinstance(config, Mapping) and isinstance(config.get("compatibilityLevel"), str):
            registry.configure(subject, config)
    hidden = client.get("subjects?deleted=true&subjectPrefix=:*:", optional=True)
    registry.deleted |= set(map(str, hidden)).difference(subjects) if isinstance(hidden, list) else set()
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
        if isinstance(item, Mapping) and item.get("keytype") == "DELETE_SUBJECT":
            registry.delete(str(item.get("subject")), item.get("version"))
        elif _is_schema(item):
            registry.add(item)
        elif isinstance(item, Mapping) and "compatibilityLevel" in item:
            registry.configure(str(item.get("subject")), item)
    return registry if any(registry.subjects.values()) else None


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
        elif isinstance(value, Mapping) and "payload" in value:
            key, value = str(value.get("key")), None
        names = _json(key) if key.startswith("{") else None
        of_key = {name: names[name] for name in _OF_KEYS if name in names} if isinstance(names, Mapping) else {}
        if isinstance(value, Mapping):
            yield {**of_key, **value}
        elif of_key.get("keytype") == "SCHEMA":  # a record without a value deletes what has its key
            yield {"schema": "", **of_key, "deleted": True}


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


def _file(item: Mapping[str, Any], subject: str, sid: str) -> SchemaFile:
    """Return a version of a subject, of this name in its context, as a document of an id with its references."""
    text = item["schema"].encode(errors="replace").decode()  # halves of surrogate pairs can stand in no file
    if text.startswith("{") and "\n" not in text:  # as registries keep JSON, in which no change can be seen
        parsed = json_loader.parse(text.encode())
        text = text if parsed.problems else pretty_json(parsed.value).decode()
    name = f"x{_FILE_NAMES.get(str(item.get('schemaType') or 'AVRO'), '.json')}"
    listed = item.get("references")
    references = {
        str(each.get("name")): f"{each.get('subject')}/{each.get('version')}"
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, Mapping)
    }
    version = str(item["version"])
    metadata = item.get("metadata")
    properties = metadata.get("properties") if isinstance(metadata, Mapping) else None
    labels: dict[str, str] = {}
    for key, value in properties.items() if isinstance(properties, Mapping) else ():
        labels |= label(str(key), scalar(value))
    format_ = schema_format(name, text)
    return SchemaFile(f"{subject}/{version}", sid, version, format_, text, references, labels)


def _record(schema: SchemaFile) -> str:
    """Return the full name of the record that a document defines, by which some name subjects."""
    value = _json(schema.text) if schema.language == "Avro" else None
    if isinstance(value, Mapping) and isinstance(value.get("name"), str):
        return f"{value['namespace']}.{value['name']}" if value.get("namespace") else str(value["name"])
    if isinstance(value, Mapping):
        return str(value.get("title", ""))
    return next(iter(protobuf_types(schema.text)), "")


def _host_name(host: str) -> str:
    """Return the name of a host as an id; a number, or one that every machine has, tells nobody anything."""
    is_number = ":" in host or host.rpartition(".")[2].isdigit()
    return _NAMELESS if is_number or host in ("", "localhost") else schema_id(host).lower()


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
    deadline: float

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
            data = self._read(request)
        except HTTPError as error:
            error.close()
            if optional:
                return None
            moved = "; if you trust where it leads, name that address"
            hints = dict.fromkeys((301, 302, 303, 307, 308), moved) | {
                401: "; put the user's name and password into it, as in https://name:password@host",
                404: "; name the address of a schema registry's API, such as https://host/apis/ccompat/v7",
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

    def _read(self, request: Request) -> bytes:
        """Return the bytes of an answer, of which one byte may come now and then, so that no timeout ends it.

        Raises:
            OSError: it isn't whole in time, or there is none.
        """
        results: list[bytes | Exception] = []

        def read() -> None:
            try:
                with build_opener(_NoRedirects).open(request, timeout=_TIMEOUT) as answer:
                    results.append(answer.read(_MAX_ANSWER + 1))
            except Exception as error:  # noqa: BLE001 - raised again below
                results.append(error)

        thread = Thread(target=read, daemon=True)
        thread.start()
        thread.join(max(0.0, min(_ANSWER, self.deadline - monotonic())))
        if not results:
            message = "it takes too long to answer"
            raise TimeoutError(message)
        if isinstance(results[0], Exception):
            raise results[0]
        return results[0]

    def error(self, path: str, why: str) -> XregitError:
        return XregitError(f'"{self.base.rstrip("/")}/{path.partition("?")[0]}" gives no schemas: {why}')
