"""A document made from an earlier one: the text of groups that have not changed is copied, all other text is made anew.

Of a document is kept where each group's text stands in its file, with a digest of the text, so that nothing is copied
from a file that somebody has edited. Digests are compared only if the status of the file has changed. The text of a
group depends on its files, on groups that these mention, on messages that build on its own (`rules.again`), and on the
Git history of its files (`catalog.dating`).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from xregit.catalog.dating import Dated, SharedHistory, Standpoint, moved
from xregit.document.pieces import frame, joints, piece
from xregit.document.stating import Stating
from xregit.document.tables import profile as profile_of
from xregit.records import record
from xregit.rules.standing import WholeError
from xregit.source import writing
from xregit.source.files import status_of
from xregit.source.remembered import opened, sealed

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog.registry import Registry
    from xregit.source.files import Status

_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY"))


class Spot(NamedTuple):
    """Where a group's text begins in a file, its length in bytes, and its digest, empty if it must not be copied."""

    start: int
    length: int
    digest: str


@record
class Written:
    """What is kept of a document that was written: its profile, and where each group stands, by xid.

    ``state`` is the digest of the registry's files then (`rules.kept`), ``dated`` their history. The groups in
    ``uncommitted`` have files that no commit has. ``status`` is that of the document's file; None if a later edit might
    leave it as it is.
    """

    state: str
    profile: str
    dated: Dated
    uncommitted: frozenset[str]
    spots: Mapping[str, Spot]
    status: Status | None


@record
class Basis:
    """A document to copy from, the history of the files as of now, and the groups that must not be copied."""

    written: Written
    dated: Dated
    stale: frozenset[str]


class Pieces(NamedTuple):
    """A document that was written: where each group stands, its size in bytes, and the status of its file.

    The status is None if it is no regular file, or if another run has replaced it already.
    """

    spots: Mapping[str, Spot]
    size: int
    status: Status | None


def to_bytes(known: Written) -> bytes | None:
    """Return what is kept of a document as bytes, which `from_bytes` finds damaged if they are; None if JSON can't."""
    seen = known.dated
    value = {
        "state": known.state,
        "profile": known.profile,
        "uncommitted": sorted(known.uncommitted),
        "spots": {xid: tuple(spot) for xid, spot in known.spots.items()},
        "status": known.status,
        "standpoint": tuple(seen.standpoint),
        "time": seen.time,
        "renamed": seen.renamed,
        "told": [tuple(each) for each in seen.histories],
        "groups": list(seen.rows),
    }
    try:
        return sealed(b"\n".join((orjson.dumps(value), *seen.rows.values())))
    except orjson.JSONEncodeError:  # half of a surrogate pair
        return None


def from_bytes(data: bytes) -> Written | None:
    """Return what is kept of a document; None if the bytes are damaged or of another version."""
    held = opened(data)
    if held is None:
        return None
    head, *lines = held
    value: dict[str, Any] = orjson.loads(head)
    rows = dict(zip(value["groups"], lines, strict=True))
    histories = [SharedHistory._make(item) for item in value["told"]]
    seen = Dated(Standpoint(*value["standpoint"]), value["time"], value["renamed"], histories, rows)
    spots = {xid: Spot._make(spot) for xid, spot in value["spots"].items()}
    status = tuple(value["status"]) if value["status"] else None
    return Written(value["state"], value["profile"], seen, frozenset(value["uncommitted"]), spots, status)


def basis(written: Written, root: Path, seen: Standpoint, prefix: str) -> Basis | None:
    """Return what can be copied of a document, given the commits since; None if Git can't tell."""
    found = moved(written.dated, root, seen, prefix)
    if found is None:
        return None
    known, touched = found
    stale = {xid for xid, spot in written.spots.items() if not spot.digest} | touched
    # A file that Git doesn't know has the time of the last commit.
    later = written.uncommitted if seen.head != written.dated.standpoint.head else frozenset()
    return Basis(written, known, frozenset(stale | later))


