"""The commands ``compile``, ``import``, ``learn`` and ``export``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import xregit
from xregit.cli.output import as_json, note, note_uncertain_times, print_result
from xregit.cli.parameters import output_folder, refuse_own_file, refuse_own_folder, with_registry
from xregit.diagnostics import Diagnostic
from xregit.document.asyncapi import asyncapi_files
from xregit.document.importer import ImportReport, settle_conflicts
from xregit.reports.text import text
from xregit.source.atomic_write import replace_tree, write
from xregit.source.json_emitter import to_bytes

if TYPE_CHECKING:
    from xregit.document.learner import LearnReport


_into = click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("registry"),
    show_default=True,
    help="Folder of the registry to add to; created if missing.",
)
_form = click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Report format."
)


class Source(click.Path):
    """A path, or an address, which stays a text."""

    def __init__(self) -> None:
        """Take what is there."""
        super().__init__(exists=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path or address."""
        is_address = isinstance(value, str) and "://" in value
        return value if is_address else super().convert(value, param, ctx)


protocol_option = click.option(
    "--protocol", default="", metavar="NAME", help="Protocol of messages whose source names none, such as KAFKA."
)


@click.command("compile")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File to write; standard output if left out.")
@click.option("--profile", help="Dialect to write, 1.0-rc2 or 1.0-rc4; by default that of xregit.yaml, else 1.0-rc2.")
@click.option(
    "--view", type=click.Choice(("document", "short")), default="document", show_default=True, help="Form to write."
)
@click.option("--resolved", is_flag=True, help="Merge base messages into the messages derived from them.")
@with_registry
def compile_(registry: Path, output: Path | None, profile: str | None, view: str, resolved: bool) -> None:
    """Write the registry as one xRegistry document.

    The view "short" is the authoring form, which code generators read. The registry isn't checked.
    """
    if output is not None:
        refuse_own_file(registry, output)
    loaded = xregit.load(registry)
    document = to_bytes(xregit.compile(loaded, profile=profile, view=view, resolved=resolved))
    if output is None:
        print_result(document.decode(), exact=True)
    else:
        write(output, document)
        note(f"Wrote {output}, {len(document):,} bytes.")
    note_uncertain_times(loaded)


@click.command("import")
@click.argument("files", metavar="[SOURCE...]", nargs=-1, type=Source())
@_into
@click.option("--ours", multiple=True, metavar="XID", help="Settle the conflicts of an entity: its files are right.")
@click.option("--theirs", multiple=True, metavar="XID", help="Settle the conflicts of an entity: its source is right.")
@click.option(
    "--from",
    "kind",
    type=click.Choice(("asyncapi", "eventcatalog", "schema-registry", "schemas", "xregistry")),
    help="Format of the sources; by default, detected from their content.",
)
@click.option("--group", default="", metavar="ID", help="Id of the groups to import the source into.")
@protocol_option
@click.option("--prune", is_flag=True, help="Remove files even if the import removes more than it writes.")
@_form
def import_(
    files: tuple[Path | str, ...],
    into: Path,
    ours: tuple[str, ...],
    theirs: tuple[str, ...],
    kind: str | None,
    group: str,
    protocol: str,
    form: str,
    *,
    prune: bool,
) -> int:
    """Turn documents and schemas into YAML files.

    xRegistry documents may be JSON or YAML of any release, from the drafts of 0.5 on, and may mix them; the report
    names the release of each, and what was changed in which lines. AsyncAPI documents may be of 2.0 to 3.1. A folder
    may hold schemas: .avsc, .proto, .xsd and JSON Schema. An address is that of a schema registry with Confluent's API;
    a file may hold its answer to /schemas, or the records of its topic.

    What was imported before brings its changes, and what people have edited since stays. Where both changed the same,
    the file is kept, and "xregit check" reports it until it is edited, or settled with --ours or --theirs and the xid.
    xRegistry documents change no file.

    Files that are there already are kept as they are; if something can't be imported, nothing is written and the exit
    code is 1. JSON lists every change on its own.
    """
    if ours or theirs:
        settle_conflicts(into, {**dict.fromkeys(ours, False), **dict.fromkeys(theirs, True)})
        note(f"Settled the conflicts of {', '.join((*ours, *theirs))}.")
    elif not files:
        message = "Name what to import."
        raise click.UsageError(message)
    if not files:
        return 0
    report = xregit.import_documents(files, into, kind or "", group=group, protocol=protocol, prune=prune)
    if form == "json":
        print_result(as_json(import_report_json(report)))
    else:
        note_import(report)
        note(import_summary(report, into))
    return int(report.failed)


def note_import(report: ImportReport) -> None:
    """Write what the sources of an import were, and what there is to say of them."""
    for path, release in report.writings:
        note(f"{path}: detected format {release}.")
    for path in report.removed:
        note(f"Removed {path}, which the source no longer has.")
    if report.diagnostics:
        note(text(_with_help_once(report.diagnostics), report.lines))


