"""The reader: the files of an AsyncAPI document, and where the references among them lead. Nothing is fetched.

Whoever puts a value into the catalog takes it from its node. What is not taken is reported at the end as left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from xregit.catalog.origin import repository_of
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.document.asyncapi import facts
from xregit.document.schema_files import id_without_accents
from xregit.errors import XregitError
from xregit.json_pointer import KeyPath, index, unescape
from xregit.source import json_loader, yaml_loader
from xregit.source.file_tree import FileError, read
from xregit.source.parse_result import Parsed, Positions
from xregit.source.yaml_loader import expand_anchors

REF = "$ref"
Place = tuple[Path, KeyPath]
# Longer chains of references are circles.
_MAX_CHAIN = 50
_MAX_LINES = 20
_ENDINGS = (".json", ".yaml", ".yml", ".avsc")
# Schemas that are texts.
_TEXTS = (".proto", ".xsd")
# The most parts of a pointer that may be one key, whose slashes somebody forgot to escape.
_MAX_PARTS = 20
ADVICE = "Nothing needs to be done, unless it says something that readers need: then add it to a description."


@dataclass(frozen=True, eq=False)
class SourceFile:
    """One file: its path as reports name it, its value, and the text that positions are taken from.

    ``taken`` are the pointers of the values that are accounted for, ``kinds`` what the objects at some pointers are.
    """

    path: Path
    name: str
    value: Any
    data: bytes
    taken: set[KeyPath] = field(default_factory=set)
    kinds: dict[KeyPath, str] = field(default_factory=dict)

    @cached_property
    def positions(self) -> Positions:
        """Where the parts of the value stand."""
        return json_loader.positions(self.data) if _is_json(self.data) else yaml_loader.positions(self.data)


@dataclass(frozen=True, eq=False)
class Node:
    """A value inside a file, with its place there.

    ``raw`` is the value to decide by; what goes into the catalog is taken, or it will be reported as left out.
    ``own_name`` is the name of a node that is known by that of a reference to it.
    """

    raw: Any
    file: SourceFile
    pointer: KeyPath
    own_name: str = ""

    @property
    def name(self) -> str:
        """The key under which it stands."""
        return self.own_name or (str(self.pointer[-1]) if self.pointer else "")

    @property
    def place(self) -> Place:
        """What no other node of the document has."""
        return self.file.path, self.pointer

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is a reference to an address that is no file."""
        return "://" in self.reference.partition("#")[0]

    @property
    def reference(self) -> str:
        """The reference that it is, or empty."""
        value = self.look(REF)
        return value if isinstance(value, str) else ""

    def child(self, key: str | int) -> Node:
        """Return a member that is there."""
        return Node(self.raw[key], self.file, (*self.pointer, key))

    def members(self) -> Iterator[Node]:
        """Yield the members of a mapping or list; there are none of anything else."""
        if isinstance(self.raw, Mapping):
            yield from (self.child(key) for key in self.raw)
        elif isinstance(self.raw, list):
            yield from (self.child(number) for number in range(len(self.raw)))

    def look(self, key: str) -> Any:
        """Return the value of a member to decide by, or None where there is none."""
        return self.raw.get(key) if isinstance(self.raw, Mapping) else None

    def take(self, key: str | None = None) -> Any:
        """Return the value, or that of a member, which goes into the catalog; None where there is none."""
        if key is None:
            self.file.taken.add(self.pointer)
            return self.raw
        return None if self.look(key) is None else self.child(key).take()

    def text(self, key: str) -> str:
        """Take a member that is a text with something in it; return empty where there is none."""
        return str(self.take(key)).strip() if isinstance(self.look(key), str) else ""

    def set_aside(self, *keys: str, **values: Any) -> None:
        """Account for texts that are no content, as a comment there says, and for values that go without saying."""
        texts = [key for key in keys if isinstance(self.look(key), str)]
        for key in (*texts, *(key for key, value in values.items() if self.look(key) == value)):
            self.take(key)

    def is_a(self, kind: str) -> None:
        """Say what kind of object it is, for the report of its members."""
        self.file.kinds[self.pointer] = kind


