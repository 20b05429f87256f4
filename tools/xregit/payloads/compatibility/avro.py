"""Avro: why a schema can't read what was written with another, by its rules of schema resolution."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from xregit.payloads.compatibility.verdicts import ROOT, Answer, Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.payloads.avro.codec import Avro
    from xregit.payloads.avro.schema import Member, Type

# What each primitive type is promoted to (Avro specification, "Schema Resolution").
_PROMOTED: Mapping[str, frozenset[str]] = {
    "int": frozenset(("long", "float", "double")),
    "long": frozenset(("float", "double")),
    "float": frozenset(("double",)),
    "string": frozenset(("bytes",)),
    "bytes": frozenset(("string",)),
}
_NAMED = frozenset(("record", "enum", "fixed"))


def reasons(written: Avro, read: Avro) -> Iterator[Reason]:
    """Yield why the second schema can't read what was written with the first."""
    yield from _Resolver().of(written.type, read.type, "")


class _Resolver:
    """One resolution; types that hold themselves are compared once."""

    def __init__(self) -> None:
        self.seen: set[tuple[int, int]] = set()

    def of(self, written: Type, read: Type, path: str) -> Iterator[Reason]:
        pair = id(written), id(read)
        if pair in self.seen:
            return
        self.seen.add(pair)
        if written.kind == "union":
            for branch in written.inner:
                yield from self.of_branch(branch, read, path)
        elif read.kind == "union":
            yield from self.of_branch(written, read, path)
        else:
            yield from self.of_single(written, read, path)

    def of_branch(self, written: Type, read: Type, path: str) -> Iterator[Reason]:
        """Yield why one type of a union, or one that is read as a union, can't be read."""
        if read.kind != "union":
            if _matches(written, read):
                yield from self.of_single(written, read, path)
            else:
                yield Reason(
                    "branch", path or ROOT, _type_name(written), _type_name(read), {"branch": _type_name(written)}
                )
            return
        # Readers take the branch of the same type, else the first that reads it.
        fitting = [item for item in read.inner if _matches(written, item)]
        if not fitting:
            yield Reason("branch", path or ROOT, _type_name(written), _type_name(read), {"branch": _type_name(written)})
            return
        first = fitting[0]
        branch = next((item for item in fitting if item.kind == written.kind), first)
        yield from self.of_single(written, branch, path)
        if branch is not first:
            # The specification has the first branch that fits, some readers take one of the same type before others.
            others = self.of_single(written, first, path)
            yield from (replace(reason, answer=Answer.UNCLEAR) for reason in others)

    def of_single(self, written: Type, read: Type, path: str) -> Iterator[Reason]:
        if not _matches(written, read):
            same = written.kind == read.kind and written.kind in _NAMED
            kind = "size" if same and written.size != read.size else "name" if same else "type"
            yield Reason(kind, path or ROOT, _type_detail(written), _type_detail(read))
            return
        yield from _logical(written, read, path)
        if (written.kind, read.kind) == ("bytes", "string"):
            yield Reason("text", path or ROOT)
        if written.kind == "record":
            yield from self.of_members(written, read, path)
        elif written.kind == "enum":
            yield from _symbols(written, read, path)
        elif written.kind in {"array", "map"}:
            yield from self.of(written.inner[0], read.inner[0], f"{path}[]")

    def of_members(self, written: Type, read: Type, path: str) -> Iterator[Reason]:
        sources = _sources(written, read)
        for name in _ambiguous_aliases(written, read):
            yield Reason("alias", f"{path}.{name}" if path else name)
        for member in read.members:
            here = f"{path}.{member.name}" if path else member.name
            source = sources.get(member.name)
            if source is not None:
                yield from self.of(source.type, member.type, here)
            elif not member.has_default:
                yield Reason("field", here, words={"name": member.name})


def _sources(written: Type, read: Type) -> Mapping[str, Member]:
    """Return the written field that each field reads: of its name, else of an earlier name that none has now."""
    left = {item.name: item for item in written.members}
    found = {member.name: left.pop(member.name) for member in read.members if member.name in left}
    for member in read.members:
        alias = next((alias for alias in member.aliases if alias in left), None)
        if member.name not in found and alias is not None:
            found[member.name] = left.pop(alias)
    return found


def _ambiguous_aliases(written: Type, read: Type) -> Iterator[str]:
    """Yield the written fields that a field knows as an earlier name, though it has another source or is not alone."""
    names = {item.name for item in written.members}
    claims = Counter(alias for member in read.members for alias in set(member.aliases) & names if alias != member.name)
    for member in read.members:
        for alias in member.aliases:
            if claims[alias] > 1 or (claims[alias] and member.name in names and alias != member.name):
                yield alias


def _matches(written: Type, read: Type) -> bool:
    """Return whether one type may be read as another, without looking at what is inside them."""
    if written.kind == read.kind:
        return written.kind not in _NAMED or (_same_name(written, read) and written.size == read.size)
    return read.kind in _PROMOTED.get(written.kind, ())


def _same_name(written: Type, read: Type) -> bool:
    short = written.name.rpartition(".")[2]
    return short == read.name.rpartition(".")[2] or written.name in read.aliases


def _symbols(written: Type, read: Type, path: str) -> Iterator[Reason]:
    known = set(read.symbols)
    missing = [symbol for symbol in written.symbols if symbol not in known]
    if missing and not read.default:
        yield Reason("symbol", path or ROOT, words={"symbols": ", ".join(missing)})


def _logical(written: Type, read: Type, path: str) -> Iterator[Reason]:
    """Yield what differs in how a number or text is understood; its bytes are read all the same."""
    if written.logical == read.logical:
        if (written.precision, written.scale) != (read.precision, read.scale):
            yield Reason("decimal", path or ROOT, _type_detail(written), _type_detail(read))
    else:
        both = written.logical and read.logical
        answer = Answer.NO if both else Answer.UNCLEAR
        yield Reason("logical", path or ROOT, _type_detail(written), _type_detail(read), answer=answer)


def _type_name(type_: Type) -> str:
    if type_.kind == "union":
        return f"[{', '.join(_type_name(item) for item in type_.inner)}]"
    return type_.logical or type_.name or type_.kind


def _type_detail(type_: Type) -> str:
    if type_.logical == "decimal":
        return f"decimal({type_.precision}, {type_.scale})"
    if type_.kind == "fixed":
        return f"{type_.name} of {type_.size} bytes"
    return _type_name(type_)
