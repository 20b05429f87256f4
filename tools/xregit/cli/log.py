"""The command ``log``, and the registry at a commit, for commands that take ``--at``."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xregit.cli.output import as_json, note_uncertain_times, print_result
from xregit.cli.parameters import with_registry
from xregit.progress import task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog import Registry


@click.command()
@click.argument("xid")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Kind of text."
)
@with_registry
def log(registry: Path, xid: str, form: str) -> None:
    """Show the history of an entity.

    It lists each commit that touched its file, or one that it builds on, with what that changed, the newest first.
    Earlier names are followed, and XID may be that of a removed entity.
    """
    import xregit
    from xregit.changes.commit_changes import history
    from xregit.reports.changes import history_json, history_text

    catalog = xregit.read(registry)
    with task("reading commits"):
        moments = history(catalog, xid)
    print_result(as_json(history_json(moments)) if form == "json" else history_text(moments))
    note_uncertain_times(catalog)


def read_at(registry: Path, ref: str | None) -> Registry:
    """Return the registry as it is now, or as it was at a commit.

    Raises:
        XregitError: there is no such commit, or no registry at it.
    """
    import xregit
    from xregit.catalog import read_commit

    return xregit.read(registry) if ref is None else read_commit(registry, ref)


@contextmanager
def checkout(registry: Path, ref: str | None) -> Iterator[Path]:
    """Yield the path of the registry; for a commit, that in a temporary checkout.

    Raises:
        XregitError: there is no such commit, or no registry at it.
    """
    if ref is None:
        yield registry
        return
    import tempfile

    from xregit.source.repository import worktree

    read_at(registry, ref)  # says in one line what is missing
    with tempfile.TemporaryDirectory(prefix="xregit-") as folder, worktree(registry, ref, Path(folder)) as inside:
        yield inside
