"""Programs that send and receive a message: a template for each language and protocol, filled from an example message.

Templates get every value as an expression of their language, quoted by `Language.literal`; nothing else of a catalog
comes into them.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from json import dumps, loads
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from xregit.messages.decoder import IncomingMessage, decode
from xregit.messages.example import EXAMPLE_ID
from xregit.pages import commands
from xregit.payloads.sample_texts import SAMPLE_TEXTS
from xregit.protocols import Wire
from xregit.protocols.binding import STRUCTURED

# A longer payload has no place in a program to copy.
MAX_BODY_BYTES = 2_000
# Messages differ in the values of their programs more than in their shapes, of which so many are kept.
MAX_SHAPES = 1_024
_MARK = re.compile(r"\0(\d+)\0")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL = re.compile(r"[^ !#-\[\]-~]")
_UNSAFE_IN_BLOCKS = {"Python": '"""', "Java": '"""', "Go": "`"}
# Empty lines that conditions leave: more than one, and those at the edges of blocks.
_EMPTY_LINES = re.compile(r"\n(?=\n\n)|(?<=[({]\n)\n|\n(?=\n\s*[)}])")
_HOLED = re.compile(r"[^/.]*\{[^{}]*\}[^/.]*")
_EVENT_HEADERS = re.compile(r"ce[-_]|content-type$", re.IGNORECASE)
_METHODS = frozenset({"GET", "PUT", "PATCH", "DELETE"})
_NOT_EVENT = frozenset({"specversion", "id", "time", "data", "data_base64"})


@dataclass(frozen=True)
class Language:
    """A language: how it writes values, and what makes a new id, the current time and the bytes of a payload in it."""

    title: str
    suffix: str
    true: str
    false: str
    id: str
    time: str
    text_bytes: str
    base64_bytes: str
    id_import: str = ""
    time_import: str = ""

    def literal(self, value: object) -> str:
        """Return a text, number or truth value as a literal; no text can end it."""
        if isinstance(value, bool):
            return self.true if value else self.false
        return str(value) if isinstance(value, int) else self.text(str(value))

    def text(self, text: str) -> str:
        """Return a text as a literal in double quotes, in which nothing is invisible."""
        return f'"{_SPECIAL.sub(self.escape, text) if _SPECIAL.search(text) else text}"'

    def escape(self, match: re.Match[str]) -> str:
        """Return the escape of a character that would end a literal or can't be seen."""
        sign = match[0]
        if sign in _ESCAPES or sign.isprintable():
            return _ESCAPES.get(sign, sign)
        code = ord(sign)
        if self.title in {"Python", "Go"}:
            code = 0xFFFD if self.title == "Go" and 0xD800 <= code <= 0xDFFF else code  # noqa: PLR2004 - surrogates
            return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"  # noqa: PLR2004 - the basic plane
        units = sign.encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    def json_block(self, text: str) -> str:
        """Return JSON as a literal of several lines, where the language can hold it so, else in one line."""
        if not text.startswith(("{", "[")) or "\n" not in text or _UNSAFE_IN_BLOCKS.get(self.title, "\0") in text:
            return self.text(text)
        match self.title:
            case "Go":
                return f"`{text}`"
            case "TypeScript":
                return "`" + text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${") + "`"
        escaped = text.replace("\\", "\\\\")
        return f'"""{escaped}"""' if self.title == "Python" else f'"""\n{escaped}"""'

    def value(self, value: object) -> str:
        """Return the literal of a value; the id and time of examples become what makes new ones."""
        return {EXAMPLE_ID: self.id, SAMPLE_TEXTS["date-time"]: self.time}.get(str(value)) or self.literal(value)


PYTHON = Language(
    "Python", "py", "True", "False", "str(uuid4())", "datetime.now(UTC).isoformat()", "{}.encode()", "b64decode({})",
    "from uuid import uuid4", "from datetime import UTC, datetime",
)  # fmt: skip
TYPESCRIPT = Language(
    "TypeScript", "ts", "true", "false", "randomUUID()", "new Date().toISOString()", "{}", 'Buffer.from({}, "base64")',
    'import { randomUUID } from "node:crypto";',
)  # fmt: skip
JAVA = Language(
    "Java", "java", "true", "false", "UUID.randomUUID().toString()", "Instant.now().toString()",
    "{}.getBytes(UTF_8)", "Base64.getDecoder().decode({})",
)  # fmt: skip
GO = Language(
    "Go", "go", "true", "false", "uuid.NewString()", "time.Now().UTC().Format(time.RFC3339Nano)", "[]byte({})", "data",
)  # fmt: skip
LANGUAGES = (PYTHON, TYPESCRIPT, JAVA, GO)

# By protocol: its templates, and the languages whose CloudEvents SDK knows how it carries an event's attributes.
_PROTOCOLS: Mapping[str, tuple[str, tuple[Language, ...]]] = {
    "HTTP": ("http", LANGUAGES),
    "KAFKA": ("kafka", (PYTHON, TYPESCRIPT, JAVA)),
    "AMQP/1.0": ("amqp", ()),
    "MQTT/5.0": ("mqtt", ()),
    "MQTT/3.1.1": ("mqtt", ()),
    "NATS": ("nats", ()),
}
_BY_SDK = frozenset({"HTTP", "KAFKA"})
# The fields of a message that programs set, or that delivery does; one with others gets no program.
_FIELDS = frozenset({
    "protocol", "body", "body_base64", "headers", "method", "path", "query", "topic", "key", "partition", "topic_name",
    "qos", "retain", "payload_format", "message_expiry_interval", "response_topic", "content_type", "user_properties",
    "subject", "reply-to", "properties", "application-properties", "header", "delivery-annotations",
})  # fmt: skip
# What the clients of AMQP call its properties.
_PROPERTIES: Mapping[str, Mapping[str, str]] = {
    "message-id": {"Python": "id", "TypeScript": "message_id", "Java": "messageId", "Go": "MessageID"},
    "to": {"Python": "address", "TypeScript": "to", "Java": "to", "Go": "To"},
    "subject": {"Python": "subject", "TypeScript": "subject", "Java": "subject", "Go": "Subject"},
    "content-type": {
        "Python": "content_type", "TypeScript": "content_type", "Java": "contentType", "Go": "ContentType",
    },
    "reply-to": {"Python": "reply_to", "TypeScript": "reply_to", "Java": "replyTo", "Go": "ReplyTo"},
    "correlation-id": {
        "Python": "correlation_id", "TypeScript": "correlation_id", "Java": "correlationId", "Go": "CorrelationID",
    },
    "group-id": {"Python": "group_id", "TypeScript": "group_id", "Java": "groupId", "Go": "GroupID"},
}  # fmt: skip


class CodeSample(NamedTuple):
    """The programs of one language, and what brings their libraries: a command, or the coordinates of Maven."""

    language: str
    install: str
    send: str
    receive: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program connects to: an address, and an endpoint's options, with placeholders filled and as written."""

    address: str
    options: Mapping[str, Any]
    written: Mapping[str, Any]


# The options that programs state as numbers.
_NUMBERS = ("qos", "message_expiry_interval")


def code_samples(wire: Wire, sending: Place, receiving: Place, pattern: str = "") -> tuple[CodeSample, ...]:
    """Return programs that send and receive messages like an example; none where they couldn't say all of it.

    ``pattern`` is the message's own topic or subject with its placeholders, which receivers subscribe to.
    """
    if wire.protocol not in _PROTOCOLS or not _sayable(wire):
        return ()
    received, fields = decode(wire)[0], wire.as_json()

    def subject(place: Place) -> _Subject:
        parts = commands.address_parts(wire.protocol, place.address)
        parts = parts or commands.address_parts(wire.protocol, _DEFAULTS[wire.protocol])
        all_fields = commands.with_options(wire.protocol, fields, place.options)
        return _Subject(wire, received, pattern, place, parts, all_fields)

    sender = subject(sending)
    receiver = sender if receiving == sending else subject(receiving)
    if not all(sender.fields.get(name) for name in commands.needed(wire.protocol)):
        return ()
    # An endpoint's options are of any kind, and the clients that are shown connect to sockets of TCP alone.
    for side in (sender, receiver):
        if side.parts["scheme"] in {"ws", "wss"} or not all(type(side.fields.get(name, 0)) is int for name in _NUMBERS):
            return ()
    return tuple(_sample(language, sender, receiver) for language in LANGUAGES)


def obstacle(wire: Wire) -> str:
    """Return why a message has no programs, where it says more than they can, as the end of a sentence."""
    if wire.protocol not in _PROTOCOLS:
        return ""
    fields = wire.as_json()
    if "status" in fields:
        return "the message is a response, which each server framework sends in its own way"
    names = sorted({*(fields.keys() - _FIELDS), *(fields.get("properties", {}).keys() - _PROPERTIES.keys())})
    return f"it could not set {' and '.join(names)}, as the message does" if names else ""


def _sayable(wire: Wire) -> bool:
    fields = wire.as_json()
    names = [item[0] for item in _headers(wire.protocol, fields)]
    return (
        len(wire.body or b"") <= MAX_BODY_BYTES
        and fields.keys() <= _FIELDS
        and fields.get("properties", {}).keys() <= _PROPERTIES.keys()
        and len(names) == len({name.lower() for name in names})
    )


@dataclass(frozen=True, slots=True)
class _Subject:
    """What all programs are about: a message, the event in it, what receivers subscribe to, and where that is.

    ``parts`` are those of the place's address; ``fields`` are those of the message with what the place adds to them.
    """

    wire: Wire
    received: IncomingMessage
    pattern: str
    place: Place
    parts: Mapping[str, str]
    fields: Mapping[str, Any]


class _Expressions:
    """The expressions of a program, for each of which its template gets a mark, so that its shape is rendered once."""

    def __init__(self, language: Language) -> None:
        self.language, self.texts = language, list[str]()

    def add(self, expression: str) -> str:
        """Return the mark of an expression, which is never empty."""
        self.texts.append(expression)
        return f"\0{len(self.texts) - 1}\0"

    def literal(self, value: object) -> str:
        return self.add(self.language.literal(value))

    def value(self, value: object) -> str:
        return self.add(self.language.value(value))


def _sample(language: Language, sender: _Subject, receiver: _Subject) -> CodeSample:
    install, send, receive = _programs(language, sender)
    return CodeSample(
        language.title, install, send, receive if receiver is sender else _programs(language, receiver)[2]
    )


def _programs(language: Language, subject: _Subject) -> tuple[str, str, str]:
    """Return what brings the libraries, and the programs that send and receive."""
    expressions = _Expressions(language)
    context = tuple(_context(expressions, subject).items())
    shapes = _shapes(_PROTOCOLS[subject.wire.protocol][0], language, context)
    install, send, receive = (shape.format(*expressions.texts) for shape in shapes)
    return install, send, receive


@lru_cache(maxsize=MAX_SHAPES)
def _shapes(protocol: str, language: Language, context: tuple[tuple[str, Any], ...]) -> tuple[str, ...]:
    """Return the programs as formats of their expressions, without empty lines that separate nothing."""
    template = _environment().get_template(f"code/{protocol}.{language.suffix}.jinja")
    module: Any = template.make_module({**dict(context), "q": language.literal})
    programs = (_EMPTY_LINES.sub("", text).strip() for text in (module.install(), module.send(), module.receive()))
    return tuple(_MARK.sub(r"{\1}", text.replace("{", "{{").replace("}", "}}")) for text in programs)


def _context(expressions: _Expressions, subject: _Subject) -> dict[str, Any]:
    """Return what templates get, with marks of expressions; one that is not there is empty."""
    wire, received, fields = subject.wire, subject.received, subject.fields
    language, quote, protocol = expressions.language, expressions.literal, wire.protocol
    by_sdk = bool(received.event) and (received.mode == STRUCTURED or language in _PROTOCOLS[protocol][1])
    entries = list(_headers(protocol, fields))
    headers = [
        (quote(name), expressions.value(value))
        for name, value in entries
        if not (by_sdk and protocol in _BY_SDK and _EVENT_HEADERS.match(name))
    ]
    if by_sdk and language is GO and protocol == "KAFKA":  # whose SDK makes the event alone
        headers.append((quote("content-type"), quote("application/cloudevents+json")))
    properties = fields.get("properties", {})
    values = {str(value) for value in (*(value for _, value in entries), *properties.values())}
    ids, times = EXAMPLE_ID in values, SAMPLE_TEXTS["date-time"] in values
    method = str(fields.get("method", "POST"))
    return {
        **_event(expressions, received if by_sdk else None, wire),
        **_address(expressions, subject),
        "headers": tuple(headers),
        "fields": tuple(
            (_PROPERTIES[name][language.title], expressions.value(value)) for name, value in properties.items()
        ),
        "ids": ids,
        "times": times,
        "generated_imports": f"{language.time_import if times else ''}\n{language.id_import if ids else ''}".strip(),
        "method": language.literal(method),
        "verb": method if method in _METHODS else "POST",
        "key": quote(fields["key"]) if "key" in fields else "",
        "qos": int(fields.get("qos", 0)),
        "retain": language.literal(fields.get("retain") is True),
        "version5": protocol == "MQTT/5.0",
        "contenttype": quote(fields["content_type"]) if "content_type" in fields else "",
        "expiry": quote(expiry) if (expiry := int(fields.get("message_expiry_interval", 0))) else "",
        "reply": quote(reply) if (reply := fields.get("response_topic") or fields.get("reply-to")) else "",
    }


def _event(expressions: _Expressions, received: IncomingMessage | None, wire: Wire) -> dict[str, Any]:
    """Return the expressions of an event that the SDK makes, and of the payload."""
    language, quote = expressions.language, expressions.literal
    attributes = received.attributes if received else {}
    body = received.data if received else wire.body
    text = commands.readable(body) if body else None
    pretty = _pretty(text) if text is not None else ""
    expression = expressions.add(language.json_block(pretty)) if pretty else quote(text or "")
    encoded = quote(b64encode(body).decode()) if body and text is None else ""
    media_type = attributes.get("datacontenttype", "application/json" if pretty else "application/octet-stream")
    return {
        "event": tuple((name, quote(value)) for name, value in attributes.items() if name not in _NOT_EVENT),
        "mode": received.mode if received else "",
        # Python's SDK takes objects, but no lists, for JSON.
        "json_data": bool(pretty) and (pretty.startswith("{") or language is not PYTHON),
        "datacontenttype": quote(media_type),
        "text_body": expression if body and text is not None else "",
        "body": (language.base64_bytes.format(encoded) if encoded else language.text_bytes.format(expression))
        if body
        else "",
        "encoded": encoded,
    }


def _address(expressions: _Expressions, subject: _Subject) -> dict[str, Any]:
    """Return the expressions of where a program connects to, sends to and reads from."""
    quote, protocol, place, fields = expressions.literal, subject.wire.protocol, subject.place, subject.fields
    parts = subject.parts
    scheme, host, port = parts["scheme"], parts["host"], parts["port"]
    tls = scheme in {"https", "mqtts", "amqps", "tls", "ssl", "sasl_ssl"}
    topic = next((str(fields[name]) for name in ("topic", "topic_name", "subject") if fields.get(name)), "")
    listed = str(place.written.get(_OPTIONS[protocol]) or subject.pattern or topic)
    group = str(place.written.get("consumergroup") or "")
    return {
        "tls": expressions.language.text(scheme) if tls else "",
        "host": quote(host),
        "port": expressions.literal(int(port or 0)),
        "server": quote(_socket(host, port)),
        "url": quote(_url(expressions.language, protocol, parts, fields, tls=tls)),
        "topic": quote(topic),
        "filter": quote(_HOLED.sub("+" if protocol.startswith("MQTT") else "*", listed)),
        "node": quote(str(place.options.get("node") or fields.get("properties", {}).get("to") or "queue")),
        "group": quote(group if group and "{" not in group else "example"),
    }


_DEFAULTS = {
    "HTTP": "http://localhost:8080", "KAFKA": "kafka://localhost:9092", "AMQP/1.0": "amqp://localhost:5672",
    "MQTT/5.0": "mqtt://localhost:1883", "MQTT/3.1.1": "mqtt://localhost:1883", "NATS": "nats://localhost:4222",
}  # fmt: skip
# What an endpoint calls the place that messages are read from.
_OPTIONS = {
    "HTTP": "", "KAFKA": "topic", "AMQP/1.0": "node", "MQTT/5.0": "topic", "MQTT/3.1.1": "topic", "NATS": "subject",
}  # fmt: skip


def _headers(protocol: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a message's headers, application properties or user properties."""
    value = fields.get({"AMQP/1.0": "application-properties", "MQTT/5.0": "user_properties"}.get(protocol, "headers"))
    return commands.pairs(value)


@lru_cache(maxsize=4)  # all programs have the same
def _pretty(text: str) -> str:
    """Return JSON over several lines, every character of it visible; nothing where a text is no JSON."""
    try:
        value = loads(text)
        pretty = dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        return ""
    if pretty.isascii() and "\x7f" not in pretty:
        return pretty
    return "".join(sign if sign == "\n" or sign.isprintable() else dumps(sign)[1:-1] for sign in pretty)


def _socket(host: str, port: object) -> str:
    """Return host and port as one text, with an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _url(language: Language, protocol: str, parts: Mapping[str, str], fields: Mapping[str, Any], *, tls: bool) -> str:
    """Return the address to connect to, as the language's client of the protocol takes it."""
    address = _socket(parts["host"], parts["port"])
    if protocol == "HTTP":
        return commands.http_url(parts, fields)
    if protocol.startswith("MQTT"):
        plain, secure = ("tcp", "ssl") if language is JAVA else ("mqtt", "mqtts")
        return f"{secure if tls else plain}://{address}"
    if protocol == "AMQP/1.0":
        return f"{'amqps' if tls else 'amqp'}://{address}"
    return f"{'tls' if tls else 'nats'}://{address}"


@cache
def _environment() -> Environment:
    # They make programs, whose values are quoted before, and which pages escape as text.
    return Environment(
        loader=PackageLoader("xregit.pages"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        autoescape=False,  # noqa: S701 - no HTML
    )