def write_pieces(
    registry: Registry, profile: str, place: Path, source: Written | None, anew: Collection[str]
) -> Pieces:
    """Write the document view of a registry, and return what became of it.

    If there is a ``source``, which was written to the same ``place``, all groups but those to be made ``anew`` are
    copied from it. Then ``registry`` may be just the part of the registry that these groups need.

    Raises:
        WholeError: another profile was written there, or something else stands there now, or the registry needs another
            way of writing it.
        XregitError: it can't be written; what stood there before still does.
    """
    if source is not None and source.profile != profile:
        raise WholeError
    stating = _stating(registry, profile)
    old: Mapping[str, Spot] = {}
    groups = [group.xid for group in stating.registry.all_groups]
    if source is not None:
        old = {xid: spot for xid, spot in source.spots.items() if xid not in anew}
        groups = [xid for xid in groups if xid in anew]
    parts = _Parts(stating, old, groups)
    with _opened(place if old else None, source.status if source else None) as former:
        status = writing.write_parts(place, parts.texts(former))
    return Pieces(parts.spots, parts.size, status)


def _stating(registry: Registry, profile: str) -> Stating:
    stating = Stating(registry, profile_of(profile))
    # The profile divides endpoints with several usages; ids of the parts depend on those of all endpoints.
    if stating.registry.all_groups != registry.all_groups:
        raise WholeError
    return stating


class _Parts:
    """The text of a document, of which that of ``old`` groups is in another file; ``spots`` are where groups stand.

    The text of each ``new`` group is made when it is asked for, so that no two are held at the same time.
    """

    def __init__(self, stating: Stating, old: Mapping[str, Spot], new: Sequence[str]) -> None:
        self.stating = stating
        self.old = old
        self.ids: defaultdict[str, list[str]] = defaultdict(list)
        for xid in sorted((*old, *new)):
            _, plural, gid = xid.split("/")
            self.ids[plural].append(gid)
        self.frame = frame(stating, self.ids)
        self.spots: dict[str, Spot] = {}
        self.size = 0

    def texts(self, former: _Former) -> Iterator[bytes]:
        """Give the parts, each once; ``former`` is the file that texts are copied from.

        Raises:
            WholeError: the file holds something else.
        """
        if self.frame is None:
            raise WholeError
        for before, xid in joints(self.frame, self.ids):
            yield before
            self.size += len(before)
            if xid:
                text, digest = former.copied(self.old[xid]) if xid in self.old else _made(self.stating, xid)
                yield text
                self.spots[xid] = Spot(self.size, len(text), digest)
                self.size += len(text)
        former.confirm()


def _made(stating: Stating, xid: str) -> tuple[bytes, str]:
    text = piece(stating, xid)
    if text is None:
        raise WholeError
    return text, sha256(text).hexdigest()


@record
class _Former:
    """A file to copy from, if there is one; ``status`` is its own where nobody has changed it since it was written."""

    descriptor: int
    status: Status | None

    def copied(self, spot: Spot) -> tuple[bytes, str]:
        """Return the text of a group, and its digest.

        Raises:
            WholeError: it can't be read, or it is another text.
        """
        try:
            os.lseek(self.descriptor, spot.start, os.SEEK_SET)
            text = os.read(self.descriptor, spot.length)
        except OSError as error:
            raise WholeError from error
        if len(text) != spot.length or (self.status is None and sha256(text).hexdigest() != spot.digest):
            raise WholeError
        return text, spot.digest

    def confirm(self) -> None:
        """Make sure that the file was what it is taken for while it was read.

        Raises:
            WholeError: somebody has changed it meanwhile.
        """
        if self.status is not None and status_of(os.fstat(self.descriptor)) != self.status:
            raise WholeError


@contextmanager
def _opened(place: Path | None, status: Status | None) -> Iterator[_Former]:
    """Give a file to read from, if there is one to be read; it had a ``status`` when it was written."""
    if place is None:
        yield _Former(-1, None)
        return
    try:
        descriptor = os.open(place, _FLAGS)
    except OSError as error:
        raise WholeError from error
    try:
        yield _Former(descriptor, status if status_of(os.fstat(descriptor)) == status else None)
    finally:
        os.close(descriptor)
