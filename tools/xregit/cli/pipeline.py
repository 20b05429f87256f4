"""The steps of a build: registry → checked, document, static API, site, tables."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from xregit.cli.clock import today
from xregit.errors import CatalogError, XregitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from xregit.catalog import Registry
    from xregit.spark.publishing import Publication


# Where the static API is served if xregit.yaml names no baseurl: the server of the README's command.
LOCAL = "http://localhost:8000"


@dataclass(frozen=True, slots=True)
class Task:
    """What a build is about: the registry, the path that it was read from, and the folder to write to."""

    registry: Registry
    path: Path
    output: Path


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a build; ``run`` returns what it did in a few words.

    ``writes`` is its place in the output folder, ``look`` how to look at it; ``package`` is one that it can't do
    without, and ``extra`` what brings that one.
    """

    name: str
    run: Callable[[Task], str]
    writes: str = ""
    look: str = ""
    package: str = ""
    extra: str = ""


def check(task: Task) -> str:
    """Check the registry.

    Raises:
        CatalogError: there are errors.
    """
    import xregit
    from xregit.reports.text import summary

    report = xregit.check(task.registry, today())
    if report.failed:
        raise CatalogError(report.diagnostics, task.registry.origin.line, "Nothing was written.")
    return f"{entities(task.registry)}: {summary(report.diagnostics)}"


def document(task: Task) -> str:
    """Write the document view."""
    import xregit
    from xregit.document.serialising import to_bytes
    from xregit.source import writing

    data = to_bytes(xregit.compile(task.registry, profile=task.registry.settings.profile))
    writing.write(task.output / "registry.json", data)
    return f"{len(data):,} bytes"


def api(task: Task) -> str:
    """Write the static API."""
    from xregit.document.api import api_files
    from xregit.source import writing

    settings = task.registry.settings
    files = api_files(task.registry, settings.baseurl or LOCAL, profile=settings.profile)
    writing.replace_tree(task.output / "api", files, lambda folder: (folder / "capabilities").is_file())
    return f"{len(files):,} files"


def site(task: Task) -> str:
    """Build the docs site."""
    import xregit

    return f"{xregit.build_site(task.path, site_config(task.path), task.output / 'site'):,} files"


def tables(task: Task) -> str:
    """Publish the tables."""
    import xregit

    return published(xregit.publish(task.registry, task.output / "tables"))


STEPS = (
    Step("check", check),
    Step("document", document, "registry.json"),
    Step("api", api, "api", "python3 -m http.server -d {place}"),
    Step("site", site, "site", "python3 -m http.server -d {place}", package="mkdocs", extra="site"),
    Step(
        "tables",
        tables,
        "tables",
        'in Python: deltalake.DeltaTable("{place}/messages").scan().read_all()',
        package="pyspark",
        extra="spark",
    ),
)


def chosen(only: Iterable[str], skip: Iterable[str]) -> tuple[Step, ...]:
    """Return the steps to take, in their order.

    Raises:
        XregitError: none is left, or one of them needs an extra that isn't installed.
    """
    wanted = set(only) or {step.name for step in STEPS}
    steps = tuple(step for step in STEPS if step.name in wanted - set(skip))
    if not steps:
        message = "--only and --skip leave no step to take"
        raise XregitError(message)
    missing = [step for step in steps if step.package and find_spec(step.package) is None]
    if missing:
        names, extras = (
            ",".join(values) for values in zip(*((step.name, step.extra) for step in missing), strict=True)
        )
        message = f"{names}: more packages are needed: pip install 'xregit[{extras}]', or build with --skip {names}"
        raise XregitError(message)
    return steps


def opened(path: Path, steps: Iterable[Step], output: Path) -> Task:
    """Read the registry; what is wrong with it is left to the check, where that is one of the steps."""
    import xregit

    checked = any(step.name == "check" for step in steps)
    return Task(xregit.read(path) if checked else xregit.load(path), path, output)


def site_config(registry: Path) -> Path | None:
    """Return the site's configuration beside a registry folder, or nothing where there is none."""
    config = registry.resolve().parent / "site" / "mkdocs.yml"
    return config if config.is_file() else None


def entities(registry: Registry) -> str:
    """Return how many entities of each kind there are, such as "12 messagegroups, 64 messages"."""
    held: dict[str, int] = {plural: len(groups) for plural, groups in registry.groups.items() if groups}
    for resource in registry.all_resources:
        held[resource.type.plural] = held.get(resource.type.plural, 0) + 1
    return ", ".join(f"{count:,} {plural}" for plural, count in held.items()) or "an empty registry"


def published(publication: Publication) -> str:
    """Return what became of the tables, such as "13 tables, 812 rows, 3 of them changed"."""
    tables = publication.tables
    changes = sum(table.inserted + table.updated + table.deleted for table in tables)
    changed = f"{changes:,} changed" if publication.changed else "nothing changed"
    return f"{len(tables):,} tables, {sum(table.rows for table in tables):,} rows, {changed}"


def where_commits_are(publications: Iterable[Publication]) -> Iterator[str]:
    """Give for each publication a line with its commit and the versions of the tables that hold it."""
    for done in publications:
        versions = ", ".join(f"{table.name} {table.version}" for table in done.tables if table.version is not None)
        yield f"{done.commit[:12]} {versions or 'written'}"


def line(step: Step, task: Task) -> str:
    """Take one step, and return the line of the summary that says what it did."""
    done = step.run(task)
    place = str(task.output / step.writes) if step.writes else ""
    return f"{step.name:<9} {place:<20} {done}" if place else f"{step.name:<9} {done}"


def hints(steps: Iterable[Step], output: Path) -> str:
    """Return how to look at what the steps wrote."""
    looks = [f"  {step.name:<9} {step.look.format(place=output / step.writes)}" for step in steps if step.look]
    return "\n".join(["To look at it:", *looks]) if looks else ""