@dataclass
class Notes:
    """What there is to say of a document: the faults of texts, and the places of each note."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    places: dict[tuple[str, Severity, str, str, str], dict[Place, Node]] = field(default_factory=dict)

    def add(self, rule: str, severity: Severity, node: Node, message: str, advice: str) -> None:
        """Add what there is to say of a place."""
        self.places.setdefault((rule, severity, message, advice, node.file.name), {}).setdefault(node.place, node)

    def leave_out(self, what: str, node: Node, advice: str = "") -> None:
        """Add a part that has no place in a catalog, which is accounted for by that."""
        node.take()
        message = f"{what} has no place in a catalog and is left out."
        self.add("left-out", Severity.INFO, node, message, advice or ADVICE)

    def all(self) -> list[Diagnostic]:
        """Return everything; what is the same of several places of a file is said once, with their lines."""
        result = list(self.diagnostics)
        for (rule, severity, message, advice, _), nodes in self.places.items():
            first, *others = sorted(nodes.values(), key=lambda node: _span(node).line)
            lines = list(dict.fromkeys(str(_span(node).line) for node in others))
            more = f"{', '.join(lines[:_MAX_LINES])}{', …' if len(lines) > _MAX_LINES else ''}"
            end = f" (also in line{'s' if len(lines) > 1 else ''} {more})." if lines else "."
            text = message.removesuffix(".") + end
            result.append(_diagnostic(rule, severity, first, text, advice))
        return result


@dataclass
class Reader:
    """The files of one or more documents, each read once, and the nodes that something used."""

    notes: Notes
    files: dict[Path, SourceFile | None] = field(default_factory=dict)
    used: dict[Place, Node] = field(default_factory=dict)
    known: Collection[str] = ()  # ids of earlier imports

    def document(self, path: Path, data: bytes) -> Node | None:
        """Return the whole of a file, or None where its text can't be read, which is noted."""
        path = path.resolve()
        file = self.files.get(path) or self._load(path, data)
        return Node(file.value, file, ()) if file else None

    def resolve(self, node: Node) -> Node:
        """Return what a node refers to, through any number of references; a broken one is noted, and is empty."""
        for _ in range(_MAX_CHAIN):
            self.used[node.place] = node
            if not node.reference:
                return node
            node.take(REF)
            target = self._target(node)
            if target is None:
                return Node({}, node.file, node.pointer)
            node = target
        self.notes.add(
            "broken-reference", Severity.ERROR, node, "The references lead in a circle.", "Break the circle."
        )
        return Node({}, node.file, node.pointer)

    def id_of(self, *texts: str) -> str:
        """Return the first text that has characters of an id, as an id; empty if none has."""
        return id_without_accents(_to_id, texts, self.known)

    def get(self, node: Node, *keys: str) -> Node | None:
        """Return what stands below a node, with references followed at each step; None where there is nothing."""
        for key in keys:
            node = self.resolve(node)
            if node.look(key) is None:
                return None
            node = node.child(key)
        return self.resolve(node)

    def members(self, node: Node, *keys: str) -> Iterator[Node]:
        """Yield the members of what stands below a node; references among the members are not followed."""
        inner = self.get(node, *keys)
        if inner is not None:
            yield from inner.members()

    def leave_out_rest(self, root: Node) -> None:
        """Report what is not taken of a document, and of what its references lead to, in parts as large as can be."""
        for node in (root, *(node for node in self.used.values() if node.file is not root.file)):
            for part in self._rest(node)[1]:
                self.notes.leave_out(_what(part), part)

    def _rest(self, node: Node) -> tuple[bool, list[Node]]:
        """Return whether anything of a node is taken, and the parts of it that are not; by that, it is taken."""
        if node.pointer in node.file.taken:
            return True, []
        node.take()
        inner = [self._rest(member) for member in node.members()]
        if not inner:
            return False, [] if node.raw in (None, "", {}, []) else [node]
        rest = [part for _, parts in inner for part in parts]
        is_used = node.pointer in node.file.kinds or _is_section(node.pointer) or any(used for used, _ in inner)
        return is_used, rest if is_used or not rest else [node]

    def _target(self, node: Node) -> Node | None:
        address, _, fragment = node.reference.partition("#")
        file = self._file(node, address) if address else node.file
        if file is None:
            return None
        target = Node(file.value, file, ())
        parts = [unescape(part) for part in unquote(fragment).split("/")[1:]]
        while parts:
            key, count = _first_key(target.raw, parts)
            if key is None:
                message, advice = f'"{node.reference}" leads nowhere.', "Correct the reference."
                self.notes.add("broken-reference", Severity.ERROR, node, message, advice)
                return None
            target, parts = target.child(key), parts[count:]
        return target

    def _file(self, node: Node, address: str) -> SourceFile | None:
        """Return the file that a reference names; only those are read that may hold definitions."""
        if node.is_elsewhere:
            advice = "Nothing is fetched: save the file beside the document, and refer to it by its path."
            self._unread(node, f'"{node.reference}" is an address elsewhere', advice)
            return None
        try:
            path = (node.file.path.parent / unquote(address)).resolve()
        except (OSError, RuntimeError, ValueError):
            self._unread(node, f'"{address}" is no path of a file', "Correct the reference.")
            return None
        if path.suffix not in (*_ENDINGS, *_TEXTS):
            endings = ", ".join((*_ENDINGS, *_TEXTS))
            self._unread(node, f'"{address}" is no file of definitions', f"They end in {endings}.")
            return None
        if not path.is_relative_to(repository_of(next(iter(self.files)))):
            advice = "Put both into one Git repository, or the file into the folder of the document."
            self._unread(node, f'"{address}" leads out of the repository, or folder, of the document', advice)
            return None
        if path not in self.files:
            try:
                data = read(path.parent, path.name)
            except FileError as error:
                self.files[path] = None
                message = error.problem.message.removeprefix("this can't be read: ")
                self._unread(node, f'"{address}" can\'t be read: {message}', "Correct the reference.")
                return None
            self._load(path, data)
        return self.files[path]

    def _load(self, path: Path, data: bytes) -> SourceFile | None:
        """Read a file; a text that can't be read is noted, and has no value."""
        parsed = Parsed(data.decode(errors="replace")) if path.suffix in _TEXTS else parse(data)
        name = path.relative_to(repository_of(path)).as_posix()
        for item in parsed.problems:
            message, advice = (f"{text[:1].upper()}{text[1:]}." for text in (item.message, item.help))
            self.notes.diagnostics.append(Diagnostic(item.rule, Severity.ERROR, name, message, *item.span, help=advice))
        self.files[path] = None if parsed.problems else SourceFile(path, name, parsed.value, data)
        return self.files[path]

    def _unread(self, node: Node, message: str, advice: str) -> None:
        """Note a reference out of the source, of which the rest is imported."""
        message = f"{message}, and what it says is left out."
        self.notes.add("broken-reference", Severity.WARNING, node, message, advice)


