"""Whatever 100 kB of a catalog hold very much of, they are read, checked, reported and compared in few steps.

Steps are lines of Python, the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from math import log2
from operator import itemgetter
from pathlib import Path

import pytest

import xregit
from tests.security.growth import EVENT, FILES, GROUP, MESSAGE, TEXTS, Contents, Grow, attributes
from tests.security.input_growth import MESSAGES, SOURCES
from tests.security.schema_growth import keywords, languages
from tests.sizes import FULL
from tests.steps import steps
from xregit.catalog.loader import read_contents
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
ROOT = Path("/nowhere/a/registry")
TODAY = date(2026, 1, 1)
BASE = {**GROUP, MESSAGE: json.dumps(EVENT).encode()}


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


@pytest.mark.parametrize("name", FILES)
def test_files_take_seconds(name: str) -> None:
    """Many files: what is held against each other grows with their number, not with its square."""
    expect_growth(FILES[name])


@pytest.mark.parametrize("grow", [pytest.param(grow, id=name) for name, grow in languages()])
def test_schema_takes_few_steps(grow: Grow) -> None:
    """Each construct of Avro, Protobuf and XML Schema, in two versions that are compared."""
    expect_growth(grow)


@pytest.mark.parametrize("grow", [pytest.param(grow, id=name) for name, grow in MANY])
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