def _with_help_once(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics with each advice once, at the last message that it is for."""
    last = {item.help: item.message for item in diagnostics}
    return [item if last[item.help] == item.message else replace(item, help="") for item in diagnostics]


def import_report_json(report: ImportReport) -> dict[str, object]:
    """Return the report of an import as JSON: files, those removed, entities kept, documents, and every change."""
    return {
        "files": report.files,
        "removed": report.removed,
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
    kept = (
        f"; {count:,} {'entities were' if count > 1 else 'entity was'} in the registry already and kept"
        if count
        else ""
    )
    files = len(report.files)
    removed = f", and removed {len(report.removed):,}" if report.removed else ""
    return f"Wrote {files:,} {'file' if files == 1 else 'files'} to {into}{removed}{kept}."


@click.command()
@click.argument("samples", metavar="SAMPLES...", nargs=-1, required=True, type=Source())
@_into
@click.option("--group", default="learnt", show_default=True, help="Name of the groups of messages and schemas.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Longest time to read each broker.",
)
@click.option(
    "--samples",
    "count",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Most messages to read from each broker.",
)
@click.option("--latest", is_flag=True, help="Read only new messages from Kafka, not the existing ones.")
@_form
def learn(
    samples: tuple[Path | str, ...], into: Path, group: str, seconds: float, count: int, latest: bool, form: str
) -> int:
    """Turn samples of messages into definitions.

    Samples are files of JSON Lines: CloudEvents, messages as "xregit new" prints them, or what "kcat -J" and
    "mosquitto_sub -F %J" print. The folder of a table is that of "unmatched", which "xregit route" writes. An address
    is that of a broker with what to read there: kafka://host:9092/topic, mqtt://host/fleet/#, nats://host/orders.>
    (quote it); add +tls for TLS, as in kafka+tls://. User name and password are written before the host, as in
    name:password@host, or in XREGIT_BROKER_USER and XREGIT_BROKER_PASSWORD. Nothing is written to a broker.

    Definitions are learnt from CloudEvents, and from other messages of Kafka, MQTT, NATS and HTTP. More samples, learnt
    into the same group, refine them; what people have edited stays.

    What may be a name, a number or a secret is not written, but becomes a placeholder. The report says what is sure of
    each definition and what is not, and how many samples stand behind it. If nothing can be written, the exit code is
    1.
    """
    report = xregit.learn(samples, into, group, xregit.Limits(seconds, count, latest))
    if form == "json":
        print_result(as_json(_learn_report_json(report)))
        return int(report.written.failed)
    print_learnt(report)
    note(import_summary(report.written, into))
    return int(report.written.failed)


def print_learnt(report: LearnReport) -> None:
    """Write what was learnt, what is sure of it and what is not."""
    if report.written.diagnostics:
        note(text(report.written.diagnostics, report.written.lines))
    for line in _learn_lines(report):
        print_result(line)


def _learn_report_json(report: LearnReport) -> dict[str, object]:
    definitions = [
        {
            "xid": item.xid,
            "samples": item.samples,
            "earlier": item.earlier,
            "sure": [finding._asdict() for finding in item.sure],
            "unsure": [finding._asdict() for finding in item.unsure],
        }
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
        yield f"{item.xid}: {_samples(item.samples)}{f', {item.earlier:,} of them earlier' if item.earlier else ''}"
        for finding in item.sure:
            share = f" ({_samples(finding.samples)}, {finding.confidence:.1%})" if finding.confidence != 1 else ""
            yield f"  sure: {finding.text}{share}"
        for finding in item.unsure:
            few = f" ({_samples(finding.samples)}, {finding.confidence:.0%})" if finding.confidence is not None else ""
            yield f"  not sure: {finding.text}{few}"
    for reason, count in report.left_out.items():
        yield f"Nothing was learnt from {_samples(count)}: {reason}."


def _samples(count: int) -> str:
    return f"{count:,} {'sample' if count == 1 else 'samples'}"


@click.command()
@click.option("--to", "form", type=click.Choice(("asyncapi",)), required=True, help="What to write.")
@output_folder("build/asyncapi", "Folder to write to; it is replaced, unless it contains other files.")
@with_registry
def export(registry: Path, form: str, output: Path) -> None:  # noqa: ARG001 - there is one form yet
    """Write the catalog as AsyncAPI documents.

    There is one document of AsyncAPI 3 for each endpoint. It describes an application that is a client of the
    endpoint: it sends to producer endpoints, and receives from consumer and subscriber endpoints.

    The registry isn't checked.
    """
    refuse_own_folder(registry, output, replaced=True)
    loaded = xregit.load(registry)
    files = asyncapi_files(loaded)
    replace_tree(output, files, _is_asyncapi)
    note(f"Wrote {len(files):,} {'document' if len(files) == 1 else 'documents'} to {output}.")
    carried = {entry.message.xid for endpoint in loaded.endpoints for entry in endpoint.contract}
    rest = sum(message.xid not in carried for message in loaded.messages)
    if rest:
        note(f"{rest:,} {'message is' if rest == 1 else 'messages are'} on no endpoint, and so in no document.")
    note_uncertain_times(loaded)


def _is_asyncapi(folder: Path) -> bool:
    """Return whether a folder holds AsyncAPI documents as we write them, and nothing else."""
    return all(path.suffix == ".json" and path.is_file() and _begins(path) for path in folder.iterdir())


def _begins(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"asyncapi"' in file.read(64)
