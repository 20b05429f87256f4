"""Registry folders in a Git repository of their own, for tests that look at history."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from tests.source.repositories import Repository
from xregit.catalog import Registry, read_folder

SAMPLE = {
    "registry.yaml": "registryid: sample\nname: Sample\n",
    "messagegroups/brakes/messagegroup.yaml": """
        description: What brakes report.
        envelope: CloudEvents/1.0
        labels: {team: chassis}
        """,
    "messagegroups/brakes/messages/wear.yaml": """
        name: Wear
        envelopemetadata:
          type: {value: brakes.wear}
          source: {value: "/vehicles/{vin}", type: uritemplate}
        dataschemaformat: JsonSchema/draft-07
        dataschemauri: /schemagroups/brakes/schemas/wear
        """,
    "messagegroups/brakes/messages/worn.yaml": """
        basemessage: /messagegroups/brakes/messages/wear
        protocol: MQTT/5.0
        protocoloptions: {topic_name: "{vin}/brakes/{wheel}", qos: 1}
        envelopemetadata:
          type: {value: brakes.worn, description: Beyond the limit.}
        """,
    "messagegroups/brakes/messages/alias.yaml": "xref: /messagegroups/brakes/messages/wear\n",
    "endpoints/garage/endpoint.yaml": """
        usage: [consumer]
        messagegroups: [/messagegroups/brakes]
        """,
    "endpoints/garage/messages/only.yaml": "description: Of the garage alone.\n",
    "schemagroups/brakes/schemagroup.yaml": "description: Payloads.\n",
    "schemagroups/brakes/schemas/wear/schema.yaml": "format: JsonSchema/draft-07\n",
    "schemagroups/brakes/schemas/wear/versions/1.json": '{"type": "object"}',
    "schemagroups/brakes/schemas/wear/versions/2.json": '{"type": "object", "title": "Wear"}',
}
FIRST_SECOND, DAY = 1_767_268_800, 86_400  # 2026-01-01T12:00:00Z


class CatalogRepository:
    """A repository whose registry changes commit by commit, one on each day of January 2026."""

    def __init__(self, root: Path) -> None:
        """Begin a repository without commits."""
        self.root = root
        self.repository = Repository(root, first_second=FIRST_SECOND, step=DAY)
        root.mkdir(parents=True, exist_ok=True)
        self.repository.git("init", "-q", "-b", "main")

    def commit(self, files: Mapping[str, str | None], subject: str = "Change") -> Registry:
        """Write files below ``registry``, remove those without text, commit, and read the registry."""
        for path, text in files.items():
            file = self.root / "registry" / path
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        self.repository.commit(subject)
        return self.read()

    def read(self) -> Registry:
        """Read the registry as it is."""
        return read_folder(self.root / "registry")
