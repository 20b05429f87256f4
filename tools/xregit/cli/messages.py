"""The commands ``new``, which makes messages, and ``match``, which takes them in whatever form people have them."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import click

import xregit
from xregit.catalog import Message
from xregit.cli.output import note, print_result
from xregit.cli.parameters import Input, file_name, unknown_name, with_registry
from xregit.errors import XregitError
from xregit.messages.encoder import MessageError
from xregit.messages.payload import schema_source
from xregit.messages.result import Match
from xregit.model.excerpts import quote
from xregit.payloads import language
from xregit.protocols.json import duplicate_names, json_bytes, json_value
from xregit.protocols.printed import is_message, printed_forms
from xregit.reports.text import match_text

FINDINGS = 1


class MessageInput(Input):
    """A file of messages, or one message itself."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the file, else the text where no file can be meant."""
        if isinstance(value, str) and value != "-" and _is_text(value):
            return _Text(value.encode())
        return super().convert(value, param, ctx)


def _is_text(value: str) -> bool:
    """Return whether an argument is a message or a name, and not that of a file, there or mistyped."""
    if value.lstrip()[:1] in {"{", "["}:
        return True
    path = Path(value)
    return path.suffix[1:] not in ENDINGS and not path.exists()


# Those of files with messages; what ends in one names a file, even if there is none.
ENDINGS = frozenset({"json", "jsonl", "ndjson", "log", "txt"})


class _Text(BytesIO):
    """A message that stands on the command line."""

    name = "<argument>"


@click.command()
@click.argument("file", metavar="[FILE|TEXT]", type=MessageInput(), default="-")
@click.option("--endpoint", default="", metavar="XID", help="Only messages that this endpoint carries.")
@click.option("--group", default="", metavar="XID", help="Only messages of this group.")
@click.option("--explain", is_flag=True, help="Also list near misses, and why each does not match.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    help="Text, by default on a terminal, or a line of JSON for each message.",
)
@with_registry
def match(registry: Path, file: BinaryIO, endpoint: str, group: str, explain: bool, form: str | None) -> int:
    """Find the definitions that messages match.

    Their payloads are held against the schemas too. FILE has messages as JSON, by default standard input: CloudEvents,
    messages as "xregit new" prints them, or what "kcat -J" and "mosquitto_sub -F %J" print. Anything else is a part of
    a message: a type, topic, path, subject or key, or a payload. Such a TEXT may stand in place of FILE.

    Each message gets one answer, a batch one for each of its events. What can't be read is named on standard error,
    its answer says so too, and the exit code is 1. Of a name that occurs twice in one object the last value counts.
    """
    catalog = xregit.load(registry)
    matcher = xregit.Matcher(catalog, endpoint=endpoint, group=group)
    for_people = form == "text" or (form is None and sys.stdout.isatty())
    unreadable = 0
    for number, text in documents(file):
        place = f"{file_name(file)}:{number}"
        for name in duplicate_names(text):
            note(f"{place}: {quote(name)} occurs more than once in one object; the last one counts.")
        for result in answers(matcher, text, explain=explain or for_people):
            unreadable += bool(result.problems)
            if for_people:
                print_result(match_text(_with_similar(matcher, result), catalog, place, explain=explain))
            else:
                print_result(json_bytes(result.as_json()).decode())
                for problem in result.problems:
                    note(f"{place}: {problem}")
    return FINDINGS if unreadable else 0


