"""The commands ``build`` and ``site``, and the steps of a build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import click

import xregit
from xregit import progress
from xregit.catalog import Registry
from xregit.cli.check import at_least, unlisted
from xregit.cli.output import note, note_uncertain_times, print_result, publication_summary
from xregit.cli.parameters import (
    Ref,
    checkout,
    output_folder,
    refuse_own_folder,
    today,
    with_registry,
)
from xregit.document.static_api import api_files
from xregit.errors import CatalogError, XregitError
from xregit.installed import install_command
from xregit.model.datatypes import SYNTAXES
from xregit.model.language import type_label
from xregit.pages.builder import build_site, serve_site, write_pages
from xregit.reports.text import summary
from xregit.source import atomic_write
from xregit.source.json_emitter import to_bytes

# Where the static API is served if xregit.yaml names no baseurl: the server of the README's command.
LOCAL = "http://localhost:8000"
DOCUMENT = "registry.json"


@dataclass(frozen=True)
class Build:
    """One build: the path of the registry, the folder to write to, and whether the registry is checked.

    ``address`` is where the static API will be served, if not where the registry's settings say.
    """

    path: Path
    output: Path
    checked: bool
    address: str = ""

    @property
    def baseurl(self) -> str:
        """Where the static API will be served, or nothing where nobody says."""
        return self.address or self.registry.settings.baseurl

    @cached_property
    def registry(self) -> Registry:
        """The registry; what is wrong with it is left to the check, if there is one.

        Raises:
            CatalogError: it isn't checked, and some files can't be read as what they should be.
            XregitError: there is none.
        """
        return xregit.read(self.path) if self.checked else xregit.load(self.path)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a build; ``run`` returns what it did in a few words.

    ``writes`` is its place in the output folder, ``look`` how to look at it; ``package`` is one that it can't do
    without, and ``extra`` what brings that one.
    """

    name: str
    run: Callable[[Build], str]
    writes: str = ""
    look: Callable[[Build], str] | None = None
    package: str = ""
    extra: str = ""


def check_step(task: Build) -> str:
    """Check the registry.

    Raises:
        CatalogError: there are errors.
    """
    registry = task.registry
    report = xregit.check(registry, today())
    if report.failed:
        errors = at_least("error", report.diagnostics)
        rest = unlisted(report.diagnostics, errors)
        others = f'{rest} "xregit check" lists them. ' if rest else ""
        way_out = "" if registry.broken else ' "xregit build --skip check" builds it as it is.'
        raise CatalogError(errors, registry.origin.line, f"{others}Nothing was written.{way_out}")
    return f"{entity_counts(registry)}: {summary(report.diagnostics)}"


def document_step(task: Build) -> str:
    """Write the document view."""
    data = to_bytes(xregit.compile(task.registry))
    atomic_write.write(task.output / DOCUMENT, data)
    return f"{len(data):,} bytes"


def api_step(task: Build) -> str:
    """Write the static API."""
    files = api_files(task.registry, task.baseurl or LOCAL, profile=task.registry.settings.profile)
    atomic_write.replace_tree(task.output / "api", files, lambda folder: (folder / "capabilities").is_file())
    return f"{len(files):,} files"


def api_hint(task: Build) -> str:
    """Say how to look at the static API, whose addresses lead to where it will be served."""
    base, place = task.baseurl or LOCAL, task.output / "api"
    if base == LOCAL:
        return f"python3 -m http.server -d {place}"
    return f"serve {place} at {base}, where its links lead; to try it here, build with --baseurl {LOCAL}"


STEPS = (
    Step("check", check_step),
    Step("document", document_step, DOCUMENT),
    Step("api", api_step, "api", api_hint),
    Step(
        "site",
        lambda task: f"{xregit.build_site(task.registry, task.output / 'site', site_config(task.path)):,} files",
        "site",
        lambda task: f"python3 -m http.server -d {task.output / 'site'}",
        package="mkdocs",
        extra="site",
    ),
    Step(
        "tables",
        lambda task: publication_summary(xregit.publish(task.registry, task.output / "tables")),
        "tables",
        lambda task: f'in Python: deltalake.DeltaTable("{task.output}/tables/messages").scan().read_all()',
        package="pyspark",
        extra="spark",
    ),
)


def select_steps(only: Iterable[str], skip: Iterable[str]) -> tuple[Step, ...]:
    """Return the steps to take, in their order.

    Raises:
        XregitError: none is left, or one of them needs an extra that isn't installed.
    """
    selected = (set(only) or {step.name for step in STEPS}) - set(skip)
    steps = tuple(step for step in STEPS if step.name in selected)
    if not steps:
        raise XregitError("--only and --skip leave no step to run; skip fewer")
    missing = [step for step in steps if step.package and find_spec(step.package) is None]
    if missing:
        names, extras = (
            ",".join(values) for values in zip(*((step.name, step.extra) for step in missing), strict=True)
        )
        raise XregitError(f"{names}: more packages are needed: {install_command(extras)}, or build with --skip {names}")
    return steps


