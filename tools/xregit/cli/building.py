"""The commands that write what others use: ``build``, ``compile``, ``site`` and ``publish``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from xregit.cli.finding import (
    Ref,
    output_folder,
    refuse_own_file,
    refuse_own_folder,
    refuse_own_tables,
    with_registry,
)
from xregit.cli.printing import doubt, note, progress, result
from xregit.collecting import uncollected

if TYPE_CHECKING:
    from xregit.cli.pipeline import Step, Task

STEPS = ("check", "document", "api", "site", "tables")


class Steps(click.ParamType[tuple[str, ...]]):
    """Names of steps, with commas between them."""

    name = "steps"

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names; an unknown one is wrong usage."""
        names = tuple(value.split(",")) if isinstance(value, str) else value
        for name in names:
            if name not in STEPS:
                self.fail(f'there is no step "{name}"; the steps are {", ".join(STEPS)}', param, ctx)
        return names


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
            self.fail(f'"{value}" is no setting; write it as key=value', param, ctx)
        return key, setting


@click.command()
@output_folder("build")
@click.option("--only", type=Steps(), default=(), metavar="STEP,...", help="Take only these steps.")
@click.option("--skip", type=Steps(), default=(), metavar="STEP,...", help="Leave these steps out.")
@click.option("--at", type=Ref(), metavar="REF", help="Build the registry as it was at this commit, branch or tag.")
@with_registry
def build(registry: Path, output: Path, only: tuple[str, ...], skip: tuple[str, ...], at: str | None) -> None:
    """Check, then write document, static API, site and tables.

    The steps are check, document, api, site and tables, in this order. If the check finds an error, nothing is
    written and the exit code is 1.
    """
    with uncollected():  # what is imported stays
        from xregit.cli import pipeline
        from xregit.cli.past import checked_out

        steps = pipeline.chosen(only, skip)
    for step in steps:
        if step.writes:
            refuse_own_folder(registry, output / step.writes, replaced=True)
    with checked_out(registry, at) as place:
        built(pipeline.Task(place, output, checked="check" in {step.name for step in steps}), steps)


def built(task: Task, steps: tuple[Step, ...]) -> None:
    """Take the steps of a build, and say what each did."""
    from xregit.cli import pipeline

    done: list[str] = []
    try:
        with progress(steps, lambda step: step.name) as bar:
            for step in bar:
                done.append(pipeline.line(step, task))  # noqa: PERF401 - what went well before a failure is shown too
    finally:
        result("\n".join(done))
    note(pipeline.hints(steps, task))
    doubt(task.registry)


@click.command("compile")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File to write; standard output if left out.")
@click.option("--profile", help="Dialect to write, 1.0-rc2 or 1.0-rc4; by default that of xregit.yaml, else 1.0-rc2.")
@click.option(
    "--view", type=click.Choice(("document", "short")), default="document", show_default=True, help="Form to write."
)
@click.option("--resolved", is_flag=True, help="Merge base messages into those that build on them.")
@with_registry
def compile_(registry: Path, output: Path | None, profile: str | None, view: str, resolved: bool) -> None:
    """Write the registry as one xRegistry document.

    The view "short" is the authoring form, which code generators read. The registry isn't checked.
    """
    import xregit
    from xregit.document.serialising import to_bytes
    from xregit.source.writing import write

    if output is not None:
        refuse_own_file(registry, output)
    loaded = xregit.load(registry)
    written = loaded.settings.profile if profile is None else profile
    document = to_bytes(xregit.compile(loaded, profile=written, view=view, resolved=resolved))
    if output is None:
        result(document.decode())
    else:
        write(output, document)
        note(f"Wrote {output}, {len(document):,} bytes.")
    doubt(loaded)


@click.command()
@output_folder("build/site")
@click.option("--serve", is_flag=True, help="Show the site at http://127.0.0.1:8000 instead, and follow changes.")
@click.option(
    "--pages",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the pages there instead, as Markdown files that hold their HTML, for any other site generator.",
)
@with_registry
def site(registry: Path, output: Path, serve: bool, folder: Path | None) -> None:
    """Build the docs site.

    The configuration is site/mkdocs.yml beside the registry's folder. Without one, the site has the registry's pages
    alone.
    """
    import xregit
    from xregit.cli.pipeline import chosen, site_config
    from xregit.pages.building import build_site, serve_site, write_pages

    if serve and folder is not None:
        message = "--serve shows a site, and --pages writes what another program makes one of; name one of them"
        raise click.UsageError(message)
    chosen(only=("site",), skip=())
    if not serve:
        refuse_own_folder(registry, folder or output, replaced=True)
    if folder is not None:
        note(f"Wrote {folder}, {write_pages(xregit.load(registry), folder):,} pages.")
    elif serve:
        serve_site(registry, site_config(registry))
    else:
        loaded = xregit.load(registry)  # a site that lacks what could not be read is worse than the last one
        note(f"Wrote {output}, {build_site(registry, site_config(registry), output, loaded):,} files.")


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
    help="Kind of table.",
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
    import xregit
    from xregit.cli.pipeline import published, where_commits_are

    refuse_own_tables(registry, tables)
    settings = dict(conf) | ({"spark.master": master} if master else {}) | ({"spark.remote": remote} if remote else {})
    if history is None:
        loaded = xregit.load(registry)
        done = xregit.publish(loaded, tables, format=form, conf=settings)
        result(f"{tables}: {published(done)}")
        doubt(loaded)
    else:
        if form != "delta":
            message = "plain Parquet has no versions; --history needs --format delta"
            raise click.UsageError(message)
        each = xregit.publish_history(registry, history, tables, conf=settings)
        for line in where_commits_are(each):
            result(line)
