"""The check of a folder: of what has changed since an earlier one where that tells enough, else of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.layout import REGISTRY_FILE
from xregit.catalog.parts import differing
from xregit.changes.partly import part_of, state_at
from xregit.cli.changing import against, compared
from xregit.cli.clock import today
from xregit.cli.remembering import FEW_FILES, Memory
from xregit.diagnostics import ordered
from xregit.errors import XregitError
from xregit.rules import Report, check
from xregit.rules.again import again, whole
from xregit.rules.standing import WholeError, standing
from xregit.source import history

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog import Registry
    from xregit.diagnostics import Diagnostic
    from xregit.rules.kept import Kept
    from xregit.rules.standing import Standing

MANY_CHANGED = 25  # so many files are not looked at again in each run, but kept as they are now


def checked(registry: Path, ref: str | None) -> tuple[Report, Registry]:
    """Return what is wrong with a registry, with what its change since a commit breaks, and what was read of it.

    Raises:
        XregitError: there is no registry, or no such commit.
    """
    memory = Memory(registry)
    now = _standing(registry)
    kept = memory.findings(now.context) if now and len(now.contents) >= FEW_FILES else None
    if now and kept:
        try:
            return _again(now, kept, ref, memory)
        except WholeError:
            pass
    return _whole(registry, now, ref, memory)


def _standing(registry: Path) -> Standing | None:
    """Return the files of a registry's folder, if it is one that can be read as a whole."""
    try:
        return standing(registry) if (registry / REGISTRY_FILE).is_file() else None
    except WholeError:
        return None


def _again(now: Standing, kept: Kept, ref: str | None, memory: Memory) -> tuple[Report, Registry]:
    day = today()
    base = _commit(now, ref) if ref is not None else ""
    before = state_at(now, base) if base else None
    found = again(now, kept, day, before)
    report = found.report
    if before:
        old = part_of(now, base, before, found.groups)
        report = _with(report, compared(old, found.part).diagnostics)
    if day != kept.day or len(differing(kept.files, found.kept.files)) > MANY_CHANGED:
        memory.keep_findings(found.kept)
    return report, found.part


def _commit(now: Standing, ref: str) -> str:
    """Return the commit to compare with; a registry at another path is compared as a whole."""
    try:
        return history.merge_base(now.root, ref)
    except XregitError as error:
        raise WholeError from error


def _whole(registry: Path, now: Standing | None, ref: str | None, memory: Memory) -> tuple[Report, Registry]:
    import xregit

    if now is None or len(now.contents) < FEW_FILES:
        catalog = now.registry(memory.parse) if now else xregit.read(registry, memory.parse)
        report = check(catalog, today())
    else:
        catalog, report, kept = whole(now, today(), memory.parse)
        if kept:
            memory.keep_findings(kept)
    if ref is not None:
        report = _with(report, against(registry, catalog, ref, memory.parse).diagnostics)
    memory.keep_values()
    return report, catalog


def _with(report: Report, more: tuple[Diagnostic, ...]) -> Report:
    return Report(ordered((*report.diagnostics, *more)))