def _first_key(value: Any, parts: list[str]) -> tuple[str | int | None, int]:
    """Return the member that the first parts of a pointer name, and how many: a key may have slashes in it."""
    if isinstance(value, list):
        return index(parts[0], len(value)), 1
    for count in range(1, min(len(parts), _MAX_PARTS) + 1) if isinstance(value, Mapping) else ():
        if "/".join(parts[:count]) in value:
            return "/".join(parts[:count]), count
    return None, 0


def parse(data: bytes) -> Parsed:
    """Return the value of a JSON or YAML text; anchors, which other tools' YAML often has, are followed."""
    return json_loader.parse(data) if _is_json(data) else expand_anchors(data)


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        XregitError: it can't be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        message = f'"{path}" can\'t be read: {error.strerror}'
        raise XregitError(message) from error


def _is_json(data: bytes) -> bool:
    return data.lstrip()[:1] in (b"{", b"[")


def _what(node: Node) -> str:
    """Return how the report names a part, by its key and by what has it."""
    *above, place = [number for number, key in enumerate(node.pointer) if isinstance(key, str)] or [-1]
    if _is_section(node.pointer[:-1]):
        return f'A member of "{node.pointer[-2]}" that nothing uses'
    owner = f'"{node.pointer[above[-1]]}"' if above else "the document"
    what = f'"{node.pointer[place]}"' if node.pointer else "The content"
    return f"{what} of {node.file.kinds.get(node.pointer[:place], owner)}"


def _is_section(pointer: KeyPath) -> bool:
    return pointer in (("servers",), ("components",)) or pointer[:-1] == ("components",)


def _span(node: Node) -> Span:
    return node.file.positions.span(node.pointer, on_key=True)


def _diagnostic(rule: str, severity: Severity, node: Node, message: str, advice: str) -> Diagnostic:
    return Diagnostic(rule, severity, node.file.name, message, *_span(node), help=advice)


