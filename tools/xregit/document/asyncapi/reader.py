"""The reader: the files of an AsyncAPI document, and where the references among them lead. Nothing is fetched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from xregit.catalog.origin import repository_of
from xregit.diagnostics import Diagnostic, Severity, Span
from xregit.errors import XregitError
from xregit.json_pointer import KeyPath, index, unescape
from xregit.source import json_loader, yaml_loader
from xregit.source.file_tree import FileError, read
from xregit.source.yaml_anchors import expand_anchors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.source.parse_result import Parsed, Positions

REF = "$ref"
Place = tuple[Path, KeyPath]
# Longer chains of references are circles.
_MAX_CHAIN = 50
_MAX_LINES = 20
_ENDINGS = (".json", ".yaml", ".yml", ".avsc")


@dataclass(frozen=True, eq=False)
class SourceFile:
    """One file: its path as reports name it, its value, and the text that positions are taken from."""

    path: Path
    name: str
    value: Any
    data: bytes

    @cached_property
    def positions(self) -> Positions:
        """Where the parts of the value stand."""
        return json_loader.positions(self.data) if _is_json(self.data) else yaml_loader.positions(self.data)


@dataclass(frozen=True, eq=False)
class Node:
    """A value inside a file, with the place where it stands."""

    value: Any
    file: SourceFile
    pointer: KeyPath

    @property
    def name(self) -> str:
        """The key under which it stands."""
        return str(self.pointer[-1]) if self.pointer else ""

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
        value = self.value.get(REF) if isinstance(self.value, Mapping) else None
        return value if isinstance(value, str) else ""

    def child(self, key: str | int) -> Node:
        """Return a member that is there."""
        return Node(self.value[key], self.file, (*self.pointer, key))

    def members(self) -> Iterator[Node]:
        """Yield the members of a mapping or list; there are none of anything else."""
        if isinstance(self.value, Mapping):
            yield from (self.child(key) for key in self.value)
        elif isinstance(self.value, list):
            yield from (self.child(number) for number in range(len(self.value)))

    def text(self, key: str) -> str:
        """Return a member that is a text with something in it, or empty."""
        value = self.value.get(key) if isinstance(self.value, Mapping) else None
        return value.strip() if isinstance(value, str) else ""


@dataclass
class Notes:
    """What there is to say of a document: faults at their places, and what was left out, by kinds."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    left: dict[str, dict[Place, Node]] = field(default_factory=dict)

    def add(self, rule: str, severity: Severity, node: Node, message: str, advice: str) -> None:
        """Add what is wrong at a place."""
        diagnostic = _diagnostic(rule, severity, node, message, advice)
        if diagnostic not in self.diagnostics:  # as a broken reference is met more than once
            self.diagnostics.append(diagnostic)

    def leave_out(self, what: str, node: Node) -> None:
        """Add a part that has no place in a catalog."""
        self.left.setdefault(what, {}).setdefault(node.place, node)

    def all(self) -> list[Diagnostic]:
        """Return everything; of each kind of part left out the first place, with the lines of the others."""
        result = list(self.diagnostics)
        for what, nodes in self.left.items():
            first, *others = nodes.values()
            lines = Counter(str(_span(node).line) for node in others if node.file is first.file)
            shown = ", ".join(list(lines)[:_MAX_LINES])
            more = f" (also in line{'s' if len(lines) > 1 else ''} {shown}{', …' if len(lines) > _MAX_LINES else ''})"
            message = f"{what} has no place in a catalog and is left out{more if lines else ''}."
            advice = (
                "Nothing needs to be done, unless it says something that readers need: then add it to a description."
            )
            result.append(_diagnostic("left-out", Severity.INFO, first, message, advice))
        return result


