"""The command ``new``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import click

from xregit.cli.output import print_result
from xregit.cli.parameters import Input, file_name, unknown_name, with_registry
from xregit.errors import XregitError

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog import Message


# How to give what a message is made from.
WAYS = (
    ("values", "values are given by --set NAME=VALUE"),
    ("payload", "the payload is given by --data FILE"),
    ("protocol", "a protocol is named by --protocol NAME"),
)


@click.command()
@click.argument("xid", metavar="MESSAGE-XID")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Value of a placeholder or an open property; repeat."
)
@click.option("--data", type=Input(), metavar="FILE", help="The payload; - is standard input.")
@click.option("--mode", type=click.Choice(("binary", "structured")), help="How the CloudEvent travels.")
@click.option("--protocol", default="", help="The protocol to use, where the definition names none.")
@click.option("--example", is_flag=True, help="Fill what is not given with examples, as on the docs site.")
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
    """Make a correct message from its definition.

    It is printed as JSON in one line. MESSAGE-XID is its path, such as /messagegroups/GROUP/messages/MESSAGE. Each
    placeholder takes its value from a --set, else with --example an example. A payload whose name ends in .json is a
    value to encode where the schema's language isn't JSON.
    """
    import xregit
    from xregit.messages.encoder import MessageError
    from xregit.protocols.json import json_bytes

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
            message = f'--set needs a name and a value, such as --set vin=WDB1, but got "{setting}"'
            raise XregitError(message)
        if name in context:
            message = f'--set gives "{name}" twice'
            raise XregitError(message)
        context[name] = value
    return context


def _payload(message: Message, data: BinaryIO) -> Any:
    """Return the bytes of a payload, or the value in a JSON file that is to be encoded in another language."""
    from xregit.messages.payload import schema_source
    from xregit.payloads import language
    from xregit.protocols.json import json_value

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
