"""The steps of a build: registry → checked, document, static API, site, tables."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from xregit.errors import CatalogError, XregitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from xregit.catalog import Registry

DOCUMENT, API, SITE, TABLES = "registry.json", "api", "site", "tables"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it does with a registry and the output folder, and the extra that brings what it needs.

    ``run`` returns what it did as one line.
    """

    name: str
    run: Callable[[Registry, Path], str]
    extra: str = ""
    package: str = ""


def check(registry: Registry, output: Path) -> str:  # noqa: ARG001 - a check writes nothing
    """Check the registry.

    Raises:
        CatalogError: there are errors.
    """
    import xregit
    from xregit.reports.text import summary

    report = xregit.check(registry)
    if report.failed:
        raise CatalogError(report.diagnostics)
    return summary(report.diagnostics)


def document(registry: Registry, output: Path) -> str:
    """Write the document view."""
    import xregit
    from xregit.document.serialising import to_bytes
    from xregit.source import writing

    data = to_bytes(xregit.compile(registry))
    writing.write(output / DOCUMENT, data)
    return f"{output / DOCUMENT}  {len(data):,} bytes"


def api(registry: Registry, output: Path) -> str:
    """Write the static API."""
    from xregit.document.api import api_files
    from xregit.source import writing

    files = api_files(registry)
    writing.replace_tree(output / API, files)
    return f"{output / API}  {len(files):,} files"


def site(registry: Registry, output: Path) -> str:
    """Build the docs site."""
    import xregit

    pages = xregit.build_site(registry, output / SITE)
    return f"{output / SITE}  {pages:,} pages"


def tables(registry: Registry, output: Path) -> str:
    """Publish the tables."""
    import xregit

    published = xregit.publish(registry, output / TABLES)
    return f"{output / TABLES}  {len(published):,} tables"


STEPS = (
    Step("check", check),
    Step("document", document),
    Step("api", api),
    Step("site", site, extra="site", package="mkdocs"),
    Step("tables", tables, extra="spark", package="pyspark"),
)


def chosen(only: Iterable[str], skip: Iterable[str]) -> tuple[Step, ...]:
    """Return the steps to take, in their order.

    Raises:
        XregitError: one of them needs an extra that isn't installed.
    """
    wanted = set(only) or {step.name for step in STEPS}
    steps = tuple(step for step in STEPS if step.name in wanted - set(skip))
    for step in steps:
        if step.package and find_spec(step.package) is None:
            message = (
                f"the step {step.name} needs more packages: pip install 'xregit[{step.extra}]', or --skip {step.name}"
            )
            raise XregitError(message)
    return steps
