"""Whatever 100 kB of a catalog hold very much of, they are read, checked, reported and compared in few steps.

Steps are lines of Python, the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date
from math import log2
from operator import itemgetter
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import xregit
from tests.security.growth import EVENT, FILES, GROUP, MESSAGE, TEXTS, Contents, Grow, attributes
from tests.security.input_growth import MESSAGES, SOURCES
from tests.security.schema_growth import keywords, languages
from tests.sizes import FULL
from tests.steps import steps
from xregit.catalog.loader import read_contents
from xregit.catalog.uncertain_attributes import find_doubts
from xregit.cli.check import at_least, unlisted
from xregit.cli.messages import answers, documents
from xregit.reports.changes import changes_json, changes_text
from xregit.reports.formats import REPORTS
from xregit.reports.markdown import changes_markdown
from xregit.reports.text import match_text, text
from xregit.source.yaml_formatter import UnformattableError, format_yaml

BYTES = 100_000
# For so many bytes, and how many make a closer look worth while: xmlschema alone takes 65 million to read a sequence.
MAX_STEPS, MANY_STEPS = 200_000_000, 75_000_000
# What is quadratic comes near 2, and what sorts near 1.1.
MAX_POWER = 1.6
# An eighth of the bytes in a 64th of the steps: even what is quadratic takes no more than the many for all.
FEW = 8
# One in so many values of attributes and keywords: all of them take half a day.
STEP = 11 if FULL else 23
# By name, as the workers of a run must all collect the same.
MANY = sorted([*attributes(), *keywords()], key=itemgetter(0))[::STEP]
ALWAYS = [(name, grow) for name, grow in keywords() if name == "JSON Schema: enum: objects"]
ROOT = Path("/nowhere/a/registry")
TODAY = date(2026, 1, 1)
BASE = {**GROUP, MESSAGE: json.dumps(EVENT).encode()}


class VisibleValidator:
    """A validator of jsonschema_rs that takes a step for each value of an enum, as many as it compares."""

    def __init__(self, schema: Any, make: Callable[..., Any], **options: Any) -> None:
        """Make the validator."""
        self._validator = make(schema, **options)
        self._values = range(sum(map(_size, _enums(schema))))

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is valid."""
        for _ in self._values:
            pass
        return bool(self._validator.is_valid(value))

    def iter_errors(self, value: Any) -> Iterator[Any]:
        """Yield the errors of a value."""
        for _ in self._values:
            pass
        yield from self._validator.iter_errors(value)


def _enums(schema: Any) -> Iterator[list[Any]]:
    for name, value in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if name == "enum" and isinstance(value, list):
            yield value
        elif isinstance(value, dict | list):
            yield from _enums(value)


def _size(value: Any) -> int:
    """Return how many values there are in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_size, inner))


@pytest.fixture(autouse=True)
def visible_validators(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the steps count what validators do."""
    make = jsonschema_rs.validator_for
    monkeypatch.setattr(jsonschema_rs, "validator_for", lambda schema, **more: VisibleValidator(schema, make, **more))


def run(contents: Contents) -> None:
    """Do with a catalog what pull requests make us do."""
    registry = read_contents(ROOT, contents)
    report = xregit.check(registry, TODAY)
    for name, form in REPORTS.items():
        text(report.diagnostics, registry.origin.line) if name == "text" else form(report.diagnostics)
    unlisted(report.diagnostics, at_least("info", report.diagnostics))
    before = read_contents(ROOT, BASE)
    for one, other in ((before, registry), (registry, before)):
        review = xregit.review(xregit.diff(one, other), one, other, today=TODAY)
        for render in (changes_text, changes_json, changes_markdown):
            render(review)
    with suppress(xregit.XregitError):  # a profile that there is none of
        json.dumps(xregit.compile(registry))
    for path, data in contents.items():
        with suppress(UnformattableError):
            format_yaml(data) if path.endswith(".yaml") else None


def expect_growth(grow: Grow) -> None:
    """Expect the bytes of a large pull request to take a bounded number of steps, in proportion to them."""
    run(BASE)  # what is imported late
    expect_steps(lambda size: run(grow(size)))


def expect_steps(work: Callable[[int], None]) -> None:
    """Expect work on very much to take a bounded number of steps, in proportion to the bytes."""
    if steps(lambda: work(BYTES // FEW), MAX_STEPS) * FEW**2 < MANY_STEPS:
        return
    before, after = steps(lambda: work(BYTES // 2), MAX_STEPS), steps(lambda: work(BYTES), MAX_STEPS)
    assert after < MANY_STEPS or log2(after / before) < MAX_POWER


@pytest.mark.parametrize("name", TEXTS)
def test_text_takes_few_steps(name: str) -> None:
    """Each construct of YAML, and each comment for xregit."""
    expect_growth(TEXTS[name])


class VisibleName(str):
    """A name whose comparisons with others are counted as steps."""

    __slots__ = ()

    def __hash__(self) -> int:
        """Return the hash of the text."""
        return super().__hash__()


def test_unknown_attributes_take_few_steps() -> None:
    """Each is compared with the names of the model, and not with the other unknown ones."""

    def work(size: int) -> None:
        unknown: dict[str, str] = {VisibleName(f"a{number}"): "b" for number in range(size // 10)}
        group = replace(registry.groups["messagegroups"]["g"], attributes=unknown)
        find_doubts(replace(registry, groups={"messagegroups": {"g": group}}))

    registry = read_contents(ROOT, GROUP)
    expect_steps(work)


@pytest.mark.parametrize("name", FILES)
def test_files_take_seconds(name: str) -> None:
    """Many files: what is held against each other grows with their number, not with its square."""
    expect_growth(FILES[name])


@pytest.mark.parametrize("grow", [pytest.param(grow, id=name) for name, grow in languages()])
def test_schema_takes_few_steps(grow: Grow) -> None:
    """Each construct of Avro, Protobuf and XML Schema, in two versions that are compared."""
    expect_growth(grow)


@pytest.mark.parametrize("grow", [pytest.param(grow, id=name) for name, grow in dict([*MANY, *ALWAYS]).items()])
def test_value_takes_few_steps(grow: Grow) -> None:
    """Each attribute of the model, and each keyword of JSON Schema and JSON Structure, with values of each kind."""
    expect_growth(grow)


@pytest.mark.parametrize("name", SOURCES)
def test_import_takes_few_steps(name: str, tmp_path: Path) -> None:
    """Each construct of what may be imported."""
    file, source = SOURCES[name]

    def work(size: int) -> None:
        (tmp_path / file).write_text(source(size))
        xregit.import_documents(tmp_path / file, tmp_path / str(size))

    work(BYTES)  # what is imported late, and how deep it goes
    expect_steps(work)


@pytest.mark.parametrize("name", MESSAGES)
def test_match_takes_few_steps(name: str) -> None:
    """Each form of an input of ``match``."""
    registry = read_contents(ROOT, BASE)
    matcher = xregit.Matcher(registry)

    def work(size: int) -> None:
        for _, data in documents(MESSAGES[name](size).encode().splitlines(keepends=True)):
            for answer in answers(matcher, data, explain=True):
                match_text(answer, registry, "in")

    work(1000)
    expect_steps(work)
