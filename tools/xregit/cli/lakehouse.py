"""The command that tells about tables without writing any: ``tables``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xregit.cli.finding import with_registry
from xregit.cli.printing import as_json, result

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.option("--at", "ref", metavar="REF", help="Print which version of each table holds that Git commit.")
@click.option("--tables", "folder", default="build/tables", show_default=True, metavar="DIR", help="Where they are.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@with_registry
def tables(registry: Path, ref: str | None, folder: str, form: str) -> None:
    """Print the statements that would make the tables, or the versions that hold a commit.

    Nothing is run and nothing is written.
    """
    import xregit
    from xregit.spark.asof import published_at
    from xregit.spark.definitions import statements

    if ref is None:
        result("\n\n".join(statements(xregit.load(registry).model)))
        return
    found = published_at(registry, ref, folder)
    if form == "json":
        result(as_json({"number": found.number, "commit": found.commit, "versions": dict(found.versions)}))
    else:
        lines = [f"{name:<20} {version}" for name, version in found.versions.items()]
        result("\n".join([f"commit {found.commit}, publication {found.number}", *lines]))
