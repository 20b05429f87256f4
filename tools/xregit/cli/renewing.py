"""A registry folder to its report and its document, with the help of what earlier runs have kept."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from xregit.catalog.dating import dated, standpoint
from xregit.catalog.layout import REGISTRY_FILE
from xregit.catalog.traces import group_of
from xregit.cli.clock import today
from xregit.cli.remembering import Memory
from xregit.cli.repeating import MAX_DOUBTED, MIN_FILES_TO_KEEP
from xregit.collecting import uncollected
from xregit.document.compiling import compile_document, refuse_unknown
from xregit.document.copying import Written, basis, write_pieces
from xregit.document.loading import load, refuse_unread
from xregit.document.serialising import to_bytes
from xregit.errors import CatalogError, XregitError
from xregit.records import record, replace
from xregit.rules.again import again, reread, whole
from xregit.rules.kept import held_by, state_of
from xregit.rules.standing import WholeError, standing
from xregit.source import writing
from xregit.source.settling import settled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date
    from pathlib import Path

    from xregit.catalog.dating import Dated, Standpoint
    from xregit.catalog.registry import Registry
    from xregit.document.copying import Basis
    from xregit.rules import Report
    from xregit.rules.again import Reread
    from xregit.rules.kept import Held, Kept
    from xregit.rules.standing import Standing


@record
class Sight:
    """A registry folder as one run has read it, as a whole or the part that changes since earlier ones concern.

    ``report`` is there if it was checked, ``held`` counts the resources of each group. ``state`` is the digest of the
    kept state that later runs can build on, empty for none; ``concerned`` are the groups that have changed since that
    state. If there is a ``source``, the text of groups is copied from it, except of those to be made ``anew``.
    ``paths`` are the files of the groups whose text is made, ``seen`` is the standpoint in Git's history.
    """

    now: Standing
    registry: Registry
    report: Report | None
    held: Held
    state: str
    seen: Standpoint | None
    paths: Iterable[str]
    source: Basis | None = None
    anew: frozenset[str] = frozenset()
    concerned: frozenset[str] = frozenset()


def look(path: Path, output: Path | None, day: date | None) -> Sight | None:
    """Read what it takes to write a document to an ``output``, if there is one; on a ``day``, check it as well.

    None for what is no folder, for so few files that little would be gained, for a registry that can't be read as a
    whole, and if nothing is to be checked and no earlier check has kept enough.

    Raises:
        CatalogError: nothing is to be checked, and some files can't be read as what they should be.
    """
    if not (path / REGISTRY_FILE).is_file() or (day is None and not Memory(path).has_findings):
        return None
    with suppress(WholeError):
        now = standing(path)
        if len(now.statuses) >= MIN_FILES_TO_KEEP:
            return _seen(path, now, output, day)
    return None


def _seen(path: Path, now: Standing, output: Path | None, day: date | None) -> Sight | None:
    kept = Memory(path).findings(now.context)
    if kept is not None:
        try:
            return _as_kept(now, kept, Memory(path), output, day)
        except WholeError:
            now = standing(path)  # something may have changed since it was looked at
    return None if day is None else _anew(path, now, day)


def _anew(path: Path, now: Standing, day: date) -> Sight:
    seen = standpoint(now.root)
    registry, report, kept = whole(now, day)
    if kept is not None:
        Memory(path).keep_findings(kept)
    return Sight(now, registry, report, held_by(registry), state_of(kept) if kept else "", seen, now.statuses)


def _as_kept(now: Standing, kept: Kept, memory: Memory, output: Path | None, day: date | None) -> Sight:
    seen, state = standpoint(now.root), state_of(kept)
    source = _source(memory.document(output), now, state, seen) if output and output.is_file() else None
    made: Iterable[str] = source.stale if source else kept.folders
    more = frozenset(made) if output else frozenset()
    found, report = _reread(now, kept, more, day)
    part, concerned, anew = found.part, found.concerned, found.concerned | more
    if (day not in {None, kept.day} or found.doubted > MAX_DOUBTED) and found.kept is not kept:
        memory.keep_findings(found.kept)
        state, concerned = state_of(found.kept), frozenset()
    if source is not None:
        history = source.dated.history(("", *(group.xid for group in part.all_groups)))
        part = replace(part, origin=replace(part.origin, dated=history))
    paths = [path for group in anew if group in found.folders for path in found.folders[group].files]
    return Sight(now, part, report, found.held, state, seen, paths, source, anew, concerned)


def _source(written: Written | None, now: Standing, state: str, seen: Standpoint | None) -> Basis | None:
    """Return what can be copied of a document that an earlier run has written, if that is sure to be right."""
    if written is None or seen is None or written.state != state:
        return None
    return basis(written, now.root, seen, now.prefix)


def _reread(now: Standing, kept: Kept, more: frozenset[str], day: date | None) -> tuple[Reread, Report | None]:
    if day is None:
        found = reread(now, kept, more)
        refuse_unread(found.part)
        return found, None
    checked = again(now, kept, day, more=more)
    return checked.reread, checked.report


def write_document(path: Path, sight: Sight, profile: str, output: Path) -> int:
    """Write the document view, keep what is known of it, and return how many bytes it has.

    Raises:
        CatalogError: something else than what was kept stands there, and of all that is read now something is wrong.
        XregitError: it can't be written, or there is no such profile.
    """
    refuse_unknown(profile)
    try:
        return _write(path, sight, profile, output)
    except WholeError:
        if sight.source is None:
            return _whole(sight.registry, profile, output)
    # What is kept of the document is not about what stands there.
    Memory(path).forget_document(output)
    fresh = look(path, output, today() if sight.report else None)
    if fresh is None and sight.report is None:
        return _whole(load(path), profile, output)
    if fresh is None:
        message = f'"{path}" has changed while it was read; try again'
        raise XregitError(message)
    if fresh.report and fresh.report.failed:
        raise CatalogError(fresh.report.diagnostics, fresh.registry.origin.line)
    return write_document(path, fresh, profile, output)


def _whole(registry: Registry, profile: str, output: Path) -> int:
    data = to_bytes(compile_document(registry, profile=profile))
    writing.write(output, data)
    return len(data)


def _write(path: Path, sight: Sight, profile: str, output: Path) -> int:
    source = sight.source.written if sight.source else None
    with uncollected():
        made = write_pieces(sight.registry, profile, output, source, sight.anew)
    known = _dated(sight) if sight.state and output.is_file() else None
    if known is not None:
        spots = {xid: spot._replace(digest="") if xid in sight.concerned else spot for xid, spot in made.spots.items()}
        status = made.status if made.status and settled(output, made.status) else None
        written = Written(sight.state, profile, known, _uncommitted(sight), spots, status)
        Memory(path).keep_document(output, written)
    return made.size


def _dated(sight: Sight) -> Dated | None:
    if sight.source or not sight.seen:
        return sight.source.dated if sight.source else None
    return dated(sight.registry.origin.history, sight.seen, sight.now.prefix)


def _uncommitted(sight: Sight) -> frozenset[str]:
    """Return the groups with files that no commit has."""
    known, prefix = sight.registry.origin.history.files, sight.now.prefix
    found = frozenset(group_of(path) for path in sight.paths if f"{prefix}{path}" not in known)
    return found | (sight.source.written.uncommitted - sight.anew) if sight.source else found