def documents(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each JSON value of an input, in one line or in several, or else line, with the number of its first line.

    A value of several lines ends where a line begins with the bracket that closes it, as printers of JSON write it.
    """
    parts: list[bytes] = []
    first = 0
    for number, raw in enumerate(lines, start=1):
        line = raw.removeprefix(BOM_UTF8)  # some editors and shells begin a file with it
        if parts and line[:1] == b"{" == parts[0].lstrip()[:1] and _is_json(line):
            yield first, b"".join(parts)  # it was never closed
            parts = []
        if parts:
            parts.append(line)
            if line[:1] == CLOSING[parts[0].lstrip()[:1]]:
                yield first, b"".join(parts)
                parts = []
        elif line.lstrip()[:1] in CLOSING and not _is_json(line):
            first, parts = number, [line]
        elif line.strip():
            yield number, line
    if parts:
        yield first, b"".join(parts)


CLOSING = {b"{": b"}", b"[": b"]"}


def _is_json(text: bytes) -> bool:
    try:
        json_value(text)
    except ValueError:
        return False
    return True


def answers(matcher: xregit.Matcher, text: bytes, *, explain: bool) -> Iterator[Match]:
    """Yield the answer to each message of a text, or to what is a part of one."""
    try:
        value = json_value(text)
    except ValueError:
        words = text.split()
        name = words[0].decode("utf-8", "replace") if len(words) == 1 else ""
        yield from (matcher.guess(name),) if name and name[0] not in '{["' else matcher.each(text, explain=explain)
        return
    items = (
        value if isinstance(value, list) and all(is_message(item) or printed_forms(item) for item in value) else [value]
    )
    for item in items:
        if forms := printed_forms(item):
            results = [matcher.match(form, explain=explain) for form in forms]
            # Its protocol is not known for certain: the result that says most counts.
            yield max(results, key=lambda result: (bool(result.matches), bool(result.near), bool(result.event)))
        elif is_message(item) or not isinstance(item, dict | list):
            yield from matcher.each(item if value is not item else text, explain=explain)
        else:
            yield matcher.guess(item)


def _with_similar(matcher: xregit.Matcher, result: Match) -> Match:
    """Return the answer to a message that no definition comes near to with those whose names are similar to its own."""
    names = [failure.found for reason in result.reasons if not reason.xid for failure in reason.failed]
    if result.matches or result.problems:
        return result
    found = [reason for name in names if isinstance(name, str) for reason in matcher.guess(name).reasons]
    similar = tuple(reason for reason in found if reason.xid)
    if not similar:
        return result
    return result._replace(reasons=(*(item for item in result.reasons if item.xid), *similar))


# How to give what a message is made from.
WAYS = (
    ("values", "values are given by --set NAME=VALUE"),
    ("payload", "the payload is given by --data FILE"),
    ("protocol", "a protocol is named by --protocol NAME"),
)


@click.command()
@click.argument("xid", metavar="MESSAGE-XID")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value of a placeholder or an open property; may be repeated.",
)
@click.option("--data", type=Input(), metavar="FILE", help="The payload; - is standard input.")
@click.option("--mode", type=click.Choice(("binary", "structured")), help="Mode of the CloudEvent.")
@click.option("--protocol", default="", help="Protocol to use if the definition names none.")
@click.option("--example", is_flag=True, help="Fill in missing values with examples, as on the docs site.")
@with_registry
def new(
    registry: Path,
    xid: str,
    settings: tuple[str, ...],
    data: BinaryIO | None,
    mode: str | None,
    protocol: str,
    *,
    example: bool,
) -> None:
    """Make a message from its definition.

    It is printed as JSON in one line. MESSAGE-XID is its path, such as /messagegroups/GROUP/messages/MESSAGE. Each
    placeholder takes its value from a --set, else with --example an example. A payload whose name ends in .json is a
    value to encode where the schema's language isn't JSON.
    """
    catalog = xregit.load(registry)
    messages = {item.xid: item for item in catalog.messages}
    if xid not in messages:
        raise unknown_name(xid, messages, what="message")
    message = messages[xid]
    payload = {} if data is None else {"data": _payload(message, data)}
    try:
        wire = xregit.new(
            message,
            _context(settings),
            **payload,
            example=example,
            mode=mode or "",
            protocol=protocol,
        )
    except MessageError as error:
        options = {"values": settings, "payload": data, "protocol": protocol}
        ways = (way for what, way in WAYS if what in error.lacks and not options[what])
        raise MessageError(xid, (*error.problems, *ways)) from error
    print_result(json_bytes(wire.as_json()).decode())


def _context(settings: tuple[str, ...]) -> dict[str, str]:
    """Return the values of the --set options by name.

    Raises:
        XregitError: one has no value, or a name comes twice.
    """
    context: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise XregitError(f'--set needs a name and a value, such as --set vin=WDB1, but got "{setting}"')
        if name in context:
            raise XregitError(f'--set gives "{name}" twice')
        context[name] = value
    return context


def _payload(message: Message, data: BinaryIO) -> Any:
    """Return the bytes of a payload, or the value in a JSON file that is to be encoded in another language."""
    body = data.read()
    schema = schema_source(message)
    name = file_name(data)
    if not name.endswith(".json") or schema is None or language(schema.format) in _JSON:
        return body
    try:
        return json_value(body)
    except ValueError as error:
        problem = f'"{name}" is not JSON: {error}'
        raise XregitError(problem) from None


_JSON = frozenset({"JsonSchema", "JsonStructure"})
