"""Git's log to the life of single files: at which commit each had which name, through all renames and branches."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    """What commits, newest first, did to each path; ``parents`` has the indexes of each commit's parents."""

    touched: Mapping[str, Sequence[tuple[int, FileChange]]]
    parents: Sequence[tuple[int, ...]]

    @classmethod
    def of(cls, commits: Sequence[Commit]) -> Tracks:
        """Return the tracks of all files, in one pass over the log."""
        touched: dict[str, list[tuple[int, FileChange]]] = defaultdict(list)
        for index, commit in enumerate(commits):
            for change in commit.files:
                touched[change.path].append((index, change))
        numbers = {commit.sha: index for index, commit in enumerate(commits)}
        parents = [tuple(numbers[sha] for sha in commit.parents if sha in numbers) for commit in commits]
        return cls(touched, parents)

    def back(self, path: str) -> list[Step]:
        """Return what happened to a file, back to where it was added under its first name.

        What a parallel branch did to an older name is among it.
        """
        steps: list[Step] = []
        since = -1
        while True:
            changes = self.touched.get(path, ())
            steps += self._parallel([found for found in changes if found[0] < since], path, since)
            renamed = False
            for index, change in changes:
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

    def _parallel(self, changes: Sequence[tuple[int, FileChange]], path: str, since: int) -> Iterator[Step]:
        """Give what was done to an older name after a commit changed it, on branches that did not know."""
        heirs = {since}
        if changes:
            for newer in range(since - 1, -1, -1):
                if not heirs.isdisjoint(self.parents[newer]):
                    heirs.add(newer)
        for index, change in changes:
            if index not in heirs and change.status != "R":
                yield Step(index, path, gone=change.status == "D")