@dataclass
class Reader:
    """The files of one or more documents, each read once."""

    notes: Notes
    files: dict[Path, SourceFile | None] = field(default_factory=dict)

    def document(self, path: Path, data: bytes) -> Node | None:
        """Return the whole of a file, or None where its text can't be read, which is noted."""
        path = path.resolve()
        file = self.files.get(path) or self._load(path, data)
        return Node(file.value, file, ()) if file else None

    def resolve(self, node: Node) -> Node:
        """Return what a node refers to, through any number of references; a broken one is noted, and is empty."""
        for _ in range(_MAX_CHAIN):
            if not node.reference:
                return node
            target = self._target(node)
            if target is None:
                return Node({}, node.file, node.pointer)
            node = target
        self.notes.add(
            "broken-reference", Severity.ERROR, node, "The references lead in a circle.", "Break the circle."
        )
        return Node({}, node.file, node.pointer)

    def get(self, node: Node, *keys: str) -> Node | None:
        """Return what stands below a node, with references followed at each step; None where there is nothing."""
        for key in keys:
            node = self.resolve(node)
            if not isinstance(node.value, Mapping) or node.value.get(key) is None:
                return None
            node = node.child(key)
        return self.resolve(node)

    def members(self, node: Node, *keys: str) -> Iterator[Node]:
        """Yield the members of what stands below a node; references among the members are not followed."""
        inner = self.get(node, *keys)
        if inner is not None:
            yield from inner.members()

    def _target(self, node: Node) -> Node | None:
        address, _, fragment = node.reference.partition("#")
        file = self._file(node, address) if address else node.file
        if file is None:
            return None
        target = Node(file.value, file, ())
        for part in unquote(fragment).split("/")[1:]:
            key: str | int | None = unescape(part)
            if isinstance(target.value, list):
                key = index(str(key), len(target.value))
            elif not isinstance(target.value, Mapping) or key not in target.value:
                key = None
            if key is None:
                self._broken(node, f'"{node.reference}" leads nowhere.', "Correct the reference.")
                return None
            target = target.child(key)
        return target

    def _file(self, node: Node, address: str) -> SourceFile | None:
        """Return the file that a reference names; only those are read that may hold definitions."""
        if node.is_elsewhere:
            advice = "Nothing is fetched: save the file beside the document, and refer to it by its path."
            self._broken(node, f'"{address}" is an address elsewhere.', advice)
            return None
        try:
            path = (node.file.path.parent / unquote(address)).resolve()
        except (OSError, RuntimeError, ValueError):
            self._broken(node, f'"{address}" is no path of a file.', "Correct the reference.")
            return None
        if path.suffix not in _ENDINGS:
            self._broken(node, f'"{address}" is no file of definitions.', f"They end in {', '.join(_ENDINGS)}.")
            return None
        if not path.is_relative_to(repository_of(next(iter(self.files)))):
            advice = "Put both into one Git repository, or the file into the folder of the document."
            self._broken(node, f'"{address}" leads out of the repository, or folder, of the document.', advice)
            return None
        if path not in self.files:
            try:
                data = read(path.parent, path.name)
            except FileError as error:
                self.files[path] = None
                message = error.problem.message.removeprefix("this can't be read: ")
                self._broken(node, f'"{address}" can\'t be read: {message}.', "Correct the reference.")
                return None
            self._load(path, data)
        return self.files[path]

    def _load(self, path: Path, data: bytes) -> SourceFile | None:
        """Read a file; a text that can't be read is noted, and has no value."""
        parsed = parse(data)
        name = path.relative_to(repository_of(path)).as_posix()
        for item in parsed.problems:
            span = (item.span.line, item.span.column, item.span.endline, item.span.endcolumn)
            message, advice = (f"{text[:1].upper()}{text[1:]}." for text in (item.message, item.help))
            self.notes.diagnostics.append(Diagnostic(item.rule, Severity.ERROR, name, message, *span, help=advice))
        self.files[path] = None if parsed.problems else SourceFile(path, name, parsed.value, data)
        return self.files[path]

    def _broken(self, node: Node, message: str, advice: str) -> None:
        self.notes.add("broken-reference", Severity.ERROR, node, message, advice)


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


def _span(node: Node) -> Span:
    return node.file.positions.span(node.pointer, on_key=True)


def _diagnostic(rule: str, severity: Severity, node: Node, message: str, advice: str) -> Diagnostic:
    span = _span(node)
    line = (span.line, span.column, span.endline, span.endcolumn)
    return Diagnostic(rule, severity, node.file.name, message, *line, help=advice)
