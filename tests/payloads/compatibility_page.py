"""The cases of compatibility, and the page of the site that is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "compatibility"
PAGE = Path("site/manual/compatibility.md")
# In the order in which the page has them.
FILES = ("jsonschema", "avro", "protobuf", "protobufjson", "xsd", "jsonstructure")
MARK = "@"

_HEAD = """# Compatible changes

A change is *backward* compatible if readers with the new schema can read payloads of the old one, *forward*
compatible if readers with the old schema can read payloads of the new one, and *full* if both are true. Backward
compatibility protects consumers that update first and stored payloads; forward compatibility protects consumers that
update last.

The `compatibility` of a schema promises one of them for its versions: `backward`, `forward` or `full` compare a
version with its ancestor, `backward_transitive`, `forward_transitive` and `full_transitive` with all versions before
it. The rule [version-incompatible](check-rules/version-incompatible/index.md) finds versions that break the promise.
`xregit diff` and `xregit check --against` check each change of a schema that a message uses, whatever the schema
promises.

*Can't tell* means that xregit found neither a proof that all payloads can be read, nor a payload that can't. Examples
are a property that is described now, in objects that were open to it before, and an element or attribute where a
wildcard allowed everything: producers may have used the name. The rule and `xregit diff` treat this as compatible,
since no schema described it; `xregit diff` still mentions it. Removed or renamed parts are unclear for consumers, which
may read them.

Patterns, conditions such as `if` and `not`, and the wildcards of XML Schema are not taken apart: where they differ, the
answer is *can't tell*, unless an example shows a payload that is refused.

If the answer is *no* for JSON Schema, JSON Structure and the texts of XML Schema, the finding shows such a payload.
Protobuf is compared in its binary form, and in its JSON form if a message has a JSON content type.

This page is generated from the cases in `tests/cases/compatibility/`, each of which is a test: the old schema, the new
schema, and these answers.
"""


@dataclass(frozen=True)
class Case:
    """One case: what changes, the two documents, and what is to be said of them."""

    language: str
    change: str
    format: str
    newformat: str
    selector: str
    before: bytes
    after: bytes
    answers: tuple[str, str]
    why: str
    remark: str
    contenttype: str

    @property
    def full(self) -> str:
        """The answer for both directions at once."""
        return next(answer for answer in ("no", "can't tell", "yes") if answer in self.answers)


def loaded(name: str) -> Any:
    """Return a file of cases."""
    return yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)


def cases() -> Iterator[Case]:
    """Give all cases in the order of the page."""
    for name in FILES:
        table = loaded(name)
        for item in table["cases"]:
            stated = {**table, **item}
            before, after = (stated["frame"].replace(MARK, stated[side]).encode() for side in ("before", "after"))
            yield Case(
                language=table["language"],
                change=item["change"],
                format=stated["format"],
                newformat=stated.get("newformat", ""),
                selector=stated.get("selector", ""),
                before=before,
                after=after,
                answers=(item["answers"][0], item["answers"][1]),
                why=item["why"],
                remark=item.get("remark", ""),
                contenttype=stated.get("contenttype", ""),
            )


def page() -> str:
    """Return the page as Markdown."""
    sections = [_HEAD]
    language = ""
    for case in cases():
        if case.language != language:
            language = case.language
            sections.append(f"\n## {language}\n\n| change | backward | forward | full | why |\n|---|---|---|---|---|\n")
        answers = " | ".join(map(_markdown, (*case.answers, case.full)))
        sections.append(f"| {case.change} | {answers} | {case.why} |\n")
    return "".join(sections)


def _markdown(answer: str) -> str:
    return f"**{answer}**" if answer == "no" else answer
