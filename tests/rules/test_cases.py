"""What the pages of rules don't show: faults that touch each other, places, and what is right though unusual."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.catalog.folders import folder, registry_of
from tests.rules.examples import Example, example_of, findings
from tests.sizes import some
from xregit.catalog import read_folder
from xregit.diagnostics import Severity
from xregit.rules import check

CASES = Path(__file__).parent / "cases"


_SCENARIO = re.compile(r"^## (.+)$", re.MULTILINE)


_REQUIREMENT = re.compile(r"\b[A-Z]+[0-9]*-[0-9]+\b(?=[^(]*\)$)")


def scenarios() -> Iterator[Any]:
    """Give the title and text of every scenario in the cases, marked with the requirements that its title ends with."""
    for page in sorted(CASES.glob("*.md")):
        parts = _SCENARIO.split(page.read_text(encoding="utf-8"))
        for title, text in zip(parts[1::2], parts[2::2], strict=True):
            marks = pytest.mark.requirement(*_REQUIREMENT.findall(title))
            yield pytest.param(title, text, id=title, marks=marks)


@pytest.mark.parametrize(("title", "text"), list(scenarios()))
def test_scenario_gives_exactly_the_marked_findings(title: str, text: str, tmp_path: Path) -> None:
    """The title says what holds; marks say which findings are due."""
    result: Example = example_of(title, text)
    assert result.due == result.found(findings(result.registry(tmp_path)))


NAMES = st.sampled_from(
    (
        "basemessage", "envelope", "envelopemetadata", "envelopeoptions", "protocol", "protocoloptions", "dataschema",
        "dataschemauri", "dataschemaxid", "dataschemaformat", "datacontenttype", "xref", "meta", "versions", "usage",
        "deprecated", "messagegroups", "messages", "endpoints", "authorization", "willmessage", "uri", "type", "value",
        "name", "headers", "properties", "mode", "format", "ancestor", "1",
    )
)  # fmt: skip


TEXTS = st.sampled_from(
    (
        "", "CloudEvents/1.0", "HTTP", "MQTT/3.1.1", "KAFKA", "AMQP/1.0", "binary", "structured", "{a", "mqtt://a/+#",
        "/messagegroups/g/messages/m", "/messagegroups/g", "/", "#/", "//", "/schemagroups/s/schemas/t", "Protobuf/3",
        "application/json", "Avro", "\x00",
    )
)  # fmt: skip


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


FILES = st.dictionaries(NAMES, VALUES, max_size=6)


@settings(max_examples=some(150), suppress_health_check=[HealthCheck.too_slow])
@given(FILES, FILES, FILES, FILES)
def test_no_value_anywhere_ends_the_check(
    group: dict[str, Any], message: dict[str, Any], endpoint: dict[str, Any], schema: dict[str, Any]
) -> None:
    """Whatever files state, the check ends with a report."""
    texts = {
        "registry.yaml": {"registryid": "r"},
        "messagegroups/g/messagegroup.yaml": group,
        "messagegroups/g/messages/m.yaml": message,
        "endpoints/e/endpoint.yaml": endpoint,
        "schemagroups/s/schemagroup.yaml": {},
        "schemagroups/s/schemas/t/schema.yaml": schema,
    }
    with TemporaryDirectory() as folder:
        assert check(registry_of(Path(folder), {path: json.dumps(value) for path, value in texts.items()})).counts


UNREADABLE = {
    "messagegroups/g/messages/a.yaml": "name: A\n",
    "messagegroups/h/messages/b.yaml": "basemessage: /messagegroups/g/messages/a\n",
    "endpoints/e/endpoint.yaml": "usage: [producer]\nprotocol: HTTP\nmessagegroups: [/messagegroups/g]\n",
}


def test_references_into_a_closed_folder_are_no_faults(nobodys_folder: Path) -> None:
    """Nobody can say whether the group is there, so nobody says that it isn't."""
    root = folder(nobodys_folder, UNREADABLE)
    closed = root / "messagegroups/g"
    closed.chmod(0)
    try:
        diagnostics = check(read_folder(root)).diagnostics
        results = [(item.rule, item.path) for item in diagnostics if item.severity is not Severity.INFO]
    finally:
        closed.chmod(0o700)
    assert results == [("file-unreadable", "registry/messagegroups/g/")]
