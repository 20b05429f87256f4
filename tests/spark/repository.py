"""Registry folders in a Git repository of their own, for tests that look at history."""

from __future__ import annotations

import os
import subprocess
from textwrap import dedent
from typing import TYPE_CHECKING

from xregit.catalog import read_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from xregit.catalog import Registry

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
FIRST_DAY = 1


class Repository:
    """A repository whose registry changes commit by commit, one on each day of January 2026."""

    def __init__(self, root: Path) -> None:
        """Begin a repository without commits."""
        self.root = root
        self.day = FIRST_DAY
        root.mkdir(parents=True, exist_ok=True)
        self._git("init", "--quiet", "--initial-branch=main")

    def commit(self, files: Mapping[str, str | None], subject: str = "Change") -> Registry:
        """Write files below ``registry``, remove those without text, commit, and read the registry."""
        for path, text in files.items():
            file = self.root / "registry" / path
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", subject)
        self.day += 1
        return self.read()

    def read(self) -> Registry:
        """Read the registry as it is."""
        return read_folder(self.root / "registry")

    def _git(self, *arguments: str) -> None:
        time = f"2026-01-{self.day:02}T12:00:00Z"
        who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": time}
        whom = {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@example.com", "GIT_COMMITTER_DATE": time}
        environment = {**os.environ, **who, **whom, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *arguments], cwd=self.root, env=environment, check=True)
