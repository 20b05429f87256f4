"""A question to Git → its answer, from the folder's own repository, with nothing fetched and no hook's variables."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

# In a partial clone, Git fetches missing objects as it goes, by a command that the repository may name. Older releases
# know only the second of these variables.
NOTHING_FETCHED = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
# Git's error messages are searched for words, so they must not be translated.
_LANGUAGE = {"LC_ALL": "C", "LANGUAGE": "C"}

# Git sets these for its hooks, and they stand for the repository that runs the hook. With them we would read commits of
# that repository instead of the folder's own, and a checkout would write its index.
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE")
_MISSING = b" missing"  # how Git says that there is no such object


def asked(folder: Path, *question: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Return what Git answers in a folder.

    Raises:
        OSError: there is no Git.
    """
    surroundings = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    surroundings |= NOTHING_FETCHED | _LANGUAGE
    command = ["git", "-C", str(folder), *question]
    return subprocess.run(command, input=given, capture_output=True, check=False, env=surroundings)


def answer(folder: Path, *question: str, given: bytes = b"") -> bytes | None:
    """Return what Git prints in a folder, or None where it has no answer, or is not there."""
    try:
        done = asked(folder, *question, given=given)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def objects(output: bytes) -> Iterator[bytes | None]:
    """Give the bytes that ``git cat-file --batch`` printed, each behind a line with its size; None for what is gone."""
    start = 0
    while start < len(output):
        line_end = output.index(b"\n", start)
        if output.endswith(_MISSING, start, line_end):
            yield None
            start = line_end + 1
            continue
        size = int(output[start:line_end].rsplit(b" ", 1)[1])
        yield output[line_end + 1 : line_end + 1 + size]
        start = line_end + size + 2
