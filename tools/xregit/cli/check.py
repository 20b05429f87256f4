"""The commands ``check`` and ``explain``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import click

import xregit
from xregit.catalog import Registry
from xregit.cli.output import note, print_result, wants_color
from xregit.cli.parameters import Ref, today, unknown_name, with_registry
from xregit.diagnostics import Diagnostic, Severity, ordered
from xregit.reports.text import coloured, plain, tally, text
from xregit.rules import Report, Rule
from xregit.source.repository import changed_files

FORMATS = ("text", "json", "github", "sarif", "junit")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Report format.")
@click.option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    show_default=True,
    help="Colours in the text: by default on a terminal, unless NO_COLOR is set.",
)
@click.option(
    "--against", type=Ref(), metavar="REF", help="Also report what the changes since this commit or branch break."
)
@click.option(
    "--severity",
    type=click.Choice([item.value for item in Severity]),
    default=Severity.INFO.value,
    show_default=True,
    help="List findings of this severity or worse.",
)
@with_registry
def check(registry: Path, paths: tuple[Path, ...], form: str, color: str, against: str | None, severity: str) -> int:
    """Check the registry against all rules.

    With PATHs the whole registry is read, but only what concerns these files and folders is reported.
    The exit code is 1 if there is an error among the findings; warnings alone leave it at 0.
    """
    for path in paths:
        if not (path.resolve().is_relative_to(registry.resolve()) or registry.resolve().is_relative_to(path.resolve())):
            note(f'Note: "{path}" is not part of the registry "{registry}".')
    catalog = xregit.read(registry)
    report = xregit.check(catalog, today()) if against is None else check_against(registry, catalog, against)
    report = filter_by_paths(report, paths, catalog)
    listed = at_least(severity, report.diagnostics)
    if form == "text":
        style = coloured if wants_color(color) else plain
        print_result(text(listed, catalog.origin.line, style), color=wants_color(color))
    else:
        from xregit.reports.formats import REPORTS  # few runs want one

        annotations = form == "github"
        sorted_ = sort_changed_first(listed, registry, against) if annotations else listed
        print_result(REPORTS[form](sorted_), annotations=annotations)
    note(unlisted(report.diagnostics, listed))
    return int(report.failed)


def check_against(registry: Path, catalog: Registry, ref: str) -> Report:
    """Return what is wrong by the settings of the base too, and what changes since a commit break.

    Two findings about one new name are one.
    """
    from xregit.changes.review import merge_findings  # comparing takes 0.1 s to load, and few runs compare
    from xregit.cli.diff import read_base, review_changes

    base = read_base(registry, ref)
    report, review = xregit.check(catalog, today(), base), review_changes(base, catalog)
    return Report(ordered(merge_findings(report.diagnostics, review.diagnostics, review.on_new_names)))


def at_least(severity: str, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a severity and of worse ones."""
    listed = tuple(Severity)[: tuple(Severity).index(Severity(severity)) + 1]
    return tuple(item for item in diagnostics if item.severity in listed)


def unlisted(diagnostics: Iterable[Diagnostic], listed: Collection[Diagnostic]) -> str:
    """Return a sentence on how many findings aren't shown, nothing if all are."""
    known = set(listed)
    rest = tally([item for item in diagnostics if item not in known])
    return rest and f"Not shown: {rest}."


def sort_changed_first(diagnostics: Iterable[Diagnostic], registry: Path, against: str | None) -> Sequence[Diagnostic]:
    """Return the findings with those in files of the branch in front: GitHub shows ten of each severity."""
    changed = changed_files(registry, against) if against and registry.is_dir() else frozenset()
    return sorted(diagnostics, key=lambda item: item.path not in changed)


def filter_by_paths(report: Report, paths: tuple[Path, ...], catalog: Registry) -> Report:
    """Return the part of a report that concerns the given files and folders; all of it if none is given."""
    if not paths:
        return report
    folders = [path.resolve() for path in paths]
    repository = catalog.origin.repository.resolve()
    places = {item.path: repository / item.path for item in report.diagnostics}
    # A finding may be about a folder, and so about each file in it.
    inside = {
        name
        for name, place in places.items()
        if any(place.is_relative_to(path) or path.is_relative_to(place) for path in folders)
    }
    return Report(tuple(item for item in report.diagnostics if item.path in inside))


@click.command()
@click.argument("rule", required=False)
def explain(rule: str | None) -> None:
    """Explain a rule, with a bad and a good example.

    Without RULE, list all rules.
    """
    rules = {item.name: item for item in xregit.RULES}
    if rule is None:
        print_result(rule_table(rules.values()))
        return
    if rule not in rules:
        raise unknown_name(rule, rules, what="rule", others='"xregit explain" lists all rules')
    selected = rules[rule]
    print_result(selected.doc)
    note(f'Severity: {selected.severity}, unless "rules" in xregit.yaml says otherwise.')
    if selected.requirements:
        note(f'Requirements, as the docs page "Conformance" numbers them: {", ".join(selected.requirements)}.')


def rule_table(rules: Collection[Rule]) -> str:
    """Return one line for each rule: its name, its severity and what it finds."""
    width = max(len(rule.name) for rule in rules)
    return "\n".join(f"{rule.name:<{width}}  {rule.severity:<7}  {rule.summary}" for rule in rules)
