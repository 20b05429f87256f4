"""The commands that need Spark: ``publish``, ``route`` and ``tables``."""

from __future__ import annotations

import logging
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING

import click

import xregit
from xregit.cli.output import as_json, note, note_uncertain_times, print_result, publication_summary
from xregit.cli.parameters import Ref, find_registry, refuse_own_folder, with_registry
from xregit.spark import require_spark

if TYPE_CHECKING:
    from xregit.spark.publication import Publication
    from xregit.spark.streams.sink import BatchResult


# So many tables are listed with their rows.
MAX_LISTED = 20


def publication_lines(publications: Iterable[Publication]) -> Iterator[str]:
    """Yield a line for each publication: its commit, and the versions of the tables that hold it."""
    for publication in publications:
        versions = ", ".join(
            f"{table.name} {table.version}" for table in publication.tables if table.version is not None
        )
        yield f"{publication.commit[:12]} {versions or 'written'}"


class Setting(click.ParamType[tuple[str, str]]):
    """A setting of Spark, as ``key=value``."""

    name = "setting"

    def convert(
        self, value: str | tuple[str, str], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return key and value; a text without an equals sign is wrong usage."""
        if not isinstance(value, str):
            return value
        key, sign, setting = value.partition("=")
        if not key or not sign:
            self.fail(f'"{value}" is not a setting; write it as key=value', param, ctx)
        return key, setting


def refuse_own_tables(registry: Path, tables: str) -> None:
    """Stop where tables would be written into the registry, as `refuse_own_folder` does; a store's URL is no folder."""
    from xregit.spark.location import Location

    place = Location.of(tables).local
    if place is not None:
        refuse_own_folder(registry, place)


@click.command()
@click.option(
    "--tables",
    default="build/tables",
    show_default=True,
    metavar="DIR",
    help="Folder to write to, or the URL of one in a store.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("delta", "parquet")),
    default="delta",
    show_default=True,
    help="Table format.",
)
@click.option("--history", type=Ref(), metavar="[REF..]REF", help="Publish every commit up to REF, the oldest first.")
@click.option("--master", metavar="URL", help="The Spark that runs the job, such as local[4] or spark://host:7077.")
@click.option("--remote", metavar="URL", help="A Spark Connect server, such as sc://host:15002.")
@click.option("--conf", multiple=True, type=Setting(), metavar="KEY=VALUE", help="A setting of Spark; may be repeated.")
@with_registry
def publish(
    registry: Path,
    tables: str,
    form: str,
    history: str | None,
    master: str | None,
    remote: str | None,
    conf: tuple[tuple[str, str], ...],
) -> None:
    """Write the catalog's tables with Spark.

    A table changes only where the catalog has changed; publishing the same commit again adds no version. With
    --history each commit becomes a version of its own, so that a reader can go back to it.
    """
    require_spark()
    refuse_own_tables(registry, tables)
    settings = dict(conf) | ({"spark.master": master} if master else {}) | ({"spark.remote": remote} if remote else {})
    if history is None:
        loaded = xregit.load(registry)
        publication = xregit.publish(loaded, tables, format=form, conf=settings)
        print_result(f"{tables}: {publication_summary(publication)}")
        note_uncertain_times(loaded)
    else:
        if form != "delta":
            raise click.UsageError("plain Parquet has no versions; --history needs --format delta")
        from xregit.spark.publication import iter_history

        for line in publication_lines(iter_history(registry, history, tables, conf=settings)):
            print_result(line)


@click.command()
@click.option("--at", "ref", type=Ref(), metavar="REF", help="Print which version of each table holds that Git commit.")
@click.option("--tables", "folder", default="build/tables", show_default=True, metavar="DIR", help="Where they are.")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Output format."
)
@with_registry
def tables(registry: Path, ref: str | None, folder: str, form: str) -> None:
    """Print the statements that create the tables, or the versions that hold a commit.

    They are the tables of the catalog itself, and those that messages are routed to. Nothing is run and nothing is
    written.
    """
    require_spark()
    from xregit.spark.publication import published_at
    from xregit.spark.streams.router import table_statements
    from xregit.spark.tables import create_statements

    if ref is None:
        loaded = xregit.load(registry)
        statements = [*create_statements(loaded.model), *table_statements(loaded)]
        print_result(as_json({"statements": statements}) if form == "json" else "\n\n".join(statements))
        return
    publication = published_at(registry, ref, folder)
    versions = dict(publication.versions)
    if form == "json":
        print_result(as_json({"number": publication.number, "commit": publication.commit, "versions": versions}))
    else:
        lines = [f"{name:<20} {version}" for name, version in versions.items()]
        print_result("\n".join([f"commit {publication.commit}, publication {publication.number}", *lines]))


