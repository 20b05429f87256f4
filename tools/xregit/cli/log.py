"""The command ``log``, and the registry as it was: what ``--at`` means for other commands."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xregit.cli.output import as_json, doubt, result
from xregit.cli.parameters import with_registry

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
    """Tell what became of an entity.

    Each commit that touched its file, or one that it builds on, is told with what changed by it, the newest first;
    earlier names are followed. XID may be that of an entity which is gone.
    """
    import xregit
    from xregit.changes.history import history
    from xregit.reports.changes import history_json, history_text

    catalog = xregit.read(registry)
    moments = history(catalog, xid)
    result(as_json(history_json(moments)) if form == "json" else history_text(moments))
    doubt(catalog)


def read_at(registry: Path, ref: str | None) -> Registry:
    """Return the registry as it is now, or as it was at a commit.

    Raises:
        XregitError: there is no such commit, or no registry at it.
    """
    import xregit
    from xregit.catalog import read_commit

    return xregit.read(registry) if ref is None else read_commit(registry, ref)


@contextmanager
def checked_out(registry: Path, ref: str | None) -> Iterator[Path]:
    """Give the path of the registry; for a commit, that in a checkout of its own, which is gone afterwards.

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
