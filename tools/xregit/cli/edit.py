"""The commands that edit YAML as a person would: ``fmt``, ``rename`` and ``deprecate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from xregit.cli.output import note, print_result
from xregit.cli.parameters import unknown_name, with_registry
from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog import Registry
    from xregit.diagnostics import Diagnostic
    from xregit.source.parse_result import Problem


# A file that is not in its canonical form is no fault of the catalog, but fails a run as one does.
FORM_DIFFERS = "fmt"
FORMATS = ("text", "json", "github")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(exists=True, path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; the exit code is 1 if a file is not in its canonical form.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Kind of report of --check."
)
@with_registry
def fmt(registry: Path, paths: tuple[Path, ...], check: bool, form: str) -> int:
    """Bring YAML files into their canonical form.

    With PATHs only these files and folders. Comments, the order of attributes, brackets and the lines of long texts
    stay; indentation, quotes and blank lines are made alike. A file that can't be read is left as it is, and the exit
    code is 1.
    """
    from xregit.source.atomic_write import edit_lock, write_files

    if not registry.is_dir():
        message = f'"{registry}" is one document; only files of a registry folder can be edited'
        raise XregitError(message)
    if form != "text" and not check:
        message = f'"--format {form}" is a form of the report of --check; add --check'
        raise XregitError(message)
    root = registry.resolve()
    if check:
        changed, faults = format_files(root, paths)
    else:
        with edit_lock(root):
            changed, faults = format_files(root, paths)
            write_files(root, changed)
    if form == "text":
        for path, fault in faults.items():
            note(f"{registry / path}{_place(fault)}: {fault.message}")
        print_result("\n".join((registry / path).as_posix() for path in changed))
    else:
        from xregit.reports.formats import REPORTS

        print_result(REPORTS[form](format_findings(root, changed, faults)))
    files = f"{len(changed):,} file{'' if len(changed) == 1 else 's'}"
    note(f'"xregit fmt" would change {files}.' if check else f"Changed {files}.")
    return int(bool(faults) or (check and bool(changed)))


def _place(fault: Problem) -> str:
    return f":{fault.span.line}:{fault.span.column}" if fault.span.line else ""


def format_findings(root: Path, changed: Mapping[str, bytes], faults: Mapping[str, Problem]) -> tuple[Diagnostic, ...]:
    """Return a finding for each file that is not in its canonical form, at the first line that isn't, or has none."""
    from dataclasses import asdict

    from xregit.catalog.origin import repository_of
    from xregit.diagnostics import Diagnostic, Severity, ordered, sentence

    prefix = root.relative_to(repository_of(root)).as_posix()
    findings = []
    for path, fault in faults.items():
        message, help_ = sentence(fault.message), sentence(fault.help)
        place = asdict(fault.span)
        findings.append(Diagnostic(fault.rule, Severity.ERROR, f"{prefix}/{path}", message, help=help_, **place))
    for path, data in changed.items():
        message, help_ = "The file is not in its canonical form.", f'"xregit fmt {prefix}/{path}" brings it there.'
        line = _first_difference((root / path).read_bytes(), data)
        findings.append(Diagnostic(FORM_DIFFERS, Severity.ERROR, f"{prefix}/{path}", message, line, help=help_))
    return ordered(findings)


def _first_difference(old: bytes, new: bytes) -> int:
    """Return the number of the first line that differs; the last one that both have where one goes on."""
    lines, others = old.splitlines(keepends=True), new.splitlines(keepends=True)
    same = (number for number, pair in enumerate(zip(lines, others, strict=False), start=1) if pair[0] != pair[1])
    return next(same, min(len(lines), len(others)))


def format_files(root: Path, paths: tuple[Path, ...]) -> tuple[dict[str, bytes], dict[str, Problem]]:
    """Return the files that are not in their canonical form, in that form, and why others have none.

    Raises:
        XregitError: a path is not part of the registry.
    """
    changed: dict[str, bytes] = {}
    faults: dict[str, Problem] = {}
    for path, data in yaml_files(root, paths):
        new, fault = format_file(data)
        if fault:
            faults[path] = fault
        elif new != data:
            changed[path] = new
    return changed, faults


