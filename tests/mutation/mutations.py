"""One fault each: a right catalog, an edit that makes it wrong, and the one finding that is due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parents[1] / "cases" / "mutation"
Contents = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Fault:
    """Files to replace (None removes one), and rule, file and line of the finding; line 0 is the file as a whole."""

    name: str
    change: Mapping[str, bytes | None]
    rule: str
    file: str
    line: int

    def made(self, contents: Contents) -> dict[str, bytes]:
        """Return the catalog with the fault in it."""
        changed = {**contents, **self.change}
        return {path: data for path, data in changed.items() if data is not None}


def contents_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their relative paths."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def edited(contents: Contents, file: str, old: str, new: str, rule: str, *at: str) -> Fault:
    """Return the fault that one text instead of another makes, in the line where that stands.

    ``at`` is a text of the line where the finding is due instead, perhaps behind the name of another file.
    """
    before = contents[file].decode()
    assert before.count(old) >= 1, f"{file} has no {old!r}"
    after = before.replace(old, new, 1)
    *elsewhere, text = at or (None,)
    where = elsewhere[0] if elsewhere else file
    line = before[: before.index(old)].count("\n") + 1
    if text is not None:
        whole = after if where == file else contents[where].decode()
        assert text in whole, f"{where} has no {text!r}"
        line = whole[: whole.index(text)].count("\n") + 1 if text else 0
    return Fault(f"{file}: {old!r} → {new!r}", {file: after.encode("utf-8", "surrogateescape")}, rule, where, line)


def by_hand(contents: Contents) -> Iterator[Fault]:
    """Give the faults that the files of cases list."""
    for page in sorted(CASES.glob("*.yaml")):
        for file, listed in yaml.safe_load(page.read_text(encoding="utf-8")).items():
            for case in listed:
                yield _moved(contents, file, case) if isinstance(case, dict) else edited(contents, file, *case)


def _moved(contents: Contents, file: str, case: Mapping[str, Any]) -> Fault:
    """Return the fault of a file that is added with a text, moved, or removed where it has none."""
    change: dict[str, bytes | None] = {file: case["text"].encode() if "text" in case else None}
    if "to" in case:
        change[case["to"]] = contents[file]
    where, line = case.get("at", file), case.get("line", 0)
    return Fault(f"{file}: {case}", change, case["rule"], where, line)
