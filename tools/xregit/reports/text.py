"""Matches and diagnostics as lines for a terminal, the latter with source line and carets, which editors can follow."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xregit.arguments import without_credentials
from xregit.catalog import Registry
from xregit.diagnostics import Diagnostic, Severity
from xregit.errors import Lines, no_lines
from xregit.messages.constraints import Failure
from xregit.messages.explanation import NAME, READABLE
from xregit.messages.result import Match
from xregit.model.odd_characters import BLANK
from xregit.rules.all_rules import rule_named

# Returns a text in a style.
Paint = Callable[[str, str], str]

# A line that holds a credential would carry it into the logs of CI.
UNSHOWN = "credential-in-"
MAX_RULES_LISTED = 10
# How many findings that say the same are shown each with its line, and how many further places are listed.
MAX_REPEATS = 3
MAX_PLACES_LISTED = 10
MIN_FINDINGS_TO_NAME_A_FILE = 3
# Styles and their codes (ECMA-48, "select graphic rendition").
CODES: Mapping[str, str] = {
    "error": "1;31", "warning": "1;33", "info": "1;34", "place": "1", "rule": "36", "margin": "2", "help": "32",
}  # fmt: skip


def plain(text: str, _style: str) -> str:
    """Return a text as it is."""
    return text


def coloured(text: str, style: str) -> str:
    """Return a text in the colours of a terminal."""
    return f"\x1b[{CODES[style]}m{text}\x1b[0m"


def text(diagnostics: Sequence[Diagnostic], lines: Lines = no_lines, paint: Paint = plain) -> str:
    """Return ``path:line:column: severity rule: message`` for each, with the line and any help, then a summary.

    Where more than three say the same, the first is followed by the places of the others. There is no final newline.
    What a catalog's author wrote can't steer the terminal.
    """
    groups: defaultdict[tuple[str, ...], list[Diagnostic]] = defaultdict(list)
    for item in diagnostics:
        groups[_content(item)].append(item)
    findings: list[str] = []
    for item in diagnostics:
        group = groups[_content(item)]
        if len(group) <= MAX_REPEATS:
            findings += _lines(item, lines, paint)
        elif item is group[0]:
            findings += [*_lines(item, lines, paint), *_places(group[1:], paint)]
    return "\n".join([*findings, summary(diagnostics), *_next_steps(diagnostics, paint)])


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one sentence that says how many findings there are, and in how many files."""
    if not diagnostics:
        return "No findings."
    return f"Found {tally(diagnostics)} in {_many(len({item.path for item in diagnostics}), 'file')}."


def tally(diagnostics: Sequence[Diagnostic]) -> str:
    """Return how many diagnostics there are, such as "2 errors, 1 warning"; nothing if there are none."""
    return ", ".join(_many(count, severity) for severity, count in counts(diagnostics).items() if count)


def counts(diagnostics: Sequence[Diagnostic]) -> Mapping[str, int]:
    """Return how many diagnostics there are of each severity, worst first."""
    numbers = Counter(item.severity for item in diagnostics)
    return {severity.value: numbers[severity] for severity in Severity}


def place(diagnostic: Diagnostic) -> str:
    """Return where a diagnostic points, without the line or column that isn't known."""
    numbers = [str(number) for number in (diagnostic.line, diagnostic.column) if number]
    return ":".join([diagnostic.path, *numbers])


def _lines(item: Diagnostic, lines: Lines, paint: Paint) -> Iterator[str]:
    where, rule = paint(escape_control(place(item)), "place"), paint(item.rule, "rule")
    yield f"{where}: {paint(item.severity, item.severity)} {rule}: {escape_control(item.message)}"
    line = lines(item.path, item.line) if item.line and not item.rule.startswith(UNSHOWN) else None
    if line is not None and without_credentials(line) == line:
        context = excerpt(line, item.column, item.endcolumn if item.endline in {0, item.line} else len(line) + 1)
        margin = f"  {item.line} |"
        yield f"{paint(margin, 'margin')} {context.line}".rstrip()
        yield f"{paint('|'.rjust(len(margin)), 'margin')} {paint(context.carets, item.severity)}"
    if item.help:
        yield f"    {paint('help:', 'help')} {escape_control(item.help)}"


