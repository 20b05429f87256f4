"""A place among the tokens of a .proto file, with what is taken from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from google.protobuf import descriptor_pb2 as pb

from xregit.payloads.base import Problem, SchemaError
from xregit.payloads.protobuf.tokens import Token, tokens

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto

# Many more than any integer of Protobuf has, so that what is cut is out of its range before and after.
_MAX_DIGITS = 80


class Cursor:
    """A place among the tokens of a file; ``docs`` are comments by full name.

    ``uses`` are the fields whose type is a message or enum, each with the token of that name and the scope around it;
    ``imports`` are the tokens of the imported names, ``numbers`` those of fields by the message they stand in,
    ``of_maps`` those of these tokens that name the type of a map's values;
    ``declared`` the tokens by the full names of all that the file declares so far.
    """

    def __init__(self, text: str, name: str) -> None:
        """Begin with the first token."""
        self.tokens = tokens(text)
        self.at = 0
        self.file = pb.FileDescriptorProto(name=name, syntax="proto2")
        self.docs: dict[str, str] = {}
        self.uses: list[tuple[FieldDescriptorProto, Token, str]] = []
        self.of_maps: set[Token] = set()
        self.imports: dict[str, Token] = {}
        self.numbers: dict[str, set[int]] = {}
        self.declared: dict[str, Token] = {}

    @property
    def here(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.at]

    def ahead(self, count: int) -> Token:
        """Return the token that comes so many tokens later."""
        return self.tokens[min(self.at + count, len(self.tokens) - 1)]

    def wrong(self, message: str, help_: str, token: Token | None = None) -> NoReturn:
        """End reading with a problem at a token."""
        place = token or self.here
        raise SchemaError(Problem("syntax", message, help_, place.line, place.column))

    def take(self, kind: str, what: str) -> Token:
        """Take a token of a kind."""
        token = self.here
        if token.kind != kind:
            self.wrong(f"{shown(token)} stands where {what} is expected", f"write {what}")
        self.at += 1
        return token

    def sign(self, text: str) -> Token:
        """Take a sign."""
        token = self.here
        if token.text != text or token.kind != "sign":
            self.wrong(f'{shown(token)} stands where "{text}" is expected', f'write "{text}"')
        self.at += 1
        return token

    def found(self, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        if self.here.kind in {"word", "sign"} and self.here.text in texts:
            self.at += 1
            return True
        return False

    def name(self) -> str:
        """Take a name without dots."""
        return self.take("word", "a name").text

    def new_name(self, scope: str) -> str:
        """Take the name of what is declared in a package or message, where no two have one name."""
        token = self.take("word", "a name")
        self.declare(scope, token.text, token)
        return token.text

    def declare(self, scope: str, name: str, token: Token) -> None:
        """Note that a scope has something of a name, which a token declares."""
        full = joined(scope, name)
        if full in self.declared:
            where = f'"{scope}"' if scope else "the file"
            self.wrong(f'"{name}" is declared twice in {where}', "rename or remove one of the two", token)
        self.declared[full] = token

    def full_name(self) -> str:
        """Take a name that may have dots, in it and before it."""
        text = "." if self.found(".") else ""
        text += self.name()
        while self.found("."):
            text += "." + self.name()
        return text

    def text(self) -> str:
        """Take one or more strings that stand side by side."""
        parts = [self.take("string", "a text in quotes").text[1:-1]]
        while self.here.kind == "string":
            parts.append(self.take("string", "").text[1:-1])
        return "".join(parts)

    def integer(self, what: str) -> int:
        """Take an integer, possibly a negative one."""
        sign = -1 if self.found("-") else 1
        token = self.take("number", what)
        try:
            return sign * int(token.text[:_MAX_DIGITS], 8 if token.text[:1] == "0" and token.text.isdecimal() else 0)
        except ValueError:
            self.wrong(f'"{token.text[:_MAX_DIGITS]}" is not {what}', f"write {what}", token)


def shown(token: Token) -> str:
    """Return a token in words."""
    return f'"{token.text}"' if token.text else "the end of the file"


def joined(scope: str, name: str) -> str:
    """Return the full name of what is declared in a package or message."""
    return f"{scope}.{name}" if scope else name
