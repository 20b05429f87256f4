"""The check of a registry folder: of what changed since an earlier check if that is enough, else of everything."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from xregit.catalog.layout import REGISTRY_FILE
from xregit.cli.clock import today
from xregit.cli.remembering import Memory
from xregit.diagnostics import ordered
from xregit.rules import Report, check
from xregit.rules.again import again, whole
from xregit.rules.partly import check_files
from xregit.rules.standing import WholeError, standing
from xregit.source import yaml
from xregit.source.remembered import Remembered

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from xregit.catalog import Registry
    from xregit.catalog.reading import Parse
    from xregit.changes.policy import Review
    from xregit.rules.again import Again
    from xregit.rules.kept import Kept
    from xregit.rules.standing import Standing

MIN_FILES_TO_KEEP = 50  # fewer are checked in less time than it takes to keep the findings
MIN_FILES_TO_BEGIN = 500  # if as many and nothing is kept yet, all are checked even for a few paths, to have findings
MAX_DOUBTED = 500  # if more files may have changed since the kept state, their present state is kept instead


def checked(registry: Path, ref: str | None, paths: tuple[Path, ...] = ()) -> tuple[Report, Registry]:
    """Return what is wrong with a registry, with what its change since a commit breaks, and what was read of it.

    What is not about the files and folders at ``paths``, if any are given, may be missing from it.

    Raises:
        XregitError: there is no registry, or no such commit.
    """
    memory = Memory(registry)
    now = _standing(registry)
    kept = memory.findings(now.context) if now else None
    try:
        if now and kept:
            return _again(now, kept, ref, memory)
        if now and paths and ref is None and len(now.statuses) < MIN_FILES_TO_BEGIN:
            return _some(now, paths)
    except WholeError:
        now = _standing(registry)  # something may have changed since it was looked at
    return _whole(registry, now, ref, memory)


def _standing(registry: Path) -> Standing | None:
    with suppress(WholeError):
        return standing(registry) if (registry / REGISTRY_FILE).is_file() else None
    return None


def _some(now: Standing, paths: tuple[Path, ...]) -> tuple[Report, Registry]:
    """Check some files and folders of a small registry, of which nothing is kept.

    Raises:
        WholeError: one of them is not in its folder.
    """
    resolved = [path.resolve() for path in paths]
    if not all(path.is_relative_to(now.root) for path in resolved):
        raise WholeError
    names = ["/".join(path.relative_to(now.root).parts) for path in resolved]
    catalog = now.registry(yaml.parse)
    return check_files(catalog, names, today()), catalog


def _again(now: Standing, kept: Kept, ref: str | None, memory: Memory) -> tuple[Report, Registry]:
    day = today()
    if ref is None:
        found = again(now, kept, day)
        report = found.report
    else:
        found, report = _compared(now, kept, day, ref)
    if day != kept.day or found.reread.doubted > MAX_DOUBTED:
        memory.keep_findings(found.reread.kept)
    return report, found.reread.part


def _compared(now: Standing, kept: Kept, day: date, ref: str) -> tuple[Again, Report]:
    from xregit.changes.partly import base_of, part_at, state_at
    from xregit.cli.changing import compared

    base = base_of(now, ref)
    found = again(now, kept, day, partial(state_at, now, base))
    return found, _with(found.report, compared(part_at(now, base, found.before), found.reread.part))


def _whole(registry: Path, now: Standing | None, ref: str | None, memory: Memory) -> tuple[Report, Registry]:
    # Two states have most files in common.
    parse = yaml.parse if ref is None else Remembered().parse
    catalog, report, kept = _everything(registry, now, parse)
    if kept:
        memory.keep_findings(kept)
    if ref is not None:
        from xregit.cli.changing import against

        report = _with(report, against(registry, catalog, ref, parse))
    return report, catalog


def _everything(registry: Path, now: Standing | None, parse: Parse) -> tuple[Registry, Report, Kept | None]:
    if now and len(now.statuses) >= MIN_FILES_TO_KEEP:
        with suppress(WholeError):
            return whole(now, today(), parse)
    import xregit

    catalog = xregit.read(registry, parse)
    return catalog, check(catalog, today()), None


def _with(report: Report, made: Review) -> Report:
    """Return a report with what changes break; two findings about one new name are one."""
    from xregit.changes.slips import told_once

    return Report(ordered(told_once(report.diagnostics, made.diagnostics, made.on_new_names)))