def _content(item: Diagnostic) -> tuple[str, ...]:
    return item.severity, item.rule, item.message, item.help


def _places(repeats: Sequence[Diagnostic], paint: Paint) -> Iterator[str]:
    """Yield where else a finding was made, and how many of these places are left out."""
    for number, item in enumerate(repeats[:MAX_PLACES_LISTED]):
        yield f"    {'      ' if number else 'also: '}{paint(escape_control(place(item)), 'place')}"
    if len(repeats) > MAX_PLACES_LISTED:
        yield f'          and {len(repeats) - MAX_PLACES_LISTED} more, which "--format json" lists'


def _next_steps(diagnostics: Sequence[Diagnostic], paint: Paint) -> Iterator[str]:
    """Yield what to do next: the rules, errors first, the file to begin with, and where to read more."""
    numbers = Counter((item.severity, item.rule) for item in diagnostics)
    severities = list(Severity)
    rules = sorted(numbers, key=lambda rule: (severities.index(rule[0]), -numbers[rule]))
    if not rules:
        return
    if len(rules) > 1:
        width = len(str(max(numbers.values())))
        for severity, rule in rules[:MAX_RULES_LISTED]:
            yield f"  {numbers[severity, rule]:>{width}}  {paint(f'{severity:<7}', severity)}  {paint(rule, 'rule')}"
        if len(rules) > MAX_RULES_LISTED:
            yield f"  {'':>{width}}  and {_many(len(rules) - MAX_RULES_LISTED, 'more rule')}"
    files = Counter(item.path for item in diagnostics).most_common(2)
    if len(files) > 1 and files[0][1] >= MIN_FINDINGS_TO_NAME_A_FILE and files[0][1] > files[1][1]:
        yield f"Most are in {escape_control(files[0][0])}: {files[0][1]}."
    explained = [rule for _, rule in rules if rule_named(rule)]
    if explained:
        which = explained[0] if len(explained) == 1 else "RULE"
        yield f'Next: "xregit explain {which}" says why, and shows what is right.'


def _many(count: int, noun: str) -> str:
    plural = "" if count == 1 or noun == Severity.INFO else "s"
    return f"{count} {noun}{plural}"


MAX_COLUMNS = 100
# How many characters before the span are shown of a line that is too long to be shown whole.
CHARS_BEFORE = 40
# And how many columns at most, so that what is marked has room behind them.
MAX_COLUMNS_BEFORE = 90
_MAX_CHARS_MARKED = 4 * MAX_COLUMNS
TAB = 4
_ELLIPSIS = "…"
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_COMBINING = frozenset({"Mn", "Me"})


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line as it is shown, and the carets that stand under its span."""

    line: str
    carets: str


def excerpt(line: str, column: int, endcolumn: int) -> Excerpt:
    """Return what to show of a line; columns count characters from 1, the end is exclusive, 0 where not known.

    Tabs become spaces, what can't be seen or would steer a terminal becomes an escape. Of a long line a part is shown.
    """
    start = min(max(column - 1, 0), len(line))
    end = min(endcolumn - 1, len(line)) if endcolumn > column else start + 1
    first = max(start - CHARS_BEFORE, 0) if len(line) > MAX_COLUMNS else 0
    before = _expand_tabs(line[first:start], 1 if first else 0)
    # Escapes take more room than the characters that they stand for.
    while terminal_width(before) > MAX_COLUMNS_BEFORE:
        first += 1
        before = _expand_tabs(line[first:start], 1)
    # There is no room for more, and a line may have thousands of findings; some characters take no column.
    end = min(end, start + _MAX_CHARS_MARKED)
    # A tab within the span or behind it is counted from where it really stands.
    marked = _expand_tabs(line[start:end], terminal_width(before))
    after = _expand_tabs(line[end : end + MAX_COLUMNS], terminal_width(before + marked))
    room = MAX_COLUMNS - terminal_width(before)
    carets = min(max(terminal_width(marked), 1), room)
    head = _ELLIPSIS if first else ""
    text = _truncate(head + before + marked + after, whole=len(line) <= end + MAX_COLUMNS)
    return Excerpt(text, " " * terminal_width(head + before) + "^" * carets)


def escape_control(text: str) -> str:
    """Return a text in one line, with an escape for all that can't be seen or would steer a terminal."""
    return "".join(_escaped(character) for character in text)


