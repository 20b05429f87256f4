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

A change is *backward* compatible if who reads with the new schema can read what was written with the old one,
*forward* compatible if who reads with the old schema can read what is written with the new one, and *full* if both
hold. For a message, backward protects consumers who move first and payloads that are kept; forward protects consumers
who move last.

A schema says which of them its versions keep to as `compatibility`: `backward`, `forward` or `full` hold a version
against the one that it was made from, `backward_transitive`, `forward_transitive` and `full_transitive` against all
before it. [version-incompatible](check-rules/version-incompatible/index.md) is the rule that finds versions that don't.
`xregit diff` and `xregit check --against` judge each change of a schema that a message uses, whatever the schema
promises.

*Can't tell* is an answer: no proof was found that all payloads are read, and no payload that is not read. So it is with
a property that is described now, in objects which were open to it before, and with an element or attribute where a
wildcard took all: somebody may have used the name. The rule and `xregit diff` count that as compatible, since no schema
told of it; `xregit diff` mentions it all the same. What is removed or renamed counts as unclear for consumers: they may
read it.

Where the answer is *no* for JSON Schema, JSON Structure and the texts of XML Schema, the finding shows such a payload.
Protobuf is judged by its binary form, and by its JSON form where the content type of a message is one of JSON.

This page is made from the cases in `tests/cases/compatibility/`, each of which is a test: the schema before, the schema
after, and these answers.
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
