"""The commands ``tables``, which writes none but tells about them, and ``route``, which sorts messages into them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from xregit.cli.build import Setting
from xregit.cli.output import as_json, note, result
from xregit.cli.parameters import Ref, located, refuse_own_tables, with_registry

if TYPE_CHECKING:
    from xregit.spark.streams.job import Routed

# Of so many tables it is told how many rows they have got.
MAX_TOLD = 20


@click.command()
@click.option("--at", "ref", type=Ref(), metavar="REF", help="Print which version of each table holds that Git commit.")
@click.option("--tables", "folder", default="build/tables", show_default=True, metavar="DIR", help="Where they are.")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="Kind of text."
)
@with_registry
def tables(registry: Path, ref: str | None, folder: str, form: str) -> None:
    """Print the statements that would make the tables, or the versions that hold a commit.

    They are the tables of the catalog itself, and those that messages are routed to. Nothing is run and nothing is
    written.
    """
    import xregit
    from xregit.spark.session import require_spark

    require_spark()
    from xregit.spark.publication import published_at
    from xregit.spark.streams.plan import table_statements
    from xregit.spark.tables import create_statements

    if ref is None:
        loaded = xregit.load(registry)
        written = [*create_statements(loaded.model), *table_statements(loaded)]
        result(as_json({"statements": written}) if form == "json" else "\n\n".join(written))
        return
    found = published_at(registry, ref, folder)
    if form == "json":
        result(as_json({"number": found.number, "commit": found.commit, "versions": dict(found.versions)}))
    else:
        lines = [f"{name:<20} {version}" for name, version in found.versions.items()]
        result("\n".join([f"commit {found.commit}, publication {found.number}", *lines]))


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
    help="Folder to write to, or the URL of one in a store.",
)
@click.option("--stream", is_flag=True, help="Go on with what comes, until interrupted.")
@click.option(
    "--checkpoint", metavar="DIR", help="Where the job keeps what it has done; by default in the tables' folder."
)
@click.option("--batch-files", type=click.IntRange(1), default=1000, show_default=True, help="Most files in one batch.")
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
    checkpoint: str | None,
    batch_files: int,
    endpoint: str,
    group: str,
    master: str | None,
    conf: tuple[tuple[str, str], ...],
) -> None:
    """Sort messages by the catalog into tables, with Spark.

    There is one table for each definition. What fits none goes to "unmatched", with the reasons, what fits several to
    "ambiguous". Each file is taken once: the next run goes on where this one ended, also where it was killed. Without
    --stream it ends when all that is there is sorted.
    """
    import xregit

    source = catalog or located(registry)
    refuse_own_tables(source, tables)
    done = xregit.route(
        xregit.load(source),
        messages,
        tables,
        endpoint=endpoint,
        group=group,
        format=form,
        continuous=stream,
        checkpoint=checkpoint,
        batch_files=batch_files,
        conf=dict(conf) | ({"spark.master": master} if master else {}),
        tell=lambda batch: note(told(batch)),
    )
    result(f"{tables}: {told(done)}")


def told(done: Routed) -> str:
    """Return how many rows went where; of many tables, the rest of messages and those with most rows."""
    from xregit.spark.streams.table_mapping import OTHERS

    rest = {landing.name for landing in OTHERS}
    order = sorted(done.rows.items(), key=lambda item: (item[0] not in rest, -item[1], item[0]))
    line = ", ".join(f"{name} {count:,}" for name, count in sorted(order[:MAX_TOLD]))
    if len(order) > MAX_TOLD:
        line += f" and {len(order) - MAX_TOLD:,} more tables: {sum(done.rows.values()):,} rows in all"
    return line or "nothing new"
