"""The command ``fmt``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from xregit.cli.output import note, print_result
from xregit.cli.parameters import with_registry
from xregit.diagnostics import Diagnostic, Severity, ordered, sentence
from xregit.errors import XregitError
from xregit.source import file_tree
from xregit.source.atomic_write import edit_lock, write_files
from xregit.source.parse_result import NOWHERE, Problem
from xregit.source.yaml_formatter import UnformattableError, format_yaml

# A file that is not in its canonical form is no fault of the catalog, but fails a run as one does.
FORM_DIFFERS = "fmt"
FORMATS = ("text", "json", "github")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(exists=True, path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; the exit code is 1 if a file is not in its canonical form.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Report format of --check."
)
@with_registry
def fmt(registry: Path, paths: tuple[Path, ...], check: bool, form: str) -> int:
    """Bring YAML files into their canonical form.

    With PATHs only these files and folders. Comments, the order of attributes, brackets and the lines of long texts
    stay; indentation, quotes and blank lines are made alike. A file that can't be read is left as it is, and the exit
    code is 1.
    """
    if not registry.is_dir():
        raise XregitError(f'"{registry}" is one document; only files of a registry folder can be edited')
    if form != "text" and not check:
        raise XregitError(f'"--format {form}" is a form of the report of --check; add --check')
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
        from xregit.reports.formats import (
            REPORTS,  # it brings all rules, 0.2 s that the hook of each commit need not take
        )

        print_result(REPORTS[form](format_findings(root, changed, faults)), annotations=form == "github")
    files = f"{len(changed):,} file{'' if len(changed) == 1 else 's'}"
    note(f'"xregit fmt" would change {files}.' if check else f"Changed {files}.")
    return int(bool(faults) or (check and bool(changed)))


def _place(fault: Problem) -> str:
    return f":{fault.span.line}:{fault.span.column}" if fault.span.line else ""


def format_findings(root: Path, changed: Mapping[str, bytes], faults: Mapping[str, Problem]) -> tuple[Diagnostic, ...]:
    """Return a finding for each file that is not in its canonical form, at the first line that isn't, or has none."""
    from xregit.catalog.origin import prefix_of, repository_of  # as above

    prefix = prefix_of(root, repository_of(root))
    findings = []
    for path, fault in faults.items():
        message, help_ = sentence(fault.message), sentence(fault.help)
        findings.append(Diagnostic(fault.rule, Severity.ERROR, prefix + path, message, *fault.span, help=help_))
    for path, data in changed.items():
        message, help_ = "The file is not in its canonical form.", f'Run "xregit fmt {prefix}{path}".'
        line = _first_difference((root / path).read_bytes(), data)
        findings.append(Diagnostic(FORM_DIFFERS, Severity.ERROR, prefix + path, message, line, help=help_))
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
    places = [path.resolve() for path in paths]
    for place in places:
        if not place.is_relative_to(root) and not root.is_relative_to(place):
            raise XregitError(f'"{place}" is not part of the registry "{root}"')
    for path in file_tree.list_files(root).files:
        if path.endswith(".yaml") and (not places or any((root / path).is_relative_to(place) for place in places)):
            yield path, file_tree.read(root, path)


def format_file(data: bytes) -> tuple[bytes, Problem | None]:
    """Return a file's canonical form, and why it has none."""
    try:
        return format_yaml(data), None
    except UnformattableError as error:
        return data, error.problems[0] if error.problems else Problem(FORM_DIFFERS, str(error), "", NOWHERE)
