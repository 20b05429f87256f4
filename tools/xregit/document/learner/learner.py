"""The learner: it groups samples, says what each group has in common, and holds every sample against the result."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from xregit.arguments import to_path
from xregit.catalog.layout import REGISTRY_FILE, STATES
from xregit.diagnostics import Diagnostic, Severity
from xregit.document.foreign import ForeignDocument
from xregit.document.importer import ImportReport, update_registry
from xregit.document.learner.brokers import Limits
from xregit.document.learner.definitions import PLACES, DefinitionDraft, Key, path_of
from xregit.document.learner.kinds import MAX_FIRST_WORDS, ONLY, VARIABLE, PathTree, Variant, Variants, is_public
from xregit.document.learner.samples import Sample, Source, fields_by_value, opened, read_samples
from xregit.document.learner.shapes import Observation
from xregit.document.loader import LoadedDocument, load, load_converted
from xregit.document.schema_files import schema_id
from xregit.errors import XregitError
from xregit.messages.matcher import Matcher
from xregit.source import atomic_write
from xregit.source.file_tree import id_to_filename
from xregit.xid import is_id

GROUP = "learnt"
STATE = "samples"  # where the document of what was learnt has the state of the learner
SCHEMA_FORMAT = "JsonSchema/draft/2020-12"
DEFAULT_LIMITS = Limits()
KNOWN = "the registry has a definition of them"
AGAIN = "they were learnt from before"
_MAX_PROBLEMS = 20
MAX_DEFINITIONS = 10_000
# A kind of message with more than one word, as in OrderPlaced or order.placed.
_CLEAR = re.compile(r"[a-z][A-Z]|[a-z][._-][a-z]")
_TITLES = ("reading samples", "telling kinds apart", "learning", "trying the definitions")
SURE = 0.9  # of confidence


@dataclass(frozen=True, slots=True)
class LearntDefinition:
    """A message that was learnt: the number of its ``samples``, with ``earlier`` ones, and what they say."""

    xid: str
    samples: int
    earlier: int
    findings: tuple[Observation, ...]

    @property
    def sure(self) -> tuple[Observation, ...]:
        """What at least nine messages in ten agree on, as far as the samples can tell."""
        return tuple(item for item in self.findings if item.confidence is not None and item.confidence >= SURE)

    @property
    def unsure(self) -> tuple[Observation, ...]:
        """What too few samples tell, or none can."""
        return tuple(item for item in self.findings if item not in self.sure)


@dataclass(frozen=True, slots=True)
class LearnReport:
    """The result of learning: ``written`` says which files were, ``left_out`` of how many samples nothing was learnt.

    ``left_out`` has their numbers by the reasons.
    """

    written: ImportReport
    definitions: tuple[LearntDefinition, ...]
    samples: int
    left_out: Mapping[str, int]


def learn(
    samples: Path | str | Sequence[Path | str], into: Path | str, group: str = GROUP, limits: Limits = DEFAULT_LIMITS
) -> LearnReport:
    """Write definitions of messages into a registry folder, which is made if it is missing.

    Samples are files of JSON Lines (CloudEvents, or messages in the JSON shape of the wire), Delta tables of `route`,
    and addresses of brokers, which are read until a limit is reached. The definitions form a message group and a schema
    group. What was learnt into the same group before counts on, and what people have edited since stays. Each sample
    that was learnt from is recognised as exactly one definition; others are left out, and so are those that other
    definitions of the registry recognise, and sources that were learnt from before.

    Raises:
        XregitError: nothing can be learnt from the samples, or they have too many kinds of messages, a source can't be
            read or a file written, the group's name is no id, the registry has errors that keep it from being loaded,
            or another run is editing that folder; then nothing was written.
    """
    folder = to_path(into)
    if not is_id(group):
        message = f'"{group}" is not a valid name of a group; use letters, digits, ".", "-" and "_"'
        raise XregitError(message)
    sources = [samples] if isinstance(samples, str | Path) else samples
    with opened(sources, limits) as files, atomic_write.edit_lock(folder):
        learner = _learner(files, group, folder / STATES / f"{id_to_filename(group)}.json")
        learner.others = _other_definitions(folder, learner.old_xids)
        learner.read()
        learner.tell_apart()
        learner.learn()
        learner.try_definitions()
        if not learner.definitions and not learner.old:
            reasons = ", ".join(f"{reason} ({count:,})" for reason, count in learner.left_out.items())
            message = f"nothing can be learnt from the samples: {reasons}"
            raise XregitError(message)
        loaded = learner.load(folder / group)
        value = {**learner.value, STATE: learner.next_state()}
        written = update_registry(ForeignDocument(loaded, group, value), folder)
    return LearnReport(written, learner.learnt(), learner.samples, dict(learner.left_out))


def _learner(files: Sequence[Source], group: str, state: Path) -> _Learner:
    """Return a learner that goes on from what was learnt before.

    Raises:
        XregitError: the state is that of an import or of an earlier release, or damaged.
    """
    if not state.is_file():
        return _Learner(files, group)
    try:
        document = json.loads(state.read_bytes())
        if STATE not in document and "messagegroups" in document:
            message = (
                f'"{state}" was written by "xregit import", or by an earlier release of "xregit learn", whose counts '
                f"can't be read; name another group with --group, or, to learn this one anew, delete {state}, "
                f"messagegroups/{group} and schemagroups/{group}"
            )
            raise XregitError(message)
        return _Learner(files, group, document, document[STATE])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        message = f'"{state}" is damaged; restore it from Git, or name another group with --group'
        raise XregitError(message) from error


def _other_definitions(folder: Path, learnt: frozenset[str]) -> Matcher | None:
    """Return a matcher of the registry, None where it has no messages but those that were learnt, with these xids."""
    if not (folder / REGISTRY_FILE).is_file():
        return None
    registry = load(folder)
    return Matcher(registry) if any(item.xid not in learnt for item in registry.messages) else None


@dataclass
class _Learner:
    """One run over the samples; it reads them four times, so that it need not keep them.

    ``document`` is the xRegistry document that was learnt before, ``value`` the one that is now.
    """

    files: Sequence[Source]
    group: str
    document: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    others: Matcher | None = None
    samples: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    problems: list[Diagnostic] = field(default_factory=list)
    trees: dict[str, PathTree] = field(default_factory=dict)
    plain: dict[Key, Variants] = field(default_factory=dict)
    definitions: dict[Key, DefinitionDraft] = field(default_factory=dict)
    ids: dict[Key, str] = field(default_factory=dict)
    value: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take up the state."""
        self.trees, self.carried = (
            {protocol: PathTree(MAX_FIRST_WORDS, tree) for protocol, tree in self.state.get(name, {}).items()}
            for name in ("topics", "events")
        )
        self.old = {id_: DefinitionDraft.load(state) for id_, state in self.state.get("definitions", {}).items()}
        self.digests = {source.digest: source for source in self.files}
        known = self.state.get("sources", ())
        self.new = [source for digest, source in self.digests.items() if digest not in known]

    def next_state(self) -> dict[str, Any]:
        """Return what the next run has to know: the sources that were read, and what all samples have in common."""
        learnt = {self.ids[key]: definition.state() for key, definition in self.definitions.items()}
        old = {id_: state for id_, state in self.state.get("definitions", {}).items() if id_ in self._messages()}
        definitions = {**old, **learnt}
        return {
            "sources": sorted({*self.state.get("sources", ()), *self.digests}),
            "topics": {protocol: self.trees[protocol].state() for protocol in sorted(self.trees)},
            "events": {protocol: self.carried[protocol].state() for protocol in sorted(self.carried)},
            "definitions": {id_: definitions[id_] for id_ in sorted(definitions)},
        }

    def read(self) -> None:
        """Find out which levels of topics and subjects vary.

        Raises:
            XregitError: there is no message at all.
        """
        for sample in read_samples(self.new, _TITLES[0]):
            if sample.problem:
                self._note(sample)
                continue
            self.samples += 1
            path = path_of(sample)
            if path is None or sample.message.event is not None or self._is_known(sample):
                continue
            if not PLACES[path.protocol].separator:
                self.plain.setdefault(path, Variants())
            else:
                tree = self.trees.setdefault(path.protocol, PathTree(MAX_FIRST_WORDS))
                tree.add(path.levels, fields_by_value(sample.payload))
        if again := sum(
            not sample.problem for source in self.files if source not in self.new for sample in source.samples()
        ):
            self.left_out[AGAIN] = again
            self.samples += again
        if not self.samples:
            first = self.problems[0] if self.problems else None
            why = f": {first.path}:{first.line}: {first.message}" if first is not None else ""
            message = f"there is no message in the samples{why}"
            raise XregitError(message)
        for protocol, tree in self.trees.items():
            tree.settle()
            self.plain |= {Key(protocol, levels): Variants() for levels in tree.all_levels()}
        old = {self._settled(item.key)._replace(variant=ONLY) for item in self.old.values() if item.key.protocol}
        self.plain |= {key: Variants() for key in old - self.plain.keys()}
        for key in [key for key in self.plain if key not in old and self._carries_events(key)]:
            del self.plain[key]

    def _carries_events(self, key: Key) -> bool:
        """Return whether events were learnt from in earlier runs that a definition of these levels would fit."""
        tree = self.carried.get(key.protocol)
        return tree is not None and tree.fits(key.levels)

    def _note(self, sample: Sample) -> None:
        self.left_out["they can't be read"] += 1
        if len(self.problems) < _MAX_PROBLEMS:
            advice = "Mend the line, or leave it: nothing is learnt from it."
            place = (sample.source, sample.problem, sample.line)
            self.problems.append(Diagnostic("unreadable-sample", Severity.WARNING, *place, help=advice))

    def _is_known(self, sample: Sample) -> bool:
        """Return whether another definition of the registry recognises a message."""
        if self.others is None:
            return False
        return any(item.xid not in self.old_xids for item in self.others.match_message(sample.message).matches)

    @cached_property
    def old_xids(self) -> frozenset[str]:
        """The xids of the messages that were learnt before."""
        return frozenset(map(self._xid, self.old))

    def _settled(self, path: Key) -> Key:
        tree = self.trees.get(path.protocol)
        return path if tree is None else path._replace(levels=tree.levels(path.levels))

    def _key(self, sample: Sample) -> Key | str:
        """Return the key of the definition that a message belongs to, or why there can be none."""
        if self._is_known(sample):
            return KNOWN
        event, path = sample.message.event, path_of(sample)
        if event is None:
            return self._native_key(sample, path)
        if path is not None and self._settled(path) in self.plain:
            return "they are CloudEvents on a topic that has other messages, too"
        if not is_public(event["type"]):
            return "their type may hold a value, such as a number or a name"
        return Key("", (event["type"],))

    def _native_key(self, sample: Sample, path: Key | None) -> Key | str:
        """Return the key of a message that is no event, or why there is none."""
        if path is None and sample.message.protocol in PLACES:
            return "they have no topic, subject or path"
        if path is None:
            return f"of {sample.message.protocol}, definitions are learnt from CloudEvents only"
        key = self._settled(path)
        if key.levels == (VARIABLE,) or not (PLACES[path.protocol].separator or is_public(path.levels[0] or "")):
            return "their topic may hold a value, such as a number or a name"
        if key not in self.plain:
            return "they are on a topic of CloudEvents, from which definitions were learnt before"
        variant = self.plain[key].variant(sample, PLACES[path.protocol].headers)
        return variant if isinstance(variant, str) else key._replace(variant=variant)

    def tell_apart(self) -> None:
        """Find out which topics have several kinds of messages, and what tells them apart."""
        for sample in read_samples(self.new, _TITLES[1]) if self.plain else ():
            path = None if sample.problem or sample.message.event is not None else path_of(sample)
            variants = self.plain.get(self._settled(path)) if path is not None else None
            if path is not None and variants is not None and not self._is_known(sample):
                variants.add(sample, PLACES[path.protocol].headers)
        known: dict[Key, list[tuple[Variant, frozenset[str] | None]]] = {}
        for definition in self.old.values():
            key, payload = self._settled(definition.key), definition.payload
            fields = None if payload is None or payload.types.keys() <= {"null"} else frozenset(payload.fields)
            known.setdefault(key._replace(variant=ONLY), []).append((key.variant, fields))
        for key, variants in self.plain.items():
            variants.settle(known.get(key, ()))

    def learn(self) -> None:
        """Find out what the samples of each group have in common, with those of earlier runs.

        Raises:
            XregitError: there are more definitions than anybody would read.
        """
        for sample in read_samples(self.new, _TITLES[2]):
            if sample.problem:
                continue
            key = self._key(sample)
            if isinstance(key, str):
                self.left_out[key] += 1
                continue
            if key not in self.definitions:
                self._begin(key)
            self.definitions[key].add(sample)
            path = None if key.protocol else path_of(sample)
            if path is not None and (PLACES[path.protocol].separator or is_public(path.levels[0] or "")):
                self.carried.setdefault(path.protocol, PathTree(MAX_FIRST_WORDS)).add(path.levels, {})
        for key, ids in self._old_ids.items():
            if len(ids) > 1 and key not in self.definitions:
                self._begin(key)

    def _begin(self, key: Key) -> None:
        """Begin a definition, with what was learnt of its key before."""
        ids = self._old_ids.get(key, ())
        if len(self.definitions) == MAX_DEFINITIONS:
            message = (
                f"the samples have more than {MAX_DEFINITIONS:,} types, topics and kinds of messages, which seem to "
                "hold values; learn from fewer"
            )
            raise XregitError(message)
        self.definitions[key] = definition = DefinitionDraft(key, [self._old_messages[id_] for id_ in ids])
        for id_ in ids:
            definition.merge(self.old[id_])

    @cached_property
    def _old_ids(self) -> Mapping[Key, Sequence[str]]:
        """The ids of what was learnt before by the keys that they have now."""
        ids: dict[Key, list[str]] = {}
        for id_, definition in self.old.items():
            ids.setdefault(self._settled(definition.key), []).append(id_)
        return ids

    def try_definitions(self) -> None:
        """Hold every sample against the definitions, and drop those that don't recognise theirs, and only theirs."""
        self._write()
        matcher = Matcher(self.load(Path(self.group)).registry)
        unfit: set[Key] = set()
        for sample in read_samples(self.new, _TITLES[3]):
            key = "" if sample.problem else self._key(sample)
            if isinstance(key, Key) and key not in unfit:
                xids = [match.xid for match in matcher.match_message(sample.message).matches]
                if xids != [self._xid(self.ids[key])]:
                    unfit.add(key)
        for key in unfit:
            definition = self.definitions.pop(key)
            reason = "their definition would recognise others too, or not all of them"
            self.left_out[reason] += definition.count - definition.earlier
            self._messages().pop(self.ids[key])
            self._schemas().pop(self.ids[key], None)
            for id_ in self._old_ids.get(key, ()):
                self._restore(id_)
        self.value["messagegroups"][self.group]["messages"] = dict(sorted(self._messages().items()))
        self.value["schemagroups"][self.group]["schemas"] = dict(sorted(self._schemas().items()))

    def load(self, path: Path) -> LoadedDocument:
        """Return the registry of what was learnt; ``path`` names it."""
        return load_converted(path, self.value, "samples", self.problems)

    def learnt(self) -> tuple[LearntDefinition, ...]:
        """Return what was learnt, by the definitions' names."""
        items = sorted((self.ids[key], item) for key, item in self.definitions.items() if item.count > item.earlier)
        for _, item in items:
            variants = self.plain.get(item.key)
            told = item.payload.told if item.payload is not None else ()
            if variants is not None and (text := variants.mixture(told)):
                item.findings.insert(0, Observation(text, item.count, None))
        return tuple(
            LearntDefinition(self._xid(id_), item.count, item.earlier, tuple(item.findings)) for id_, item in items
        )

    def _xid(self, id_: str) -> str:
        return f"/messagegroups/{self.group}/messages/{id_}"

    def _messages(self) -> dict[str, Any]:
        messages: dict[str, Any] = self.value["messagegroups"][self.group]["messages"]
        return messages

    def _schemas(self) -> dict[str, Any]:
        schemas: dict[str, Any] = self.value["schemagroups"][self.group]["schemas"]
        return schemas

    @cached_property
    def _old_messages(self) -> Mapping[str, Any]:
        messages: Mapping[str, Any] = self.document["messagegroups"][self.group]["messages"]
        return messages

    def _restore(self, id_: str) -> None:
        """Add a message and its schema as they were."""
        self._messages()[id_] = self._old_messages[id_]
        schemas = self.document["schemagroups"][self.group]["schemas"]
        self._schemas().update({id_: schemas[id_]} if id_ in schemas else {})

    def _write(self) -> None:
        """Make the xRegistry document of all definitions, of those that were learnt before too."""
        group = {"name": self.group}
        self.value = {
            "schemagroups": {self.group: {**group, "schemas": {}}},
            "messagegroups": {self.group: {**group, "messages": {}}},
        }
        taken = {id_.lower() for id_ in self.old}
        for key, ids in self._old_ids.items():
            if key not in self.definitions:
                self._restore(ids[0])
        for key in sorted(self.definitions, key=repr):
            ids = self._old_ids.get(key, ())
            self.ids[key] = id_ = ids[0] if ids else _new_id(key, taken)
            taken.add(id_.lower())
            message, schema = (
                self.definitions[key].message(self.trees.get(key.protocol)),
                self.definitions[key].schema(),
            )
            if schema:
                self._schemas()[id_] = {"versions": {"1": {"ancestor": "1", "format": SCHEMA_FORMAT, "schema": schema}}}
                message["dataschemaformat"] = SCHEMA_FORMAT
                message["dataschemauri"] = f"/schemagroups/{self.group}/schemas/{id_}"
            self._messages()[id_] = message


def _new_id(key: Key, taken: set[str]) -> str:
    """Return an id: the words of a type or topic, with the kind of message unless that is clear by itself."""
    words = [level for level in key.levels if level is not VARIABLE and level]
    kind = key.variant.value
    words = [kind] if _CLEAR.search(kind) else [*words, *filter(None, [kind or key.variant.name])]
    id_ = schema_id(".".join(words)) if words else "messages"
    number = 1
    while (result := f"{id_}-{number}" if number > 1 else id_).lower() in taken:
        number += 1
    return result