Value = dict[str, Any]
MARK = "asyncapi"
_BRACES = re.compile(r"\{([^{}]*)\}")
_NO_NAME, _NO_ID, _NO_LABEL = map(re.compile, (r"[^A-Za-z0-9_]+", r"[^A-Za-z0-9._~]+", r"[^a-z0-9._-]+"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Extensions that the exporter writes, which have places of their own.
_OURS = re.compile(
    r"x-(xid|channel|protocol(options)?|scheme|envelopeoptions|dataschema(type|format|uri)|eventcatalog-(message-version|role))"
)
# Members of info that are labels, and members of these that are.
_INFO, _PARTS = ("version", "contact", "license", "termsOfService"), ("name", "email", "url")


@dataclass
class Descriptions:
    """What objects say of themselves, as attributes and labels."""

    reader: Reader

    def of(self, *parts: tuple[str, tuple[Node, ...]]) -> Value:
        """Return description, documentation and labels of objects of these kinds, each with those of its traits."""
        texts: dict[str, None] = {}
        documentation = ""
        labels: dict[str, str] = {}
        for kind, nodes in parts:
            texts |= dict.fromkeys(next(([text] for node in nodes if (text := _text(node))), []))
            for node in nodes:
                docs = self.reader.get(node, "externalDocs")
                if docs is not None and facts.is_uri(docs.look("url")) and documentation in ("", docs.look("url")):
                    documentation = docs.text("url")
                labels = joined(labels, self.labels(kind, node))
        whole = [text for text in texts if not any(text in other for other in texts if other != text)]
        result = {"description": "\n\n".join(whole), "documentation": documentation, "labels": labels}
        return {name: item for name, item in result.items() if item}

    def labels(self, kind: str, node: Node) -> dict[str, str]:
        """Return the labels of one object: its tags, and extensions that are one value."""
        node.is_a(f"the {kind}")
        result: dict[str, str] = {}
        for tag in map(self.reader.resolve, self.reader.members(node, "tags")):
            tag.is_a("a tag")
            name, _, value = tag.text("name").partition(":")
            own = label(name, value.strip() or tag.text("description"))
            if name and not own:
                self.reader.notes.leave_out("A tag without a letter that labels may have", tag)
            result = joined(result, own)
        for member in node.members():
            if member.name.startswith("x-") and not _OURS.fullmatch(member.name) and scalar(member.raw):
                result = joined(result, label(member.name, scalar(member.take())))
        return result

    def info(self, node: Node) -> dict[str, str]:
        """Return what only an info object says, as labels."""
        result: dict[str, str] = {}
        for name in _INFO:
            if node.look(name) is not None:
                member = node.child(name)
                items = [member.child(part) for part in _PARTS if member.look(part) is not None] or [member]
                text = ", ".join(scalar(item.take()) for item in items if scalar(item.raw))
                result |= label(_CAMEL.sub("-", name), text)
        return result

    def variables(self, nodes: Iterable[Node]) -> str:
        """Return a list in Markdown of what is known of the variables of an address; empty where nothing is."""
        lines = []
        for node in nodes:
            schema = self.reader.get(node, "schema") or node  # as AsyncAPI 2 has it
            for item in (node, schema):
                item.is_a("a variable of an address")
            schema.set_aside(type="string")  # as every part of an address
            text = node.text("description") or schema.text("description")
            more = " ".join(_variable_facts(node, schema))
            end = "." if text and more and text[-1] not in ".!?:;" else ""
            if text or more:
                lines.append(f"- `{_variable(node.name)}`: {' '.join(filter(None, (text + end, more)))}")
        return "\n".join(lines)


def _variable_facts(node: Node, schema: Node) -> Iterator[str]:
    """Yield sentences on the values of a variable."""
    for name, head in (("enum", "One of"), ("default", "By default"), ("examples", "For example")):
        if scalar(schema.look(name)):
            value = schema.take(name)
            yield f"{head} {_quoted(value if isinstance(value, list) else [value])}."
    if node.text("location"):
        yield f"The same as `{node.text('location')}`."


def joined(labels: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Return labels with those of another object; a label of both has the values of both."""
    result = dict(labels)
    for name, text in others.items():
        texts = dict.fromkeys((*result.get(name, "").split(", "), text))
        result[name] = ", ".join(filter(None, texts))
    return result


def _text(node: Node) -> str:
    """Return summary and description of an object, of which one may say what the other says."""
    summary, description = node.text("summary"), node.text("description")
    return description if summary in description else "\n\n".join(filter(None, (summary, description)))


def scalar(value: Any) -> str:
    """Return a value, or a list of them, as a text; empty for one with an inner structure."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value).strip()
    if isinstance(value, list) and not any(isinstance(item, Mapping | list) for item in value):
        return ", ".join(map(scalar, value))
    return ""


def label(name: str, value: str) -> dict[str, str]:
    """Return a label, by whatever name it can have that is nearest to its own; none if no letter is left."""
    key = _NO_LABEL.sub("-", name.strip().lower()).strip("-._")
    return {key[:63]: value} if key else {}


def _quoted(values: Iterable[Any]) -> str:
    return ", ".join(f"`{scalar(value)}`" for value in values)


def _to_id(text: str) -> str:
    return _NO_ID.sub("-", text).strip("-.~")[:128]


def placeholder_names(template: str) -> str:
    """Return a template with the names of its variables as RFC 6570 allows them."""
    return _BRACES.sub(lambda match: f"{{{_variable(match[1])}}}", template)


def _variable(name: str) -> str:
    return _NO_NAME.sub("_", name).strip("_") or "value"
