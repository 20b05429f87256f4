"""The commands ``import``, ``learn`` and ``export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xregit.cli.output import as_json, note, note_uncertain_times, print_result
from xregit.cli.parameters import output_folder, refuse_own_folder, with_registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.document.importer import ImportReport
    from xregit.document.learning import LearnReport


_into = click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("registry"),
    show_default=True,
    help="Folder of the registry to add to; it is made if it is missing.",
)
_form = click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Kind of report."
)


class _Source(click.Path):
    """A path, or an address, which stays a text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path or address."""
        is_address = isinstance(value, str) and value.startswith(("https://", "http://"))
        return value if is_address else super().convert(value, param, ctx)


@click.command("import")
@click.argument("files", metavar="SOURCE...", nargs=-1, required=True, type=_Source(exists=True, path_type=Path))
@_into
@_form
def import_(files: tuple[Path | str, ...], into: Path, form: str) -> int:
    """Turn documents and schemas into YAML files.

    xRegistry documents may be JSON or YAML of any release, from the drafts of 0.5 on, and may mix them; the report
    names the release of each, and what was changed in which lines. AsyncAPI documents may be of 2.0 to 3.1. A folder
    may hold schemas: .avsc, .proto, .xsd and JSON Schema. An address is that of a schema registry with Confluent's API;
    a file may hold its answer to /schemas, or the records of its topic.

    What was imported before brings its changes, and what people have edited since stays. xRegistry documents change
    no file.

    Files that are there already are kept as they are; if something can't be imported, nothing is written and the exit
    code is 1. JSON lists every change on its own.
    """
    import xregit
    from xregit.reports.text import text

    report = xregit.import_documents(files, into)
    if form == "json":
        print_result(as_json(import_report_json(report)))
        return int(report.failed)
    for path, release in report.writings:
        note(f"{path}: detected format {release}.")
    if report.diagnostics:
        note(text(report.diagnostics, report.lines))
    note(import_summary(report, into))
    return int(report.failed)


def import_report_json(report: ImportReport) -> dict[str, object]:
    """Return the report of an import as JSON: files, entities kept, documents, and every change."""
    return {
        "files": report.files,
        "kept": report.kept,
        "documents": [{"path": path, "dialect": release} for path, release in report.writings],
        "changes": [item.as_json() for item in report.changes],
        "diagnostics": [item.as_json() for item in report.diagnostics],
    }


def import_summary(report: ImportReport, into: Path) -> str:
    """Return a sentence on what an import did."""
    if report.failed:
        return "Nothing was imported."
    count = len(report.kept)
    kept = f"; {count:,} {'entities were' if count > 1 else 'entity was'} there already and kept" if count else ""
    files = len(report.files)
    return f"Wrote {files:,} {'file' if files == 1 else 'files'} to {into}{kept}."


@click.command()
@click.argument(
    "files", metavar="SAMPLES...", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@_into
@click.option("--group", default="learnt", show_default=True, help="Name of the groups of messages and schemas.")
@_form
def learn(files: tuple[Path, ...], into: Path, group: str, form: str) -> int:
    """Turn samples of messages into definitions.

    Samples are files of JSON Lines: CloudEvents, messages as "xregit new" prints them, or what "kcat -J" and
    "mosquitto_sub -F %J" print. Definitions are learnt from CloudEvents, and from other messages of Kafka, MQTT and
    NATS. More samples, learnt into the same group, refine them; what people have edited stays.

    What may be a name, a number or a secret is not written, but becomes a placeholder. The report says what is sure of
    each definition and what is not, and how many samples stand behind it. If nothing can be written, the exit code is
    1.
    """
    import xregit
    from xregit.reports.text import text

    report = xregit.learn(files, into, group)
    if form == "json":
        print_result(as_json(_learn_report_json(report)))
        return int(report.written.failed)
    if report.written.diagnostics:
        note(text(report.written.diagnostics, report.written.lines))
    for line in _learn_lines(report):
        print_result(line)
    note(import_summary(report.written, into))
    return int(report.written.failed)


def _learn_report_json(report: LearnReport) -> dict[str, object]:
    definitions = [
        {"xid": item.xid, "samples": item.samples, "sure": item.sure, "unsure": item.unsure}
        for item in report.definitions
    ]
    return {
        "samples": report.samples,
        "left_out": report.left_out,
        "definitions": definitions,
        "files": report.written.files,
        "kept": report.written.kept,
        "diagnostics": [item.as_json() for item in report.written.diagnostics],
    }


def _learn_lines(report: LearnReport) -> Iterator[str]:
    for item in report.definitions:
        yield f"{item.xid}: {_samples(item.samples)}"
        yield from (f"  sure: {line}" for line in item.sure)
        yield from (f"  not sure: {line}" for line in item.unsure)
    for reason, count in report.left_out.items():
        yield f"Nothing was learnt from {_samples(count)}: {reason}."


def _samples(count: int) -> str:
    return f"{count:,} {'sample' if count == 1 else 'samples'}"


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
    from xregit.source.atomic_write import replace_tree

    refuse_own_folder(registry, output, replaced=True)
    loaded = xregit.load(registry)
    files = asyncapi_files(loaded)
    replace_tree(output, files, _is_asyncapi)
    note(f"Wrote {len(files):,} {'document' if len(files) == 1 else 'documents'} to {output}.")
    note_uncertain_times(loaded)


def _is_asyncapi(folder: Path) -> bool:
    """Return whether a folder holds AsyncAPI documents as we write them, and nothing else."""
    return all(path.suffix == ".json" and path.is_file() and _begins(path) for path in folder.iterdir())


def _begins(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"asyncapi"' in file.read(64)
