"""The commands ``diff`` and ``log``, and what ``check --against`` adds: what changed, and whom it breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click

import xregit
from xregit.catalog import Registry, read_commit, read_contents
from xregit.catalog.layout import REGISTRY_FILE
from xregit.catalog.loader import NoRegistryError
from xregit.changes import diff as differences
from xregit.changes.commit_changes import history
from xregit.changes.review import Review, review
from xregit.cli.output import as_json, note, note_uncertain_times, print_result
from xregit.cli.parameters import Ref, today, with_registry
from xregit.errors import XregitError
from xregit.pages.links import address
from xregit.progress import task
from xregit.reports.changes import changes_json, changes_text, history_json, history_text
from xregit.reports.formats import REPORTS
from xregit.reports.markdown import changes_markdown
from xregit.source import repository

FORMATS = ("text", "json", "markdown", "github", "sarif", "junit")


@click.command()
@click.argument("ref", type=Ref())
@click.argument("ref2", type=Ref(), required=False)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Report format.")
@click.option("--merge-base", is_flag=True, help="Compare with the commit at which this branch left REF.")
@click.option("--pages", metavar="URL", default="", help="Where the docs site is; the Markdown links to its pages.")
@with_registry
def diff(registry: Path, ref: str, ref2: str | None, form: str, merge_base: bool, pages: str) -> int:
    """Report what changed, and which clients it breaks.

    REF is a Git commit, branch or tag, a registry folder or an xRegistry document; it is compared with REF2, by default
    with the registry as it is now. The exit code is 1 if something breaks somebody and nothing lets it through.
    """
    before = read_base(registry, ref) if merge_base else read_state(registry, ref)
    after = read_state(registry, ref2) if ref2 else xregit.read(registry)
    review = review_changes(before, after)
    text = report(review, form, page_links(after, pages), line_links(before, after))
    print_result(text, annotations=form == "github")
    return int(review.failed)


def read_base(registry: Path, ref: str) -> Registry:
    """Return the registry at the commit where the branch left another one, or the one at another path.

    Raises:
        XregitError: there is no such commit, or no registry at it.
    """
    repository.reject_links_and_submodules(git_folder(registry))
    repository.expect_committed_bytes(git_folder(registry))
    try:
        base = repository.merge_base(git_folder(registry), ref)
    except XregitError as error:
        return read_path(ref, error)
    return read_state(registry, base)


def review_changes(before: Registry, after: Registry) -> Review:
    """Return the review of the changes between two states as of today."""
    with task("comparing states"):
        return review(differences(before, after), before, after, today=today())


def read_state(registry: Path, name: str, *, paths: bool = True) -> Registry:
    """Return the registry at a commit, or the one at another path unless ``paths`` are refused.

    Raises:
        XregitError: the name is neither, or it can't be told which of several registries was this one then.
    """
    folder = git_folder(registry)
    try:
        return read_commit(folder, name)
    except NoRegistryError as error:
        places = repository.find_former_folders(folder, error.commit, REGISTRY_FILE)
        if len(places) > 1:
            folders = ", ".join(f'"{place.rstrip("/") or "."}"' for place in places)
            message = f'at "{name}" this registry was one of {folders}, which are gone; move one at a time'
            raise XregitError(message) from error
        contents: Mapping[str, bytes] = {}
        for place in places:
            note(f'Note: the registry was in "{place.rstrip("/") or "."}" at "{name}".')
            contents = repository.read_former_folder(folder, error.commit, place)
        if not places:
            note(f'Note: there was no registry at "{name}", so everything counts as added.')
        return read_contents(folder.resolve(), contents, error.commit)
    except XregitError as error:
        if not paths:
            raise
        return read_path(name, error)


def read_path(name: str, error: XregitError) -> Registry:
    """Return the registry at a path, which Git knows no commit by.

    Raises:
        XregitError: nothing is there; or it is committed, so that a pull request could bring what it is compared with.
    """
    path = Path(name)
    if not path.exists():
        raise error
    if not name.startswith((".", "/")) and repository.is_tracked(path):
        raise XregitError(f'{error}; to compare with the files that are committed there, write "./{name}"') from error
    return xregit.read(path)


def git_folder(registry: Path) -> Path:
    """Return the folder to ask Git about."""
    return registry if registry.is_dir() else registry.parent


def report(review: Review, form: str, page: Callable[[str], str], line: Callable[[str, int], str]) -> str:
    """Return the report in one of the formats."""
    if form == "markdown":
        return changes_markdown(review, page, line)
    if form in {"text", "json"}:
        return changes_text(review) if form == "text" else changes_json(review)
    return REPORTS[form](review.diagnostics)


def page_links(registry: Registry, pages: str) -> Callable[[str], str]:
    """Return a function from an xid to the address of its page on the docs site, empty for removed entities."""
    base = pages.rstrip("/")
    return lambda xid: f"{base}/{address(xid)}" if pages and registry.entity(xid) is not None else ""


def line_links(before: Registry, after: Registry) -> Callable[[str, int], str]:
    """Return a function from a file and line to its address on the web; line 0 means the file as it was before."""
    settings = before.settings if before.settings.repository else after.settings
    old = before.origin.commit or settings.branch
    new = after.origin.commit or head_commit(after) or settings.branch

    def line(path: str, number: int) -> str:
        if not settings.repository:
            return ""
        place = f"{new}/{path}#L{number}" if number else f"{old}/{path}"
        return f"{settings.repository.rstrip('/')}/blob/{place}"

    return line


def head_commit(registry: Registry) -> str:
    """Return the commit that is checked out, or nothing outside a repository."""
    try:
        return repository.resolve_commit(git_folder(registry.origin.root), "HEAD")
    except XregitError:
        return ""


@click.command()
@click.argument("xid")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Output format."
)
@with_registry
def log(registry: Path, xid: str, form: str) -> None:
    """Show the history of an entity.

    It lists each commit that touched its file, or one that it builds on, with what that changed, the newest first.
    Earlier names are followed, and XID may be that of a removed entity.
    """
    catalog = xregit.read(registry)
    with task("reading commits"):
        moments = history(catalog, xid)
    print_result(as_json(history_json(moments)) if form == "json" else history_text(moments))
    note_uncertain_times(catalog)
