"""What messages say of their protocol's properties, beyond the types and forms that the model checks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from xregit.catalog.registry import Registry
from xregit.catalog.views import Message
from xregit.diagnostics import Finding, Severity
from xregit.model import builtin, siblings
from xregit.model.datatypes import has_placeholders
from xregit.model.language import MAPPINGS
from xregit.rules.attributes import has_placeholder, inside, mapping, text
from xregit.rules.rule import finding, rule

OPTIONS = "protocoloptions"
HTTP, KAFKA, AMQP = "HTTP", "KAFKA", "AMQP/1.0"
# message/spec.md calls the names symbols, and core/spec.md allows these characters in the keys of maps.
_AMQP_NAME = r"[A-Za-z0-9_]+|[a-z0-9][a-z0-9_.:\-]*"


@rule("message", Severity.ERROR, "MSG-89", attributes=(OPTIONS,), selector=("protocol", HTTP))
def method_and_status(_registry: Registry, message: Message) -> Iterator[Finding]:
    """An HTTP message is request and response at once."""
    return _both(message, "status", "method", "A request has a method, a response has a status")


@rule("message", Severity.ERROR, "MSG-104", attributes=(OPTIONS,), selector=("protocol", KAFKA))
def key_and_key_base64(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A Kafka record has two keys."""
    return _both(message, "key_base64", "key", "A record has one key, as text or as bytes in base 64")


def _both(message: Message, one: str, other: str, why: str) -> Iterator[Finding]:
    own = message.entity.attributes.get(OPTIONS)
    if not isinstance(own, Mapping) or (one not in own and other not in own):
        return
    options = mapping(message.resolved.attributes, OPTIONS)
    if options.get(one) is None or options.get(other) is None:
        return
    text_ = f'"{one}" and "{other}" exclude each other. {why}.'
    yield finding(OPTIONS, one if one in own else other, message=text_, help="Remove one of the two.", on_key=True)


@rule("message", Severity.ERROR, "MSG-105", attributes=(OPTIONS,), selector=("protocol", KAFKA))
def header_under_another_name(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A Kafka header is listed under another name than its own."""
    headers = inside(message.entity.attributes, OPTIONS, "headers")
    if not isinstance(headers, Mapping):
        return
    for key, header in headers.items():
        name = inside(header, "name")
        if isinstance(name, str) and name != key:
            text_ = f'The "name" of the header "{key}" is "{name}".'
            yield finding(OPTIONS, "headers", key, "name", message=text_, help='Remove "name"; the key is the name.')


@rule(
    "message",
    Severity.WARNING,
    *("MSG-95", "MSG-96", "MSG-97", "MSG-98"),
    attributes=(OPTIONS,),
    selector=("protocol", AMQP),
)
def unusual_amqp_name(_registry: Registry, message: Message) -> Iterator[Finding]:
    """The name of an AMQP property has characters that some tools refuse."""
    # Names that are neither symbols nor keys that xRegistry allows in maps.
    own = message.entity.attributes.get(OPTIONS)
    for section in _free_sections():
        for name in mapping(own, section):
            if not re.fullmatch(_AMQP_NAME, name):
                text_ = f'The name "{name}" is neither a symbol nor a key that xRegistry allows.'
                help_ = "Use letters, digits and underscores, or lower-case letters, digits and - . : _."
                yield finding(OPTIONS, section, name, message=text_, help=help_, on_key=True)


@rule("message", Severity.WARNING, "MSG-94", attributes=(OPTIONS,), selector=("protocol", AMQP))
def message_id_with_value(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A fixed value is declared for the id of AMQP messages."""
    # A value of "message-id" that no placeholder can make different each time.
    path = (OPTIONS, "properties", "message-id")
    if inside(message.entity.attributes, *path, "value") is None:
        return
    declared = mapping(message.resolved.attributes, *path)
    # A text with placeholders is a URI template unless its type says otherwise (site/manual/contradictions.md, K28).
    if (declared.get("type") or ("uritemplate" if has_placeholders(declared["value"]) else "")) == "uritemplate":
        return
    text_ = 'Every message has a new "message-id", so it can\'t have a fixed value.'
    help_ = 'Remove the value, or make it a template with "type: uritemplate".'
    yield finding(OPTIONS, "properties", "message-id", "value", message=text_, help=help_)


@cache
def _free_sections() -> tuple[str, ...]:
    """Return the sections of an AMQP message whose names the application chooses."""
    message = builtin().groups["messagegroups"].resources["messages"]
    options = siblings(message.attributes, {"protocol": AMQP})[OPTIONS].attributes
    return tuple(name for name, section in options.items() if section.type == "map")


@rule("message", Severity.WARNING, "MSG-86", attributes=(OPTIONS,), selector=("protocol", HTTP))
def http_path_without_slash(_registry: Registry, message: Message) -> Iterator[Finding]:
    """The path of an HTTP message begins without a slash."""
    # A path that no request has, since theirs begin with a slash; "*" is that of OPTIONS alone.
    value, path = _own_text(message, "path")
    if value and value != "*" and not value.startswith(("/", "{")):
        rest = value.partition("://")[2]
        right = f"/{rest.partition('/')[2]}" if rest else f"/{value}"
        where = " The address of a server belongs in an endpoint." if rest else ""
        text_ = f'The path of every request begins with a slash, so no request matches "{value}".'
        yield finding(*path, message=text_, help=f'Write "{right}".{where}')


@rule("message", Severity.WARNING, "MSG-87", attributes=(OPTIONS,), selector=("protocol", HTTP))
def http_method_in_lower_case(_registry: Registry, message: Message) -> Iterator[Finding]:
    """The method of an HTTP message has lower-case letters."""
    # A method that is not the registered one, as RFC 9110, 9.1 tells methods apart by case.
    value, path = _own_text(message, "method")
    if value != value.upper() and not has_placeholder(value):
        text_ = f'Methods are case-sensitive: "{value}" is not {value.upper()}.'
        yield finding(*path, message=text_, help=f'Write "{value.upper()}".')


def _own_text(message: Message, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the text that the message itself gives an option, or an empty one, and where it stands."""
    option = inside(message.entity.attributes, OPTIONS, name)
    if isinstance(option, MAPPINGS):
        return text(option, "value"), (OPTIONS, name, "value")
    return (option if isinstance(option, str) else ""), (OPTIONS, name)
