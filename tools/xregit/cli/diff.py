"""The command ``diff``, and what ``check --against`` adds: what changed, and whom it breaks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from xregit.cli.output import note, result
from xregit.cli.parameters import Ref, with_registry
from xregit.cli.runner import today
from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.catalog import Registry
    from xregit.changes.policy import Review


FORMATS = ("text", "json", "markdown", "github", "sarif", "junit")


@click.command()
@click.argument("ref", type=Ref())
@click.argument("ref2", type=Ref(), required=False)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Kind of report.")
@click.option("--merge-base", is_flag=True, help="Compare with the commit at which this branch left REF.")
@click.option("--pages", metavar="URL", default="", help="Where the docs site is; the Markdown links to its pages.")
@with_registry
def diff(registry: Path, ref: str, ref2: str | None, form: str, merge_base: bool, pages: str) -> int:
    """Say what changed, and whom it breaks.

    REF is a Git commit, branch or tag, a registry folder or an xRegistry document; it is compared with REF2, by default
    with the registry as it is now. The exit code is 1 if something breaks somebody and nothing lets it through.
    """
    import xregit
    from xregit.source import repository

    base = repository.merge_base(folder_of(registry), ref) if merge_base else ref
    before = state(registry, base)
    after = state(registry, ref2) if ref2 else xregit.read(registry)
    made = compared(before, after)
    result(report(made, form, page_of(after, pages), line_of(before, after)))
    return int(made.failed)


def against(registry: Path, after: Registry, ref: str) -> Review:
    """Return what changed since the branch left a commit, or since a registry at another path.

    Raises:
        XregitError: there is no such commit, or no registry at it.
    """
    from xregit.source import repository

    try:
        base = repository.merge_base(folder_of(registry), ref)
    except XregitError:
        if not Path(ref).exists():
            raise
        base = ref
    return compared(state(registry, base), after)


def compared(before: Registry, after: Registry) -> Review:
    """Return the changes between two states, judged by today's date; what can't be read is named."""
    from xregit.changes import diff as differences
    from xregit.changes.policy import review

    for registry in (before, after):
        if registry.broken:
            files = ", ".join(sorted(registry.broken)[:3])
            note(f"Note: what can't be read is not compared, {len(registry.broken)} in all: {files}")
    return review(differences(before, after), before, after, today=today())


def state(registry: Path, name: str) -> Registry:
    """Return the registry at a commit, or the one at another path.

    Raises:
        XregitError: the name is neither.
    """
    import xregit
    from xregit.catalog import read_commit, read_contents
    from xregit.catalog.layout import REGISTRY_FILE
    from xregit.catalog.loader import NotThenError
    from xregit.source.commit_log import read_before_move

    folder = folder_of(registry)
    try:
        return read_commit(folder, name)
    except NotThenError as error:
        place, contents = read_before_move(folder, error.commit, REGISTRY_FILE)
        was = f'the registry was in "{place}"' if place else "there was no registry"
        note(f'Note: {was} at "{name}"{"." if place else ", so everything counts as added."}')
        return read_contents(folder.resolve(), contents, error.commit)
    except XregitError:
        if not Path(name).exists():
            raise
        return xregit.read(Path(name))


def folder_of(registry: Path) -> Path:
    """Return the folder to ask Git about."""
    return registry if registry.is_dir() else registry.parent


def report(made: Review, form: str, page: Callable[[str], str], line: Callable[[str, int], str]) -> str:
    """Return the report in one of the formats."""
    from xregit.reports.changes import changes_json, changes_text
    from xregit.reports.formats import FORMATS as REPORTS
    from xregit.reports.markdown import changes_markdown

    if form == "markdown":
        return changes_markdown(made, page, line)
    if form in {"text", "json"}:
        return changes_text(made) if form == "text" else changes_json(made)
    return REPORTS[form](made.diagnostics)


def page_of(registry: Registry, pages: str) -> Callable[[str], str]:
    """Return the function that gives an entity's page on the docs site; nothing for what is gone."""
    from xregit.pages.links import address

    there = pages.rstrip("/")
    return lambda xid: f"{there}/{address(xid)}" if pages and registry.entity(xid) is not None else ""


def line_of(before: Registry, after: Registry) -> Callable[[str, int], str]:
    """Return the function that gives a line of a file on the web; a file that is gone, with no line, is an old one."""
    settings = after.settings
    old = before.origin.commit or settings.branch
    new = after.origin.commit or head_of(after) or settings.branch

    def line(path: str, number: int) -> str:
        if not settings.repository:
            return ""
        place = f"{new}/{path}#L{number}" if number else f"{old}/{path}"
        return f"{settings.repository.rstrip('/')}/blob/{place}"

    return line


def head_of(registry: Registry) -> str:
    """Return the commit that is checked out, or nothing outside a repository."""
    from xregit.source import repository

    try:
        return repository.resolve_commit(folder_of(registry.origin.root), "HEAD")
    except XregitError:
        return ""
