"""The learner: it groups samples, says what each group has in common, and holds every sample against the result."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xregit.arguments import to_path
from xregit.catalog.layout import REGISTRY_FILE
from xregit.diagnostics import Diagnostic, Severity
from xregit.document.foreign import ForeignDocument
from xregit.document.importer import ImportReport, update_registry
from xregit.document.learning.definitions import PLACES, SCHEMA_FORMAT, Definition, Key, split
from xregit.document.learning.paths import MAX_FIRST_WORDS, VARIABLE, PathTree
from xregit.document.learning.privacy import is_public
from xregit.document.learning.samples import Sample, fields_by_value, read_samples
from xregit.document.learning.shapes import DRAFT, join
from xregit.document.loader import LoadedDocument, load, load_converted
from xregit.document.schema_files import schema_id
from xregit.document.updates import STATES
from xregit.errors import XregitError
from xregit.messages.matcher import Matcher
from xregit.source import atomic_write
from xregit.source.file_tree import id_to_filename
from xregit.xid import is_id

GROUP = "learnt"
KNOWN = "the registry has a definition of them"
_MAX_PROBLEMS = 20
_TITLES = ("reading samples", "learning", "trying the definitions")


@dataclass(frozen=True, slots=True)
class LearntDefinition:
    """A message that was learnt: how many ``samples`` stand behind it, and what is ``sure`` of it and what is not."""

    xid: str
    samples: int
    sure: tuple[str, ...]
    unsure: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LearnReport:
    """The result of learning: ``written`` says which files were, ``left_out`` of how many samples nothing was learnt.

    ``left_out`` has their numbers by the reasons.
    """

    written: ImportReport
    definitions: tuple[LearntDefinition, ...]
    samples: int
    left_out: Mapping[str, int]


def learn(samples: Path | str | Sequence[Path | str], into: Path | str, group: str = GROUP) -> LearnReport:
    """Write definitions of messages into a registry folder, which is made if it is missing.

    Samples are files of JSON Lines: CloudEvents, or messages in the JSON shape of the wire. The definitions form a
    message group and a schema group. What was learnt into the same group before is refined, so that it is true of the
    earlier samples too; what people have edited since stays. Each sample that was learnt from is recognised as exactly
    one definition; others are left out, and so are those that other definitions of the registry recognise.

    Raises:
        XregitError: there is no message in the samples, a file can't be read or written, the group's name is no id, the
            registry has errors that keep it from being loaded, or another run is editing that folder; then nothing was
            written.
    """
    files = [to_path(path) for path in ([samples] if isinstance(samples, str | Path) else samples)]
    folder = to_path(into)
    if not is_id(group):
        message = f'"{group}" can\'t be the name of a group; use letters, digits, ".", "-" and "_"'
        raise XregitError(message)
    with atomic_write.edit_lock(folder):
        learner = _Learner(files, group, _state(folder, group), _other_definitions(folder, group))
        learner.read()
        learner.learn()
        learner.try_definitions()
        loaded = learner.load(folder / group)
        written = update_registry([ForeignDocument(loaded, group, learner.value)], folder)
    return LearnReport(written, learner.learnt(), learner.samples, dict(learner.left_out))


def _state(folder: Path, group: str) -> Mapping[str, Any]:
    """Return what was learnt before."""
    state = folder / STATES / f"{id_to_filename(group)}.json"
    return json.loads(state.read_bytes()) if state.is_file() else {}


def _other_definitions(folder: Path, group: str) -> Matcher | None:
    """Return a matcher of the registry, None where it has no messages but those that were learnt into the group."""
    if not (folder / REGISTRY_FILE).is_file():
        return None
    registry = load(folder)
    prefix = f"/messagegroups/{group}/"
    return Matcher(registry) if any(not item.xid.startswith(prefix) for item in registry.messages) else None


@dataclass
class _Learner:
    """One run over the samples; it reads them three times, so that it need not keep them.

    ``value`` is the xRegistry document that has been learnt.
    """

    files: Sequence[Path]
    group: str
    state: Mapping[str, Any]
    others: Matcher | None
    samples: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    problems: list[Diagnostic] = field(default_factory=list)
    trees: dict[str, PathTree] = field(default_factory=dict)
    plain: set[Key] = field(default_factory=set)
    definitions: dict[Key, Definition] = field(default_factory=dict)
    ids: dict[Key, str] = field(default_factory=dict)
    value: dict[str, Any] = field(default_factory=dict)

    def read(self) -> None:
        """Find out which levels of topics and subjects vary.

        Raises:
            XregitError: there is no message at all.
        """
        for message in self._old_messages().values():
            if place := PLACES.get(message.get("protocol", "")):
                levels = split(message["protocoloptions"][place.option], place.separator)
                if place.separator:
                    self._tree(message["protocol"]).add(levels)
        for sample in read_samples(self.files, _TITLES[0]):
            if sample.problem:
                self._note(sample)
                continue
            self.samples += 1
            path = self._path(sample)
            if path is None or sample.message.event is not None or self._is_known(sample):
                continue
            if not PLACES[path.protocol].separator:
                self.plain.add(path)
            else:
                self._tree(path.protocol).add(path.levels, fields_by_value(sample.payload))
        if not self.samples:
            why = f": {self.problems[0].message}" if self.problems else ""
            message = f"there is no message in the samples{why}"
            raise XregitError(message)
        for protocol, tree in self.trees.items():
            tree.settle()
            self.plain |= {Key(protocol, levels) for levels in tree.all_levels()}

    def _tree(self, protocol: str) -> PathTree:
        return self.trees.setdefault(protocol, PathTree(MAX_FIRST_WORDS))

    def _note(self, sample: Sample) -> None:
        self.left_out["they can't be read"] += 1
        if len(self.problems) < _MAX_PROBLEMS:
            advice = "Mend the line, or leave it: nothing is learnt from it."
            self.problems.append(
                Diagnostic(
                    "unreadable-sample", Severity.WARNING, str(sample.path), sample.problem, sample.line, help=advice
                )
            )

    def _is_known(self, sample: Sample) -> bool:
        """Return whether another definition of the registry recognises a message."""
        if self.others is None:
            return False
        prefix = f"/messagegroups/{self.group}/"
        return any(not item.xid.startswith(prefix) for item in self.others.match_message(sample.message).matches)

    def _path(self, sample: Sample) -> Key | None:
        """Return the topic or subject of a message, level by level."""
        message = sample.message
        place = PLACES.get(message.protocol)
        values = message.fields.get(place.option, ()) if place else ()
        return Key(message.protocol, split(str(values[0]), place.separator)) if place and values else None

    def _settled(self, path: Key) -> Key:
        tree = self.trees.get(path.protocol)
        return path if tree is None else Key(path.protocol, tree.levels(path.levels))

    def _key(self, sample: Sample) -> Key | str:
        """Return the key of the definition that a message belongs to, or why there can be none."""
        if self._is_known(sample):
            return KNOWN
        event, path = sample.message.event, self._path(sample)
        if event is not None:
            if path is not None and self._settled(path) in self.plain:
                return "they are CloudEvents on a topic that has other messages, too"
            return (
                Key("", (event["type"],))
                if is_public(event["type"])
                else "their type may hold a value, such as a number or a name"
            )
        if path is None and sample.message.protocol in PLACES:
            return "they have no topic or subject"
        if path is None:
            return f"of {sample.message.protocol}, definitions are learnt from CloudEvents only"
        key = self._settled(path)
        named = key.levels != (VARIABLE,) and (PLACES[path.protocol].separator or is_public(path.levels[0] or ""))
        return key if named else "their topic may hold a value, such as a number or a name"

    def learn(self) -> None:
        """Find out what the samples of each group have in common."""
        for sample in read_samples(self.files, _TITLES[1]):
            if sample.problem:
                continue
            key = self._key(sample)
            if isinstance(key, str):
                self.left_out[key] += 1
                continue
            self.definitions.setdefault(key, Definition(key)).add(sample)

    def try_definitions(self) -> None:
        """Hold every sample against the definitions, and drop those that don't recognise theirs, and only theirs."""
        self.value = self._document()
        matcher = Matcher(self.load(Path(self.group)).registry)
        unfit: set[Key] = set()
        for sample in read_samples(self.files, _TITLES[2]):
            key = "" if sample.problem else self._key(sample)
            if isinstance(key, Key) and key not in unfit:
                xids = [match.xid for match in matcher.match_message(sample.message).matches]
                if xids != [self._xid(key)]:
                    unfit.add(key)
        for key in unfit:
            self.left_out["their definition would recognise others too, or not all of them"] += self.definitions.pop(
                key
            ).count
            self._messages().pop(self.ids[key])
            self._schemas().pop(self.ids[key], None)

    def load(self, path: Path) -> LoadedDocument:
        """Return the registry of what was learnt; ``path`` names it."""
        return load_converted(path, self.value, "samples", self.problems)

    def learnt(self) -> tuple[LearntDefinition, ...]:
        """Return what was learnt, by the definitions' names."""
        items = sorted(self.definitions.items(), key=lambda item: self.ids[item[0]])
        return tuple(
            LearntDefinition(self._xid(key), item.count, tuple(item.sure), tuple(item.unsure)) for key, item in items
        )

    def _xid(self, key: Key) -> str:
        return f"/messagegroups/{self.group}/messages/{self.ids[key]}"

    def _messages(self) -> dict[str, Any]:
        messages: dict[str, Any] = self.value["messagegroups"][self.group]["messages"]
        return messages

    def _schemas(self) -> dict[str, Any]:
        schemas: dict[str, Any] = self.value["schemagroups"][self.group]["schemas"]
        return schemas

    def _old_messages(self) -> dict[str, Any]:
        messages: dict[str, Any] = self.state.get("messagegroups", {}).get(self.group, {}).get("messages", {})
        return messages

    def _old_schema(self, id_: str) -> dict[str, Any] | None:
        schemas = self.state.get("schemagroups", {}).get(self.group, {}).get("schemas", {})
        return schemas[id_]["versions"]["1"]["schema"] if id_ in schemas else None

    def _old_key(self, message: Mapping[str, Any]) -> Key:
        """Return the key of a message that was learnt before, as its levels are now."""
        place = PLACES.get(message.get("protocol", ""))
        if place is None:
            return Key("", (message["envelopemetadata"]["type"]["value"],))
        path = Key(message["protocol"], split(message["protocoloptions"][place.option], place.separator))
        return self._settled(path)

    def _document(self) -> dict[str, Any]:
        """Return the xRegistry document of all definitions, of those that were learnt before too."""
        group = {"name": self.group}
        self.value = {
            "schemagroups": {self.group: {**group, "schemas": {}}},
            "messagegroups": {self.group: {**group, "messages": {}}},
        }
        old: dict[Key, list[str]] = {}
        for id_, message in self._old_messages().items():
            old.setdefault(self._old_key(message), []).append(id_)
        taken = {ids[0].lower() for ids in old.values()}
        for key, ids in old.items():
            if key not in self.definitions:
                self._put(ids[0], self._old_messages()[ids[0]], self._old_schema(ids[0]))
        for key in sorted(self.definitions, key=repr):
            definition = self.definitions[key]
            ids = old.get(key, [])
            self.ids[key] = id_ = ids[0] if ids else _new_id(key, taken)
            taken.add(id_.lower())
            message, schema = definition.message(self.trees.get(key.protocol)), definition.schema()
            for each in ids:
                message = join_messages(self._old_messages()[each], message)
                schema = join_schemas(self._old_schema(each), schema)
            self._put(id_, message, schema)
        return self.value

    def _put(self, id_: str, message: Mapping[str, Any], schema: Mapping[str, Any] | None) -> None:
        """Add a message, and the schema of its payload."""
        message = {name: item for name, item in message.items() if not name.startswith("dataschema")}
        if schema:
            self._schemas()[id_] = {"versions": {"1": {"ancestor": "1", "format": SCHEMA_FORMAT, "schema": schema}}}
            message |= {
                "dataschemaformat": SCHEMA_FORMAT,
                "dataschemauri": f"/schemagroups/{self.group}/schemas/{id_}",
            }
        self._messages()[id_] = message