def yaml_files(root: Path, paths: tuple[Path, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the YAML files of a registry, all or those at some paths: path below its folder, and bytes.

    Raises:
        XregitError: a path is not part of the registry.
    """
    from xregit.source import file_tree

    places = [path.resolve() for path in paths]
    for place in places:
        if not place.is_relative_to(root) and not root.is_relative_to(place):
            message = f'"{place}" is not part of the registry "{root}"'
            raise XregitError(message)
    for path in file_tree.list_files(root).files:
        if path.endswith(".yaml") and (not places or any((root / path).is_relative_to(place) for place in places)):
            yield path, file_tree.read(root, path)


def format_file(data: bytes) -> tuple[bytes, Problem | None]:
    """Return a file's canonical form, and why it has none."""
    from xregit.source.parse_result import NOWHERE, Problem
    from xregit.source.yaml_formatter import UnformattableError, format_yaml

    try:
        return format_yaml(data), None
    except UnformattableError as error:
        return data, error.problems[0] if error.problems else Problem(FORM_DIFFERS, str(error), "", NOWHERE)


@click.command()
@click.argument("xid")
@click.argument("new_id", metavar="NEW-ID")
@with_registry
def rename(registry: Path, xid: str, new_id: str) -> None:
    """Give an entity another id, and let all references follow.

    What it says stays the same, such as the type of its events: those who send and receive notice nothing.
    """
    from xregit.changes.edits import rename as rename_entity
    from xregit.changes.edits import write_rename
    from xregit.source.atomic_write import edit_lock

    with edit_lock(registry):
        catalog = load_registry_of(registry, xid)
        renaming = rename_entity(catalog, xid, new_id)
        write_rename(catalog.origin.root, renaming)
    count = renaming.references
    note(f"{xid} is {renaming.xid} now; {count:,} reference{' follows' if count == 1 else 's follow'}.")


@click.command()
@click.argument("xid")
@click.option("--by", metavar="XID", default="", help="What takes its place: an xid, or a URL.")
@click.option("--effective", metavar="TIME", default="", help="From when on it is deprecated, such as 2026-12-31.")
@click.option("--removal", metavar="TIME", default="", help="When it goes away, such as 2027-12-31.")
@click.option("--docs", metavar="URL", default="", help="Where the way to what takes its place is explained.")
@with_registry
def deprecate(registry: Path, xid: str, by: str, effective: str, removal: str, docs: str) -> None:
    """Say that an entity should no longer be used.

    Attributes of its deprecation that no option sets stay as they are.
    """
    from xregit.changes.edits import deprecate as deprecate_entity
    from xregit.source.atomic_write import edit_lock, write

    terms = {"effective": parse_time(effective), "removal": parse_time(removal), "alternative": by, "docs": docs}
    with edit_lock(registry):
        catalog = load_registry_of(registry, xid)
        if by.startswith("/") and catalog.entity(by) is None:
            raise unknown_name(by, (other for other in catalog if other != xid), what="entity")
        path, data = deprecate_entity(catalog, xid, {name: text for name, text in terms.items() if text})
        write(catalog.origin.repository / path, data)
    note(f"Wrote {path}.")


def load_registry_of(registry: Path, xid: str) -> Registry:
    """Return the registry that has an entity.

    Raises:
        XregitError: it has none of that xid.
    """
    import xregit

    catalog = xregit.load(registry)
    if catalog.entity(xid) is None:
        raise unknown_name(xid, catalog, what="entity")
    return catalog


def parse_time(text: str) -> str:
    """Return a time as a registry states it; a day begins at midnight in UTC.

    Raises:
        XregitError: it is no time.
    """
    from xregit.model.times import moment, timestamp

    if not text:
        return ""
    parsed = moment(text)
    if parsed is None:
        message = f'"{text}" is no time; write it as 2026-12-31 or 2026-12-31T12:00:00Z'
        raise XregitError(message)
    return timestamp(parsed)