@click.command()
@click.option(
    "--catalog",
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE",
    help="The catalog: a registry's folder or any xRegistry document; by default the registry.",
)
@click.option("--input", "messages", required=True, metavar="PATH", help="File or folder, path or URL, of messages.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("jsonl", "kafka-parquet", "kafka-json")),
    default="jsonl",
    show_default=True,
    help="One message as JSON in each line, or files with the columns of Spark's Kafka source.",
)
@click.option(
    "--tables",
    default="build/routed",
    show_default=True,
    metavar="DIR",
    help="Folder to write to, the URL of one in a store, or schema:CATALOG.SCHEMA.",
)
@click.option("--stream", is_flag=True, help="Keep reading new messages, until interrupted.")
@click.option("--trigger", default="1 second", show_default=True, metavar="TIME", help="How often --stream polls.")
@click.option(
    "--checkpoint", metavar="DIR", help="Spark's checkpoint, a folder or URL; by default in the tables' folder."
)
@click.option(
    "--app-id", default="", metavar="NAME", help="Name of the writer of the tables; by default the checkpoint's query."
)
@click.option("--compact", type=click.IntRange(0), default=0, help="Compact small files after so many batches.")
@click.option(
    "--batch-files",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Maximum number of files in one batch.",
)
@click.option("--endpoint", default="", metavar="XID", help="Only messages that this endpoint carries.")
@click.option("--group", default="", metavar="XID", help="Only messages of this group.")
@click.option("--master", metavar="URL", help="The Spark that runs the job, such as local[4] or spark://host:7077.")
@click.option("--conf", multiple=True, type=Setting(), metavar="KEY=VALUE", help="A setting of Spark; may be repeated.")
@click.pass_obj
def route(
    registry: Path | None,
    catalog: Path | None,
    messages: str,
    form: str,
    tables: str,
    stream: bool,
    trigger: str,
    checkpoint: str | None,
    app_id: str,
    compact: int,
    batch_files: int,
    endpoint: str,
    group: str,
    master: str | None,
    conf: tuple[tuple[str, str], ...],
) -> None:
    """Sort messages into tables by their definitions, with Spark.

    There is one table for each definition. What fits none goes to "unmatched", with the reasons, what fits several to
    "ambiguous". Each file is taken once: the next run goes on where this one ended, also where it was killed. Without
    --stream it ends when all that is there is sorted.
    """
    require_spark()
    from xregit.spark.streams.job import use_job_session, wait_for

    source = catalog or find_registry(registry)
    refuse_own_tables(source, tables)
    context, rows = copy_context(), Counter[str]()

    def tell(batch: BatchResult) -> None:
        rows.update(batch.rows)
        context.run(note, row_counts(batch.rows))  # from a thread of Spark's
        for xid, why in batch.quarantined.items():
            context.run(note, f"{xid} is in quarantine: {why}")

    settings = dict(conf) | ({"spark.master": master} if master else {})
    with _interrupts(), use_job_session(settings) as spark:
        query = xregit.route(
            xregit.load(source),
            messages,
            tables,
            spark=spark,
            endpoint=endpoint,
            group=group,
            format=form,
            trigger=trigger if stream else "",
            checkpoint=checkpoint,
            app_id=app_id,
            batch_files=batch_files,
            compact=compact,
            tell=tell,
        )
        wait_for(query, endless=stream)
    print_result(f"{tables}: {row_counts(rows)}")


@contextmanager
def _interrupts() -> Iterator[None]:
    """Let SIGTERM end the block like Ctrl-C, without the stack trace that PySpark logs of each interrupt."""
    handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    logging.disable()
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        signal.signal(signal.SIGTERM, handler)


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("xregit.tar.gz"),
    show_default=True,
    help="File to write.",
)
@click.option("--complete", is_flag=True, help="Add pyarrow and pandas, for a cluster whose Python lacks them.")
def spark_archive(output: Path, *, complete: bool) -> None:
    """Write the packages that Spark's executors need.

    That is xregit and what it requires, as installed here, without PySpark and pyarrow, which executors have. Give the
    file to Spark as --archives xregit.tar.gz#xregit.
    """
    require_spark()
    from xregit.spark.executors import write_archive

    note(f"wrote {write_archive(output, complete=complete)}")


def row_counts(rows: Mapping[str, int]) -> str:
    """Return how many rows each table got; of many tables, those of the unmatched and those with most rows."""
    from xregit.spark.streams.message_tables import RAW_TABLES

    order = sorted(rows.items(), key=lambda item: (item[0] not in RAW_TABLES, -item[1], item[0]))
    line = ", ".join(f"{name} {count:,}" for name, count in sorted(order[:MAX_LISTED]))
    if len(order) > MAX_LISTED:
        line += f" and {len(order) - MAX_LISTED:,} more tables: {sum(rows.values()):,} rows in all"
    return line or "nothing new"
