"""The commands that write files for people to edit: ``init``, ``import`` and ``schema``."""

from __future__ import annotations

from pathlib import Path

import click

from xregit.cli.finding import with_registry
from xregit.cli.printing import result
from xregit.errors import XregitError


@click.command()
@click.argument("folder", metavar="[DIR]", type=click.Path(file_okay=False, path_type=Path), default=Path())
def init(folder: Path) -> None:
    """Write the files of a new registry.

    DIR is by default the working directory. The registry gets one message group with a message, its schema and an
    endpoint as examples; no file is overwritten.
    """
    written = new_registry(folder)
    result(f"Wrote {len(written)} files to {folder / 'registry'}. Next: xregit check, then xregit build.")


def new_registry(folder: Path) -> tuple[Path, ...]:
    """Write the files of the template below a folder, and return them.

    Raises:
        XregitError: one of the files is there already; nothing is written then.
    """
    from importlib.resources import as_file, files

    from xregit.source.writing import write

    with as_file(files("xregit.cli") / "template") as template:
        sources = {
            path.relative_to(template): path.read_bytes() for path in sorted(template.rglob("*")) if path.is_file()
        }
    targets = {
        folder / path.with_name(path.name.replace("gitignore", ".gitignore")): data for path, data in sources.items()
    }
    taken = next((path for path in targets if path.exists() and path.name != ".gitignore"), None)
    if taken is not None:
        message = f'"{taken}" is there already; init only writes where there is no registry'
        raise XregitError(message)
    missing = {path: data for path, data in targets.items() if not path.exists()}
    for path, data in missing.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, data)
    return tuple(missing)


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), default=Path("registry"), show_default=True)
def import_(files: tuple[Path, ...], into: Path) -> None:
    """Turn xRegistry documents into YAML files.

    The documents may be JSON or YAML of any 1.0 dialect. Files that are there already are kept as they are.
    """
    import xregit

    result(str(xregit.import_documents(files, into)))


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("build/schemas"),
    show_default=True,
    help="Folder to write to.",
)
@with_registry
def schema(registry: Path, output: Path) -> None:
    """Write the JSON Schemas with which editors check YAML.

    There is one for each kind of file; they know the attributes of this registry's own model too.
    """
    import xregit
    from xregit.model import json_schemas
    from xregit.source.writing import write

    schemas = json_schemas(xregit.read(registry).model)
    output.mkdir(parents=True, exist_ok=True)
    for name, value in schemas.items():
        write(output / name, value)
    result(f"Wrote {len(schemas)} JSON Schemas to {output}.")
