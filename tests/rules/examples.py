"""The pages of rules as tests: the files of their bad and good examples, and the findings that are due there."""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from importlib.resources import files
from pathlib import Path

from xregit.catalog import Registry, read_folder
from xregit.diagnostics import Diagnostic
from xregit.document import import_documents, read
from xregit.model import builtin
from xregit.rules import check

PAGES = files("xregit.rules") / "docs"
MIB = 2**20
DOCUMENT = "catalog.json"
# The day on which every example is checked.
TODAY = date(2026, 6, 1)
# Rules about what is left out, as examples leave out all that they are not about. They are on where they are named.
QUIET = (
    *("description-missing", "messages-without-cloudevents", "uncarried-message", "unused-schema"),
    *("event-attribute-missing", "endpoint-without-messages", "waiver-without-effect"),
)
# Blocks in these languages keep the first line, which names the file.
WITH_COMMENTS = frozenset({"yaml", "yaml-escaped"})

# "# path", "# path -> target", "# path (missing)", "# path (a pipe)", "# path (9 MiB)", then perhaps "# error".
_FILE = re.compile(
    r"(?:#|//) (?P<path>\S.*?)(?: -> (?P<target>\S+)| \((?P<kind>missing|a pipe|(?P<size>[0-9]+) MiB)\))?\s*(?:#.*)?$"
)
_MARK = re.compile(r"\s*(?:#|//) error(?:: (?P<rule>[a-z0-9-]+))?$")
_BLOCK = re.compile(r"^```(?P<language>[a-z-]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(r"^## (Bad|Good)$", re.MULTILINE)

# File below the registry's folder, line, rule; line 0 is any line of the file.
Due = tuple[str, int, str]


@dataclass(frozen=True)
class Example:
    """The files of one example: their texts, what is no ordinary file, and the findings that are due.

    ``about`` is the rule whose page it is on, or what the example shows.
    """

    about: str = ""
    texts: dict[str, bytes] = field(default_factory=dict)
    special: dict[str, str] = field(default_factory=dict)
    due: Counter[Due] = field(default_factory=Counter)

    def registry(self, root: Path) -> Registry:
        """Write the files below the folder and read them; a file ``catalog.json`` is a registry of its own."""
        if DOCUMENT in self.texts:
            (root / DOCUMENT).write_bytes(self.texts[DOCUMENT])
            return with_rules(read(root / DOCUMENT), self.quiet())
        registry = read_folder(self._folder(root))
        return with_rules(registry, self.quiet() | dict(registry.settings.rules))

    def quiet(self) -> dict[str, str]:
        """Return the rules that are off, because the example is not about them."""
        named = {self.about, *(rule for _, _, rule in self.due)}
        return {name: "off" for name in QUIET if name not in named}

    def imported(self, root: Path) -> tuple[Diagnostic, ...]:
        """Write the files below the folder, import the document among them and return what is said of it."""
        (root / DOCUMENT).write_bytes(self.texts[DOCUMENT])
        return import_documents([root / DOCUMENT], self._folder(root)).diagnostics

    def _folder(self, root: Path) -> Path:
        folder = root / "registry"
        texts = {path: text for path, text in self.texts.items() if path != DOCUMENT}
        for path, text in {**self._group_files(), "registry.yaml": b"registryid: test\n", **texts}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text)
        for path, kind in self.special.items():
            _make(folder / path, kind)
        return folder

    def _group_files(self) -> dict[str, bytes]:
        folders = {tuple(path.split("/")[:2]) for path in (*self.texts, *self.special) if path.count("/") > 1}
        named = {f"{group}/{gid}/{group.removesuffix('s')}.yaml" for group, gid in folders if group in builtin().groups}
        return {path: b"description: A group.\n" for path in named if self.special.get(path) != "missing"}

    def found(self, diagnostics: Iterator[Due]) -> Counter[Due]:
        """Return the findings in the form of those that are due; one about a folder is marked at a file in it."""
        anywhere = {(path, rule) for path, line, rule in self.due if line == 0}
        placed = ((self._marked(path), line, rule) for path, line, rule in diagnostics)
        return Counter((path, 0 if (path, rule) in anywhere else line, rule) for path, line, rule in placed)

    def _marked(self, path: str) -> str:
        inside = (marked for marked, _, _ in self.due if path.endswith("/") and marked.startswith(path))
        return next(inside, path)


def example(name: str, kind: str) -> Example:
    """Return the example of a rule's page, of kind ``Bad`` or ``Good``."""
    parts = _SECTION.split((PAGES / f"{name}.md").read_text(encoding="utf-8"))
    return example_of(name, dict(zip(parts[1::2], parts[2::2], strict=True))[kind])


def example_of(name: str, text: str) -> Example:
    """Return the example that blocks of Markdown make; a mark without a rule is one of that name."""
    result = Example(about=name)
    for block in _BLOCK.finditer(text):
        _add(result, name, block["language"], block["text"].splitlines())
    return result


def findings(registry: Registry) -> Iterator[Due]:
    """Give what the check finds: file below the registry's folder, line, rule."""
    return places(check(registry, TODAY).diagnostics)


def with_rules(registry: Registry, rules: Mapping[str, str]) -> Registry:
    """Return a registry in which rules have other severities."""
    return replace(registry, settings=replace(registry.settings, rules={**registry.settings.rules, **rules}))


def places(diagnostics: Iterable[Diagnostic]) -> Iterator[Due]:
    """Give the file below the registry's folder, line and rule of each diagnostic."""
    for item in diagnostics:
        yield item.path.removeprefix("registry/"), item.line, item.rule


def _add(made: Example, name: str, language: str, lines: list[str]) -> None:
    if language.endswith("-escaped"):
        lines = [codecs.decode(line, "unicode_escape") for line in lines]
    head = _FILE.match(lines[0])
    assert head, f"the first line of a block names its file: {lines[0]}"
    path = head["path"]
    shown = path.removeprefix("../").encode("unicode_escape").decode()
    for number, line in enumerate(lines, 1):
        mark = _MARK.search(line)
        if mark:
            at = 0 if number == 1 else number - (language not in WITH_COMMENTS)
            made.due[shown, at, mark["rule"] or name] += 1
    kept = [_MARK.sub("", line) for line in lines]
    if head["target"] or head["kind"]:
        made.special[path] = head["target"] or head["kind"]
    else:
        text = "\n".join(kept if language in WITH_COMMENTS else kept[1:]) + "\n"
        made.texts[path] = text.encode("latin-1" if language.endswith("-escaped") else "utf-8")


def _make(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind.endswith(" MiB"):
        with path.open("wb") as file:
            file.truncate(int(kind.split(maxsplit=1)[0]) * MIB)
    elif kind != "missing":
        path.symlink_to(kind)
