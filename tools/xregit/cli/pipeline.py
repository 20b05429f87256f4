"""The steps of a build: registry → checked, document, static API, site, tables."""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from xregit.cli.clock import today
from xregit.errors import CatalogError, XregitError
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from xregit.catalog import Registry
    from xregit.spark.publication import Publication


# Where the static API is served if xregit.yaml names no baseurl: the server of the README's command.
LOCAL = "http://localhost:8000"
DOCUMENT = "registry.json"


@record
class Task:
    """What a build is about: the path of the registry, the folder to write to, and whether the registry is checked."""

    path: Path
    output: Path
    checked: bool

    @cached_property
    def registry(self) -> Registry:
        """The registry; what is wrong with it is left to the check, if there is one.

        Raises:
            CatalogError: it isn't checked, and some files can't be read as what they should be.
            XregitError: there is none.
        """
        import xregit

        return xregit.read(self.path) if self.checked else xregit.load(self.path)


@record
class Step:
    """One step of a build; ``run`` returns what it did in a few words.

    ``writes`` is its place in the output folder, ``look`` how to look at it; ``package`` is one that it can't do
    without, and ``extra`` what brings that one.
    """

    name: str
    run: Callable[[Task], str]
    writes: str = ""
    look: Callable[[Task], str] | None = None
    package: str = ""
    extra: str = ""


def check(task: Task) -> str:
    """Check the registry.

    Raises:
        CatalogError: there are errors.
    """
    import xregit
    from xregit.reports.text import summary

    registry = task.registry
    report = xregit.check(registry, today())
    if report.failed:
        raise CatalogError(report.diagnostics, registry.origin.line, "Nothing was written.")
    return f"{entities(registry)}: {summary(report.diagnostics)}"


def document(task: Task) -> str:
    """Write the document view.

    Raises:
        XregitError: a link stands in its place, which may have come with a clone, and lead to any file of the user.
    """
    import xregit
    from xregit.document.serialising import to_bytes
    from xregit.source import writing

    place, profile = task.output / DOCUMENT, task.registry.settings.profile
    if place.is_symlink():
        message = f'"{place}" is a link; remove it, or name another folder with -o'
        raise XregitError(message)
    data = to_bytes(xregit.compile(task.registry, profile=profile))
    writing.write(place, data)
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

    return f"{xregit.build_site(task.path, site_config(task.path), task.output / 'site', task.registry):,} files"


def tables(task: Task) -> str:
    """Publish the tables."""
    import xregit

    return published(xregit.publish(task.registry, task.output / "tables"))


def look_at_api(task: Task) -> str:
    """Say how to look at the static API, whose addresses lead to where it will be served."""
    base = task.registry.settings.baseurl
    place = task.output / "api"
    return f"serve {place} at {base}, where its addresses lead" if base else f"python3 -m http.server -d {place}"


def look_at_site(task: Task) -> str:
    """Say how to look at the docs site."""
    return f"python3 -m http.server -d {task.output / 'site'}"


def look_at_tables(task: Task) -> str:
    """Say how to look at the tables."""
    return f'in Python: deltalake.DeltaTable("{task.output}/tables/messages").scan().read_all()'


STEPS = (
    Step("check", check),
    Step("document", document, DOCUMENT),
    Step("api", api, "api", look_at_api),
    Step("site", site, "site", look_at_site, package="mkdocs", extra="site"),
    Step("tables", tables, "tables", look_at_tables, package="pyspark", extra="spark"),
)


def chosen(only: Iterable[str], skip: Iterable[str]) -> tuple[Step, ...]:
    """Return the steps to take, in their order.

    Raises:
        XregitError: none is left, or one of them needs an extra that isn't installed.
    """
    wanted = set(only) or {step.name for step in STEPS}
    steps = tuple(step for step in STEPS if step.name in wanted - set(skip))
    if not steps:
        message = "--only and --skip leave no step to take; skip fewer"
        raise XregitError(message)
    missing = [step for step in steps if step.package and find_spec(step.package) is None]
    if missing:
        from xregit.installed import bringing  # only faults ask

        names, extras = (
            ",".join(values) for values in zip(*((step.name, step.extra) for step in missing), strict=True)
        )
        message = f"{names}: more packages are needed: {bringing(extras)}, or build with --skip {names}"
        raise XregitError(message)
    return steps


def site_config(registry: Path) -> Path | None:
    """Return the site's configuration beside a registry folder, or nothing where there is none."""
    config = registry.resolve().parent / "site" / "mkdocs.yml"
    return config if config.is_file() else None


def entities(registry: Registry) -> str:
    """Return how many entities of each kind there are, such as "12 messagegroups, 64 messages"."""
    model = registry.model
    counts = dict.fromkeys([*model.groups, *(plural for kind in model.groups.values() for plural in kind.resources)], 0)
    for group in registry.all_groups:
        counts[group.type.plural] += 1
        for plural, resources in group.collections.items():
            counts[plural] += len(resources)
    return ", ".join(f"{count:,} {plural}" for plural, count in counts.items() if count) or "an empty registry"


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


def hints(steps: Iterable[Step], task: Task) -> str:
    """Return how to look at what the steps wrote."""
    looks = [f"  {step.name:<9} {step.look(task)}" for step in steps if step.look]
    return "\n".join(["To look at it:", *looks]) if looks else ""