def path_bytes(path: str) -> bytes:
    """Return a path, or an address that ends in one, as the file system has it, or as near to it as UTF-8 can come."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "replace")


def terminal_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _expand_tabs(text: str, at: int) -> str:
    """Return a stretch of a line that begins in a column, counted from 0, as it is shown."""
    if "\t" not in text:
        return escape_control(text)
    parts: list[str] = []
    for character in text:
        part = " " * (TAB - at % TAB) if character == "\t" else _escaped(character)
        at += terminal_width(part)
        parts.append(part)
    return "".join(parts)


def _truncate(text: str, *, whole: bool) -> str:
    """Return as much of a text as there is room for."""
    if whole and terminal_width(text) <= MAX_COLUMNS + 1:
        return text
    length, width = 0, 0
    while length < len(text) and width + _width(text[length]) <= MAX_COLUMNS:
        width += _width(text[length])
        length += 1
    return text[:length] + _ELLIPSIS


def _escaped(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    if unicodedata.category(character) in _UNPRINTABLE or BLANK.match(character):
        return character.encode("unicode_escape", "surrogatepass").decode()
    return character


def _width(character: str) -> int:
    if unicodedata.category(character) in _COMBINING:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


NOTHING = "nothing"
VERBS = {"": "fits", "name": "may be", "payload": "may be the payload of"}
PARTS = {"dataschema": "payload"}


def match_text(match: Match, registry: Registry, place: str, *, explain: bool = False) -> str:
    """Return the answer to one message: a line that says what it is, then the definitions in question.

    Each has its name, xid and file. ``place`` is where the message stands. What comes near is shown where nothing fits,
    or to ``explain``.
    """
    lines = [f"{place}: {_headline(match)}"]
    lines += [f"  {problem}" for problem in match.problems]
    for item in match.matches:
        lines += _definition(registry, item.xid)
        lines += [f"    {name} = {value}" for name, value in item.context.items()]
    for reason in match.reasons if explain or not match.matches else ():
        if not match.problems or reason.xid:
            lines += _definition(registry, reason.xid, near=True) if reason.xid else []
            lines += [f"    {_failure(failure)}" for failure in reason.failed]
    return "\n".join(map(escape_control, lines))


def _headline(match: Match) -> str:
    verb, count = VERBS[match.guess], len(match.matches)
    if match.problems:
        return "can't be read as a message"
    if count:
        return f"{verb} {'one definition' if count == 1 else f'{count} definitions'}"
    if any(failure.attribute == "dataschema" for reason in match.reasons for failure in reason.failed):
        return f"{verb} no definition, because of its payload" if not match.guess else f"{verb} no definition"
    return "is the name of no definition" if match.guess == NAME else f"{verb} no definition"


def _definition(registry: Registry, xid: str, *, near: bool = False) -> Iterator[str]:
    message = registry[xid]
    title = message.name or message.id
    yield f"  {'near: ' if near else ''}{title}"
    yield f"    {xid}"
    yield f"    {message.entity.place.path}"


def _failure(failure: Failure) -> str:
    """Return what fails in words, with the last part of the attribute, which people know it by."""
    part = PARTS.get(failure.attribute, failure.attribute.partition("/")[2] or failure.attribute)
    label = f"{part}: " if part else ""
    if failure.attribute == "dataschema" or failure.expected == READABLE:
        return f"{label}{failure.found}"
    found = NOTHING if failure.found is None else f'"{failure.found}"'
    return f"{label}expected {failure.expected}, found {found}"
