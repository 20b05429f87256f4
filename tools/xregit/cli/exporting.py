"""The command that writes the catalog for tools of another kind: ``export``."""

from __future__ import annotations

from pathlib import Path

import click

from xregit.cli.finding import output_folder, refuse_own_folder, with_registry
from xregit.cli.printing import doubt, note


@click.command()
@click.option("--to", "form", type=click.Choice(("asyncapi",)), required=True, help="What to write.")
@output_folder("build/asyncapi", "Folder to write to; it is replaced as a whole, unless it holds other files.")
@with_registry
def export(registry: Path, form: str, output: Path) -> None:  # noqa: ARG001 - there is one form yet
    """Write the catalog as AsyncAPI documents.

    There is one document of AsyncAPI 3 for each endpoint. It describes an application that is a client of the
    endpoint: it sends to producer endpoints, and receives from consumer and subscriber endpoints.

    The registry isn't checked.
    """
    import xregit
    from xregit.document.asyncapi import asyncapi_files
    from xregit.source.writing import replace_tree

    refuse_own_folder(registry, output, replaced=True)
    loaded = xregit.load(registry)
    files = asyncapi_files(loaded)
    replace_tree(output, files, _is_asyncapi)
    note(f"Wrote {len(files):,} {'document' if len(files) == 1 else 'documents'} to {output}.")
    doubt(loaded)


def _is_asyncapi(folder: Path) -> bool:
    """Tell whether a folder holds AsyncAPI documents as we write them, and nothing else."""
    return all(path.suffix == ".json" and path.is_file() and _begins(path) for path in folder.iterdir())


def _begins(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"asyncapi"' in file.read(64)
