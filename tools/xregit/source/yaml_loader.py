"""YAML by the core schema of YAML 1.2: the value of a file, its problems, and the position of every part.

`parse` takes the value of a sound text from the parser's events, without positions. Only where something is wrong, or a
position is needed, `survey` goes through the whole text again, which takes three times as long. Neither composes nodes
or recurses: libyaml's own composer overflows the stack on deeply nested text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from sys import intern
from typing import Any, Protocol, cast

import yaml
from yaml import SafeLoader, YAMLError
from yaml.error import Mark
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml.scanner import ScannerError

from xregit.diagnostics import Span
from xregit.source.parse_result import (
    MAX_DEPTH,
    NOWHERE,
    UTF8_BOM,
    Parsed,
    Positions,
    Problem,
    StopError,
    ValueBuilder,
    conflict_problem,
)
from xregit.source.scalars import FIRST_CHARACTERS, PlainFloat, PlainInt, scalar
from xregit.source.yaml_diagnostics import bad_character, syntax_problem

try:
    from yaml import CSafeLoader as _Base
except ImportError:  # pyyaml without libyaml
    from yaml import SafeLoader as _Base  # type: ignore[assignment]

_EXPANDED = frozenset({"yaml-alias", "yaml-tag", "yaml-key", "yaml-duplicate-key"})
# What aliases may expand to, in values.
_MAX_VALUES = 1_000_000


class _CoreLoader(_Base):
    """pyyaml's loader, with plain scalars by the core schema of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, Any] = {"<": [("tag:yaml.org,2002:merge", re.compile("^<<$"))]}  # noqa: RUF012 - as pyyaml has it


def _construct_text(_: Any, node: Any) -> Any:
    return node.value if node.style else scalar(node.value)


_CoreLoader.add_constructor("tag:yaml.org,2002:str", _construct_text)


def expand_anchors(data: bytes) -> Parsed:
    """Return the value of a YAML text with its aliases replaced by what they stand for, and what is wrong with it."""
    parsed = parse(data)
    if not parsed.problems or any(problem.rule not in _EXPANDED for problem in parsed.problems):
        return parsed
    loader = _CoreLoader(data)
    try:
        node = loader.get_single_node()
        count, depth = _extent(node, {})
        if count > _MAX_VALUES or depth > MAX_DEPTH:
            span = parsed.problems[0].span
            return Parsed(
                None, (Problem("yaml-alias", "the aliases expand to too many values", "use fewer aliases", span),)
            )
        return Parsed(loader.construct_document(node))
    except (yaml.YAMLError, ValueError):
        return parsed
    finally:
        loader.dispose()