def _new_id(key: Key, taken: set[str]) -> str:
    words = [level for level in key.levels if level is not VARIABLE and level]
    id_ = schema_id(".".join(words)) if words else "messages"
    number = 1
    while (result := f"{id_}-{number}" if number > 1 else id_).lower() in taken:
        number += 1
    return result


def join_schemas(one: dict[str, Any] | None, other: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the schema of the payloads that fit one of two schemas; None where nothing is known of one of them."""
    if one is None or other is None:
        return None
    bodies = [{name: item for name, item in each.items() if name != "$schema"} for each in (one, other)]
    joined = join(*bodies)
    return {"$schema": DRAFT, **joined} if joined else None


def join_messages(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is true of the messages of two definitions with one key; names of placeholders are the older's."""
    message = {name: item for name, item in new.items() if name not in {"envelopemetadata", "protocoloptions"}}
    if old.get("datacontenttype") != new.get("datacontenttype"):
        message.pop("datacontenttype", None)
    if "envelopemetadata" in new:
        both = old["envelopemetadata"].keys() & new["envelopemetadata"].keys()
        pairs = {name: (old["envelopemetadata"][name], new["envelopemetadata"][name]) for name in sorted(both)}
        metadata = {name: _join_property(*pair) for name, pair in pairs.items()}
        message["envelopemetadata"] = {name: item for name, item in metadata.items() if item}
    if "protocoloptions" in new:
        message["protocoloptions"] = _join_options(old["protocoloptions"], new["protocoloptions"], new["protocol"])
    return message


def _join_property(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    same = {name for name in old if new.get(name) == old[name]}
    if ("value" in old or "value" in new) and not {"value", "type"} & old.keys() <= same:
        same -= {"value", "type"}
    return {name: old[name] for name in old if name in same}


def _join_options(old: Mapping[str, Any], new: Mapping[str, Any], protocol: str) -> dict[str, Any]:
    """Return the options that both state; the topic is the newer one unless only names differ."""
    place = PLACES[protocol]
    same = split(old[place.option], place.separator) == split(new[place.option], place.separator)
    options = {place.option: (old if same else new)[place.option]}
    if "key" in old and old["key"] == new.get("key"):
        options["key"] = old["key"]
    headers, others = old.get(place.headers), new.get(place.headers)
    if isinstance(headers, list) and isinstance(others, list):
        options |= {place.headers: kept} if (kept := [item for item in headers if item in others]) else {}
    elif headers and others:
        kept_names = {name: item for name, item in headers.items() if name in others}
        options |= {place.headers: kept_names} if kept_names else {}
    return options
