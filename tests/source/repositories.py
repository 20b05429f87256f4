"""Small Git repositories with fixed names and times."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

FIRST_SECOND = 1_700_000_000  # 2023-11-14T22:13:20Z


@dataclass
class Repository:
    """A repository whose commits are a minute, or another step, apart."""

    root: Path
    commits: int = 0
    first_second: int = FIRST_SECOND
    step: int = 60

    def git(self, *arguments: str) -> str:
        """Run Git in the repository, out of reach of the user's configuration."""
        time = f"{self.first_second + self.step * self.commits} +0200"
        usual = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        fixed = {
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.com",
            "GIT_AUTHOR_DATE": "1000000000 +0000",
            "GIT_COMMITTER_NAME": "Bob",
            "GIT_COMMITTER_EMAIL": "bob@example.com",
            "GIT_COMMITTER_DATE": time,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        return subprocess.run(
            ["git", *arguments], cwd=self.root, env=usual | fixed, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, subject: str, **files: str) -> str:
        """Write the files, commit everything, and return the commit's hash."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", subject)
        self.commits += 1
        return self.git("rev-parse", "HEAD")

    def write(self, files: dict[str, str]) -> None:
        """Write files; a name with ``__`` has a folder."""
        for name, text in files.items():
            path = self.root / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def new_repository(root: Path, ids: str = "sha1") -> Repository:
    """Return an empty repository in a folder that is made; ``ids`` is how Git makes its ids, ``sha1`` or ``sha256``."""
    root.mkdir()
    repository = Repository(root)
    repository.git("init", "-q", "-b", "main", f"--object-format={ids}")
    return repository
