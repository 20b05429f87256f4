"""Git's log to the life of single files: at which commit each had which name, through all renames."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xregit.source.commits import Commit, FileChange


@record
class Step:
    """One commit that touched a file: ``index`` counts commits from the newest, ``path`` is the name since then.

    ``oldpath`` is the name before, where the commit changed it; ``gone`` says that the commit removed the file.
    """

    index: int
    path: str
    oldpath: str = ""
    gone: bool = False


@record
class Tracks:
    """What commits, newest first, did to each path."""

    touched: Mapping[str, Sequence[tuple[int, FileChange]]]

    @classmethod
    def of(cls, commits: Iterable[Commit]) -> Tracks:
        """Return the tracks of all files, in one pass over the log."""
        touched: dict[str, list[tuple[int, FileChange]]] = defaultdict(list)
        for index, commit in enumerate(commits):
            for change in commit.files:
                touched[change.path].append((index, change))
        return cls(touched)

    def back(self, path: str) -> list[Step]:
        """Return what happened to a file, the newest first, back to where it was added under its first name."""
        steps: list[Step] = []
        since = -1
        while True:
            renamed = False
            for index, change in self.touched.get(path, ()):
                if index <= since:
                    continue
                old = change.oldpath if change.status == "R" else ""
                steps.append(Step(index, path, old, gone=change.status == "D"))
                since = index
                if old:
                    path, renamed = old, True
                    break
            if not renamed:
                return steps
