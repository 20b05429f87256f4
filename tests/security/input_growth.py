"""What an input of import or match may hold very much of, as texts of about a given size in bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Text = Callable[[int], str]


def repeated(text: str, size: int) -> str:
    """Return a text as often as the size allows, with a number for each ``@``."""
    return "".join(text.replace("@", str(number)) for number in range(max(size // len(text), 1)))


_HEAD = "asyncapi: 3.0.0\ninfo: {title: A}\n"
_CHANNEL = "  c@: {address: 'a/{b}/@', messages: {m@: {payload: {type: object}, headers: {properties: {h: {}}}}}}\n"
_SENDS = (
    "channels:\n  c: {address: a, messages: {m: {$ref: '#/components/messages/m0'}}}\n"
    "operations:\n  o: {action: send, channel: {$ref: '#/channels/c'}}\n"
)
# Documents of AsyncAPI, records of a schema registry, and samples.
SOURCES: Mapping[str, tuple[str, Text]] = {
    "channels": ("a.yaml", lambda size: _HEAD + "channels:\n" + repeated(_CHANNEL, size)),
    "operations": (
        "a.yaml",
        lambda size: (
            _HEAD
            + _SENDS
            + repeated("  o@: {action: receive, channel: {$ref: '#/channels/c'}}\n", size)
            + "components: {messages: {m0: {}}}\n"
        ),
    ),
    "a chain of references": (
        "a.yaml",
        lambda size: (
            _HEAD
            + _SENDS
            + "components:\n  messages:\n"
            + "".join(f"    m{at}: {{$ref: '#/components/messages/m{at + 1}'}}\n" for at in range(size // 50))
        ),
    ),
    "schemas that refer to each other": (
        "a.yaml",
        lambda size: (
            _HEAD
            + _SENDS
            + "components:\n  messages: {m0: {payload: {$ref: '#/components/schemas/s0'}}}\n  schemas:\n"
            + "".join(
                f"    s{at}: {{properties: {{a: {{$ref: '#/components/schemas/s{at + 1}'}}, "
                f"b: {{$ref: '#/components/schemas/s{at + 2}'}}}}}}\n"
                for at in range(size // 110)
            )
            + "    last: {}\n"
        ),
    ),
    "traits": (
        "a.yaml",
        lambda size: (
            _HEAD
            + _SENDS
            + "components:\n  messages:\n    m0:\n      traits:\n"
            + repeated("        - {headers: {properties: {h@: {type: string}}}}\n", size)
        ),
    ),
    "examples": (
        "a.yaml",
        lambda size: (
            _HEAD
            + _SENDS
            + "components:\n  messages:\n    m0:\n      payload: {type: object}\n      examples:\n"
            + repeated("        - {payload: {a: @}}\n", size)
        ),
    ),
    "servers": (
        "a.yaml",
        lambda size: (
            _HEAD
            + "servers:\n"
            + repeated("  s@: {host: 'h@:1', protocol: kafka}\n", size)
            + _SENDS
            + "components: {messages: {m0: {}}}\n"
        ),
    ),
    "anchors": ("a.yaml", lambda size: _HEAD + repeated("x-@: &a@ {b: @}\ny-@: *a@\n", size)),
    "records of a schema registry": (
        "a.json",
        lambda size: repeated('{"subject": "s@-value", "version": 1, "schema": "\\"int\\""}\n', size),
    ),
    "versions of a subject": (
        "a.json",
        lambda size: repeated('{"subject": "s-value", "version": @, "schema": "\\"int\\""}\n', size),
    ),
}
MESSAGES: Mapping[str, Text] = {
    "lists": lambda size: "[" * size,
    "objects": lambda size: '{"a":' * (size // 5),
    "lines that open": lambda size: "{\n" * (size // 2),
    "members": lambda size: '{"specversion": "1.0", ' + repeated('"a@": "b", ', size) + '"id": "1"}',
    "members of a payload": lambda size: '{"protocol": "KAFKA", "body": {' + repeated('"a@": 1, ', size) + '"b": 1}}',
    "headers": lambda size: '{"protocol": "KAFKA", "headers": {' + repeated('"a@": "b", ', size) + '"b": "c"}}',
    "the same name": lambda size: "{" + '"a": 1, ' * (size // 8) + '"a": 1}',
    "a name": lambda size: "a" * size,
    "names": lambda size: repeated("a.b@\n", size),
    "a type": lambda size: '{"specversion": "1.0", "type": "' + "a/" * (size // 2) + '"}',
    "lines of kcat": lambda size: repeated(
        '{"topic": "t", "key": "k", "payload": "{\\"a\\": @}", "headers": []}\n', size
    ),
    "numbers": lambda size: "1" * size,
}
