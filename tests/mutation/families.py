"""Faults of the same kind at every place where they can be: keys, values, references, the text itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.mutation.mutations import Contents, Fault
from xregit.diagnostics import Span
from xregit.source.parse_result import Spot
from xregit.source.yaml_loader import parse, positions

MIN_CHARS = 3
# What stands below these are names that the author chooses.
FREE = frozenset(
    {
        "labels", "versions", "messages", "rules", "paths", "application-properties", "message-annotations", "footer",
        "link-properties", "query", "headers", "traceparent", "attributes", "groups", "resources", "dataschema",
        "user_properties",
    }
)  # fmt: skip
# Where any name is allowed, so that a misspelled one is a suspicion: in these files, and below these names.
OPEN_FILES = ("group.yaml", "endpoint.yaml", "schema.yaml")
OPEN_PARTS = frozenset({"envelopemetadata", "envelopeoptions"})
# Which rule tells that a reference leads nowhere.
DANGLING = {
    "basemessage": "basemessage-not-found",
    "dataschemauri": "dataschemauri-not-found",
    "dataschemaxid": "dataschemaxid-not-found",
    "alternative": "alternative-not-found",
    "xref": "xref-not-found",
    "messagegroups": "messagegroup-not-found",
    "willmessage": "willmessage-not-found",
}
XIDS = frozenset({"xref", "dataschemaxid", "seealso"})
# What takes a value of any type, or makes a text of a number.
UNTYPED = frozenset({"value", "granttypes", "depot"})
Path = tuple[str | int, ...]
# By the ending of a document's name, its keywords and which rule tells that one is misspelled.
KEYWORDS = {
    ".json": dict.fromkeys(("properties", "required", "description", "format", "items", "enum"), "doubtful-schema"),
}

TEXT_FAULTS: tuple[tuple[str, str, str, str], ...] = (
    ("a tab before a key", "yaml-syntax", r"^(\w+:)", r"\t\1"),
    ("a quote that nobody closes", "yaml-syntax", r"^(\w+: )(\S.*)$", r'\1"\2'),
    ("a bracket that nobody closes", "yaml-syntax", r"^(\w+: )(\S.*)$", r"\1[\2"),
    ("no space behind the colon", "yaml-syntax", r"^(\w+): (\S.*)$", r"\1:\2"),
    ("a control character", "yaml-encoding", r"^(\w+: \S)", "\\1\x07"),
    ("an anchor", "yaml-alias", r"^(\w+: )(\S.*)$", r"\1&a \2"),
    ("a tag", "yaml-tag", r"^(\w+: )(\S.*)$", r"\1!!str \2"),
    ("a key twice", "yaml-duplicate-key", r"^(\w+: \S.*)$", "\\1\n\\1"),
    ("a key that is a list", "yaml-key", r"^(\w+): (\S.*)$", r"[\1]: \2"),
    ("a number that is none", "yaml-number", r"^(\w+: )(\S.*)$", r"\1.inf"),
)


def places(contents: Contents) -> Iterator[tuple[str, Path, Spot, Any]]:
    """Give the file, path, place and value of everything that the YAML files state, but settings and models."""
    for file, data in contents.items():
        if file.endswith(".yaml") and file not in {"xregit.yaml", "model.yaml"}:
            yield from ((file, *found) for found in _inside(positions(data).root, parse(data).value, ()))


def misspelled_keys(contents: Contents) -> Iterator[Fault]:
    """Two letters change places in the name of an attribute."""
    for file, path, spot, _ in places(contents):
        key = path[-1]
        if not isinstance(key, str) or len(key) < MIN_CHARS or _is_free(path) or key in FREE:
            continue
        at = next((at for at in range(1, len(key) - 1) if key[at] != key[at + 1]), None)
        if at is not None:
            wrong = key[:at] + key[at + 1] + key[at] + key[at + 2 :]
            rule = "misspelled-attribute" if _is_open(file, path) else "unknown-attribute"
            yield _replaced(contents[file], (file, path), spot.key, wrong, rule)


def wrong_types(contents: Contents) -> Iterator[Fault]:
    """A mapping stands where a text or number is due, a number where more is."""
    for file, path, spot, value in places(contents):
        name = next(part for part in reversed(path) if isinstance(part, str))
        if (
            _is_free(path)
            or name in {"value", "granttypes", "dataschema", "depot", "traceparent", *FREE}
            or not spot.value.line
        ):
            continue
        rule = "malformed-xid" if name in XIDS and not isinstance(value, list) else "invalid-attribute"
        if spot.key.line not in {0, spot.value.line} or spot.value.line != spot.value.endline:
            continue
        wrong = "7" if isinstance(value, dict | list) else "[7, 8]"
        yield _replaced(contents[file], (file, path), spot.value, wrong, rule)


def dangling_references(contents: Contents) -> Iterator[Fault]:
    """A reference names something that is not there."""
    for file, path, spot, value in places(contents):
        name = next(part for part in reversed(path) if isinstance(part, str))
        if name in DANGLING and isinstance(value, str) and value.startswith("/"):
            wrong = re.sub("/([^/:]+)(:[^/]+)?$", r"/zz\1\2", value)
            yield _replaced(contents[file], (file, path), spot.value, wrong, DANGLING[name])


def misspelled_keywords(contents: Contents) -> Iterator[Fault]:
    """Two letters change places in a keyword of a schema."""
    for file, data in contents.items():
        kind = next((kind for ending, kind in KEYWORDS.items() if file.endswith(ending) and "/versions/" in file), {})
        text = data.decode()
        for keyword, rule in kind.items():
            match = re.search(rf'"{keyword}"(?=\s*:)', text)
            if match:
                wrong = keyword[0] + keyword[2] + keyword[1] + keyword[3:]
                changed = f'{text[: match.start()]}"{wrong}"{text[match.end() :]}'
                line = text[: match.start()].count("\n") + 1
                yield Fault(f"{file}: {keyword} → {wrong}", {file: changed.encode()}, rule, file, line)


def odd_characters(contents: Contents) -> Iterator[Fault]:
    """An invisible character stands at the end of a value that machines compare."""
    for file, path, spot, value in places(contents):
        is_type = path[-3:] == ("envelopemetadata", "type", "value")
        if isinstance(value, str) and (is_type or path[-1] in {"topic_name", "key"}):
            wrong = f'"{value}\\u200B"'
            yield _replaced(contents[file], (file, path), spot.value, wrong, "odd-character")


def broken_texts(contents: Contents, every: int) -> Iterator[Fault]:
    """The text of a file is not YAML, or more of it than a catalog takes; each kind in every so many files."""
    files = [file for file in contents if file.endswith(".yaml") and file not in {"xregit.yaml", "model.yaml"}]
    for number, (kind, rule, old, new) in enumerate(TEXT_FAULTS):
        for file in files[number % every :: every]:
            text = contents[file].decode()
            match = re.search(old, text, re.MULTILINE) if text.count("\n") > 1 else None
            if match:
                changed = text[: match.start()] + match.expand(new) + text[match.end() :]
                line = text[: match.start()].count("\n") + 1 + (kind == "a key twice")
                yield Fault(f"{file}: {kind}", {file: changed.encode()}, rule, file, line)


def _inside(spot: Spot, value: Any, path: Path) -> Iterator[tuple[Path, Spot, Any]]:
    for part, inner in spot.inside.items():
        held = value[part]
        yield (*path, part), inner, held
        yield from _inside(inner, held, (*path, part))


def _is_free(path: Path) -> bool:
    """Tell whether a name is the author's own, or an attribute of something that such a name stands for."""
    return any(part in FREE for part in path[:-1])


def _is_open(file: str, path: Path) -> bool:
    if file.startswith("glossaries"):
        return False
    parts = [part for part in path[:-1] if isinstance(part, str)]
    if parts and parts[-1] in OPEN_PARTS:
        return True
    return file.endswith(OPEN_FILES) and "deprecated" not in parts


def _replaced(data: bytes, place: tuple[str, Path], span: Span, new: str, rule: str) -> Fault:
    """Return the fault that another text makes in the stretch where a key or a value stands."""
    lines, (file, path) = data.decode().splitlines(keepends=True), place
    text = lines[span.line - 1][: span.column - 1] + new + lines[span.endline - 1][span.endcolumn - 1 :]
    changed = "".join([*lines[: span.line - 1], text, *lines[span.endline :]])
    return Fault(f"{file}: {'/'.join(map(str, path))} → {new}", {file: changed.encode()}, rule, file, span.line)
