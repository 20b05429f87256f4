"""What an HTTP message says of itself that no request on the wire looks like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xregit.diagnostics import Finding, Severity
from xregit.model.language import MAPPINGS
from xregit.rules.protocols import HTTP, OPTIONS
from xregit.rules.rule import found, rule
from xregit.rules.stated import has_placeholder, inside, text

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Message


@rule(
    "message",
    Severity.WARNING,
    "The path of an HTTP message begins without a slash.",
    "MSG-86",
    stated=(OPTIONS,),
    selected=("protocol", HTTP),
)
def http_path_without_slash(_registry: Registry, message: Message) -> Iterator[Finding]:
    """Report a path that no request has, since theirs begin with a slash; ``*`` is that of OPTIONS alone."""
    value, path = _stated(message, "path")
    if value and value != "*" and not value.startswith(("/", "{")):
        rest = value.partition("://")[2]
        right = f"/{rest.partition('/')[2]}" if rest else f"/{value}"
        where = " The address of a server belongs into an endpoint." if rest else ""
        text_ = f'The path of every request begins with a slash, so none fits "{value}".'
        yield found(*path, message=text_, help=f'Write "{right}".{where}')


@rule(
    "message",
    Severity.WARNING,
    "The method of an HTTP message has lower-case letters.",
    "MSG-87",
    stated=(OPTIONS,),
    selected=("protocol", HTTP),
)
def http_method_in_lower_case(_registry: Registry, message: Message) -> Iterator[Finding]:
    """Report a method that is not the registered one, as RFC 9110, 9.1 tells methods apart by case."""
    value, path = _stated(message, "method")
    if value != value.upper() and not has_placeholder(value):
        text_ = f'The case of a method counts: "{value}" is not {value.upper()}.'
        yield found(*path, message=text_, help=f'Write "{value.upper()}".')


def _stated(message: Message, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the text that the message itself gives an option, or an empty one, and where it stands."""
    said = inside(message.entity.attributes, OPTIONS, name)
    if isinstance(said, MAPPINGS):
        return text(said, "value"), (OPTIONS, name, "value")
    return (said if isinstance(said, str) else ""), (OPTIONS, name)