def _extent(node: Any, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return how many values a node stands for once aliases and merge keys are expanded, and how deep they are.

    An anchor stands before its aliases, so this goes no deeper than the text.
    """
    if id(node) not in known:
        known[id(node)] = (_MAX_VALUES + 1, 0)  # that of a node inside itself
        is_mapping = isinstance(node, yaml.MappingNode)
        parts = [part for pair in node.value for part in pair] if is_mapping else node.value
        extents = [_extent(part, known) for part in (() if isinstance(node, yaml.ScalarNode) else parts)]
        depths = (depth for _, depth in extents)
        known[id(node)] = (1 + sum(count for count, _ in extents), 1 + max(depths, default=0))
    return known[id(node)]


class EventSource(Protocol):
    """The parse events of one text."""

    def get_event(self) -> Any:
        """Return the next event, of one of pyyaml's event classes.

        Raises:
            YAMLError: the text is not YAML.
        """


Parser = Callable[[bytes], EventSource]


class PurePythonParser(SafeLoader):
    """pyyaml's own parser, as strict about escaped surrogates as libyaml."""

    def get_event(self) -> Any:
        """Return the next event.

        Raises:
            ScannerError: a text holds half of a surrogate pair, which UTF-8 can't encode.
        """
        event = super().get_event()  # type: ignore[no-untyped-call]
        if isinstance(event, ScalarEvent) and not event.value.isascii():
            try:
                event.value.encode()
            except UnicodeEncodeError as error:
                problem = "found invalid Unicode character escape code"
                raise ScannerError(None, None, problem, cast("Mark", event.start_mark)) from error
        return event


def fastest_parser() -> Parser:
    """Return libyaml's parser, or pyyaml's own where libyaml is missing."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        return PurePythonParser
    return CParser


PARSER = fastest_parser()

_NO_TAGS = 'remove the tag; put the value in quotes if it must be text, as in "1.0"'
_NO_ALIASES = "write the value out at each place; messages share attributes through basemessage"
_ONE_DOCUMENT = 'keep one document per file: remove the "---" and what follows it'
_TEXT_KEYS = "write the key as plain text; put a value that begins with a bracket in quotes"
_TEMPLATE = "put a template in quotes"
_QUOTES = frozenset("\"'")
_FILE_START = Span(1, 1, 1, 1)
_ENDS = frozenset((MappingEndEvent, SequenceEndEvent))
_NUMBERS_WITH_TEXT = frozenset((PlainInt, PlainFloat))
_YAML_1_1_LINE_BREAK = re.compile("[\x85\u2028\u2029]")


class _UnusualError(Exception):
    """The text isn't one ordinary document; `survey` finds out why."""


def parse(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return the value of a file that holds one YAML document, and everything that is wrong with its text."""
    text = data.removeprefix(UTF8_BOM)
    with suppress(_UnusualError, ValueError, YAMLError):
        if text.isascii() or not _YAML_1_1_LINE_BREAK.search(text.decode()):
            return _parse_ordinary((parser or PARSER)(text), braces=b"{" in text)
    return survey(data, parser)


def parse_mapping(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return what `parse` does, with a problem where the document is anything but a mapping."""
    parsed = parse(data, parser)
    if isinstance(parsed.value, dict) or parsed.problems:
        return parsed
    kind = "a list" if isinstance(parsed.value, list) else "a single value"
    message = f'the file holds {kind}, but lines such as "name: value" are expected'
    span = positions(data, parser).root.mark()
    return Parsed(None, (Problem("yaml-syntax", message, 'write each attribute as "name: value"', span),))


def positions(data: bytes, parser: Parser | None = None) -> Positions:
    """Return where the parts of the document stand, as far as it can be read."""
    return survey(data, parser).positions


def survey(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return what `parse` does, with the positions of all parts."""
    data = data.removeprefix(UTF8_BOM)
    character = bad_character(data)
    if character:
        return Parsed(None, (character,))
    survey = _Survey()
    try:
        survey.read((parser or PARSER)(data))
    except YAMLError as error:
        conflict = conflict_problem(data, "yaml-syntax")
        problem = conflict or syntax_problem(error, data, survey.quoted, survey.bracket)
        problems = survey.builder.problems
        if problems and problems[-1].help.startswith(_TEMPLATE) and problems[-1].span.line == problem.span.line:
            problem = problems.pop()  # what follows a template can't be read either
        survey.builder.unreadable(problem)
    except StopError:
        pass
    return survey.builder.result()


def _parse_ordinary(source: EventSource, *, braces: bool) -> Parsed:  # noqa: C901, PLR0912 - one loop, because calls cost time
    """Return the value of one document; nearly all of the time that reading takes is spent here.

    Raises:
        _UnusualError: it is anything but one document of mappings, lists and scalars, without anchors and tags; or a
            key has no value, and there are braces.
    """
    next_event = source.get_event
    next_event()
    if type(next_event()) is not DocumentStartEvent:
        raise _UnusualError
    outer: list[tuple[Any, bool]] = []
    box: Any = []
    keyed = plain = False
    key: str | None = None
    while type(event := next_event()) is not DocumentEndEvent:
        kind = type(event)
        if kind in _ENDS:
            box, keyed = outer.pop()
            continue
        if event.anchor is not None or event.tag is not None:
            raise _UnusualError
        value: Any
        if kind is ScalarEvent:
            value = event.value
            if keyed and key is None:
                if not value or value in box:
                    raise _UnusualError
                key = intern(value)  # files share their keys: a third less memory
                continue
            if event.implicit[0] and (not value or value[0] in FIRST_CHARACTERS):
                if keyed and not value and braces:
                    raise _UnusualError
                value = scalar(value)
                plain = plain or type(value) in _NUMBERS_WITH_TEXT
        else:
            value = {} if kind is MappingStartEvent else []
        if not keyed:
            box.append(value)
        elif key is not None:
            box[key], key = value, None
        else:
            raise _UnusualError
        if kind is not ScalarEvent:
            if len(outer) == MAX_DEPTH:
                raise _UnusualError
            outer.append((box, keyed))
            box, keyed = value, kind is MappingStartEvent
    if box[0] is None or type(next_event()) is not StreamEndEvent:
        raise _UnusualError
    return Parsed(box[0], plain=plain)


@dataclass(slots=True)
class _Survey:
    """One pass over a document, which builds its value, problems and positions.

    ``end`` is where its last visible part ended, ``quoted`` where the last text in quotes stands; ``brackets`` has for
    each mapping and list that is open the place of its bracket.
    """

    builder: ValueBuilder = field(default_factory=lambda: ValueBuilder("yaml"))
    anchors: set[str] = field(default_factory=set)
    end: tuple[int, int] = (1, 1)
    quoted: Span = NOWHERE
    brackets: list[Span] = field(default_factory=list)
    documents: int = 0

    @property
    def bracket(self) -> Span:
        """The place of the innermost open bracket, if there is one."""
        return next((span for span in reversed(self.brackets) if span is not NOWHERE), NOWHERE)

    def read(self, source: EventSource) -> None:
        """Read all events of the first document.

        Raises:
            StopError: the rest needs no reading.
        """
        handlers: dict[type, Callable[[Any], None]] = {
            DocumentStartEvent: self._document,
            DocumentEndEvent: lambda _: None,
            AliasEvent: self._alias,
            ScalarEvent: self._scalar,
            MappingStartEvent: self._start,
            SequenceStartEvent: self._start,
            MappingEndEvent: self._end,
            SequenceEndEvent: self._end,
        }
        source.get_event()
        while type(event := source.get_event()) is not StreamEndEvent:
            handlers[type(event)](event)
        if not self.documents:
            self._report_empty(_FILE_START)

    def _document(self, event: DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            self.builder.report("documents", "a second document begins here", _ONE_DOCUMENT, _span(event))
            raise StopError

    def _report_empty(self, span: Span) -> None:
        self.builder.report("empty", "the file holds no value", "write its attributes, or remove the file", span)

    def _alias(self, event: AliasEvent) -> None:
        self._report_anchor(f"*{event.anchor}", "alias", event)
        if self.builder.frame.key_due:
            self.builder.no_key()
        else:
            self.builder.place(None, _span(event))

    def _report_anchor(self, name: str, kind: str, event: Any) -> None:
        if name not in self.anchors:
            self.anchors.add(name)
            self.builder.report("alias", f'the {kind} "{name}" is not supported', _NO_ALIASES, _span(event))

    def _report_properties(self, event: ScalarEvent | MappingStartEvent | SequenceStartEvent) -> None:
        """Report an anchor and a tag (YAML 1.2, "Node Properties")."""
        if event.anchor is not None:
            self._report_anchor(f"&{event.anchor}", "anchor", event)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.builder.report("tag", f'the tag "{tag}" is not supported', _NO_TAGS, _span(event))

    def _scalar(self, event: ScalarEvent) -> None:
        self._report_properties(event)
        span = _span(event)
        self.end = span.endline, span.endcolumn
        if event.style in _QUOTES:
            self.quoted = span
        visible = bool(event.value) or not event.implicit[0]
        if not self.builder.frame.key_due:
            if not visible and len(self.builder.frames) == 1:
                self._report_empty(span)
            elif not visible and self.brackets[-1:] not in ([], [NOWHERE]) and not self.builder.frame.is_key:
                key = self.builder.frame.key
                message, advice = f'braces begin a map, in which "{key}" has no value', f'{_TEMPLATE}: "{{{key}}}"'
                self.builder.report("key", message, advice, self.builder.frame.key_span)
            self.builder.place(self._value(event, span), span)
        elif visible:
            self.builder.key(event.value, span)
        else:
            self.builder.report("key", "a key is empty", _TEXT_KEYS, span)
            self.builder.no_key()

    def _value(self, event: ScalarEvent, span: Span) -> str | int | float | bool | None:
        if not event.implicit[0]:
            return event.value
        try:
            value = scalar(event.value)
        except ValueError as error:
            self.builder.report("number", str(error), "put the value in quotes if it is text", span)
            return event.value
        self.builder.plain = self.builder.plain or isinstance(value, PlainInt | PlainFloat)
        return value

    def _start(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        self._report_properties(event)
        span = _span(event)
        keyed = type(event) is MappingStartEvent
        if self.builder.frame.key_due and not any(frame.is_key for frame in self.builder.frames):
            kind = "mapping" if keyed else "list"
            self.builder.report("key", f"a key is a {kind}", _TEXT_KEYS, span)
        # A pair inside a list may have no bracket of its own.
        has_bracket = event.flow_style and (span.line, span.column) != (span.endline, span.endcolumn)
        bracket = Span(span.endline, span.endcolumn - 1, span.endline, span.endcolumn) if has_bracket else NOWHERE
        self.brackets.append(bracket)
        self.builder.open(keyed=keyed, span=span)

    def _end(self, event: MappingEndEvent | SequenceEndEvent) -> None:
        span = _span(event)
        if (span.line, span.column) != (span.endline, span.endcolumn):  # a bracket; indentation ends without a sign
            self.end = span.endline, span.endcolumn
        self.brackets.pop()
        self.builder.close(self.end)


def _span(event: Any) -> Span:
    start, end = event.start_mark, event.end_mark
    return Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)