def site_config(registry: Path) -> Path | None:
    """Return the site's configuration beside a registry folder, or nothing where there is none.

    Raises:
        XregitError: there is a symbolic link among the files of the site; it could publish any file of the machine.
    """
    folder = registry.resolve().parent / "site"
    link = next((path for path in (folder, *folder.rglob("*")) if path.is_symlink()), None)
    if link is not None:
        raise XregitError(f'"{link}" is a symbolic link, which is not allowed in the site; copy its target')
    config = folder / "mkdocs.yml"
    return config if config.is_file() else None


def entity_counts(registry: Registry) -> str:
    """Return how many entities of each kind there are, such as "1 message group, 64 messages"."""
    groups = registry.model.groups
    singular = {kind.plural: kind.singular for kind in groups.values()}
    singular |= {kind.plural: kind.singular for group in groups.values() for kind in group.resources.values()}
    counts = Counter(group.type.plural for group in registry.all_groups)
    for group in registry.all_groups:
        counts.update({plural: len(resources) for plural, resources in group.collections.items()})
    names = {plural: type_label(name if counts[plural] == 1 else plural) for plural, name in singular.items()}
    return ", ".join(f"{counts[key]:,} {name}" for key, name in names.items() if counts[key]) or "an empty registry"


def run_step(step: Step, task: Build) -> str:
    """Take one step, and return the line of the summary that says what it did."""
    summary = step.run(task)
    place = str(task.output / step.writes) if step.writes else ""
    return f"{step.name:<9} {place:<20} {summary}" if place else f"{step.name:<9} {summary}"


def hints(steps: Iterable[Step], task: Build) -> str:
    """Return how to look at what the steps wrote."""
    looks = [f"  {step.name:<9} {step.look(task)}" for step in steps if step.look]
    return "\n".join(["To look at it:", *looks]) if looks else ""


STEP_NAMES = tuple(step.name for step in STEPS)


class WebAddress(click.ParamType[str]):
    """An address that begins with http:// or https://."""

    name = "url"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the address without a slash at its end; any other text is wrong usage."""
        if value and not SYNTAXES["web"].test(value):
            self.fail(f'"{value}" is not {SYNTAXES["web"].about}', param, ctx)
        return value.rstrip("/")


class Steps(click.ParamType[tuple[str, ...]]):
    """Names of steps, with commas between them."""

    name = "steps"

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names; an unknown one is wrong usage."""
        names = tuple(value.split(",")) if isinstance(value, str) else value
        for name in names:
            if name not in STEP_NAMES:
                self.fail(f'there is no step "{name}"; the steps are {", ".join(STEP_NAMES)}', param, ctx)
        return names


@click.command()
@output_folder("build")
@click.option("--only", type=Steps(), default=(), metavar="STEP,...", help="Run only these steps.")
@click.option("--skip", type=Steps(), default=(), metavar="STEP,...", help="Skip these steps.")
@click.option("--baseurl", type=WebAddress(), default="", metavar="URL", help="Where the static API will be served.")
@click.option("--at", type=Ref(), metavar="REF", help="Build the registry as it was at this commit, branch or tag.")
@with_registry
def build(
    registry: Path, output: Path, only: tuple[str, ...], skip: tuple[str, ...], baseurl: str, at: str | None
) -> None:
    """Check, then write document, static API, site and tables.

    The steps are check, document, api, site and tables, in this order. If the check finds an error, nothing is
    written and the exit code is 1. Links of the static API lead to --baseurl, else to the baseurl of xregit.yaml.
    """
    steps = select_steps(only, skip)
    for step in steps:
        if step.writes:
            refuse_own_folder(registry, output / step.writes, replaced=True)
    with checkout(registry, at) as place:
        run_steps(Build(place, output, checked="check" in {step.name for step in steps}, address=baseurl), steps)


def run_steps(task: Build, steps: tuple[Step, ...]) -> None:
    """Take the steps of a build, and say what each did."""
    lines: list[str] = []
    try:
        for step in steps:
            with progress.task(f"step {step.name}"):
                lines.append(run_step(step, task))
    finally:
        print_result("\n".join(lines))
    note(hints(steps, task))
    note_uncertain_times(task.registry)


@click.command()
@output_folder("build/site")
@click.option("--serve", is_flag=True, help="Show the site at http://127.0.0.1:8000 instead, and follow changes.")
@click.option(
    "--pages",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the pages there instead, as Markdown files with HTML, for another site generator.",
)
@with_registry
def site(registry: Path, output: Path, serve: bool, folder: Path | None) -> None:
    """Build the site.

    The configuration is site/mkdocs.yml beside the registry's folder. Without one, the site has the registry's pages
    alone.
    """
    if serve and folder is not None:
        message = "--serve and --pages exclude each other; use one of them"
        raise click.UsageError(message)
    select_steps(only=("site",), skip=())
    if not serve:
        refuse_own_folder(registry, folder or output, replaced=True)
    if folder is not None:
        note(f"Wrote {folder}, {write_pages(xregit.load(registry), folder):,} pages.")
    elif serve:
        serve_site(registry, site_config(registry))
    else:
        loaded = xregit.load(registry)  # a site that lacks what could not be read is worse than the last one
        note(f"Wrote {output}, {build_site(loaded, output, site_config(registry)):,} files.")
