"""What the hand-written pages show as right is right."""

from __future__ import annotations

import re
from pathlib import Path

from xregit.catalog import read_folder
from xregit.diagnostics import Severity
from xregit.rules import check

EXAMPLE = re.compile(r"`registry/(\S+\.yaml)`[^\n]*\n\n```yaml\n(.*?)```", re.DOTALL)


def test_authoring_examples_are_a_sound_registry(tmp_path: Path, root: Path) -> None:
    """The files that the authoring guide shows, put together, have no fault."""
    found = dict(EXAMPLE.findall((root / "site/docs/authoring.md").read_text()))
    files = found | {
        "registry.yaml": "registryid: guide\n",
        "messagegroups/doors.mqtt/messagegroup.yaml": "protocol: MQTT/5.0\n",
        "schemagroups/doors/schemagroup.yaml": "description: Payloads.\n",
        "schemagroups/doors/schemas/opened/versions/1.json": '{"type": "object"}\n',
    }
    for name, text in files.items():
        path = tmp_path / "registry" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    report = check(read_folder(tmp_path / "registry"))
    assert len(found) >= 5
    assert [item for item in report.diagnostics if item.severity is not Severity.INFO] == []
