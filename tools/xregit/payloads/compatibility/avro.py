"""Avro: why a schema can't read what was written with another, by its rules of schema resolution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from xregit.model.excerpts import comma_list
from xregit.payloads.avro.codec import Avro
from xregit.payloads.avro.schema import Member, Type
from xregit.payloads.compatibility.base import ROOT, Answer, Budget, Reason

# What each primitive type is promoted to (Avro specification, "Schema Resolution").
_PROMOTED: Mapping[str, frozenset[str]] = {
    "int": frozenset(("long", "float", "double")),
    "long": frozenset(("float", "double")),
    "float": frozenset(("double",)),
    "string": frozenset(("bytes",)),
    "bytes": frozenset(("string",)),
}
_NAMED_KINDS = frozenset(("record", "enum", "fixed"))
_MAX_SHOWN = 16


def reasons(writer: Avro, reader: Avro, budget: Budget) -> Iterator[Reason]:
    """Yield why the second schema can't read what was written with the first."""
    yield from _Resolver(budget).of(writer.type, reader.type, "")


class _Resolver:
    """One resolution; types that hold themselves are compared once, and those that may be read, once more."""

    def __init__(self, budget: Budget, *, certain: bool = True) -> None:
        self.budget = budget
        self.compared: set[tuple[int, int]] = set()
        self.named: set[tuple[int, int]] = set()
        self.uncertain = _Resolver(budget, certain=False) if certain else self

    def of(self, writer: Type, reader: Type, path: str) -> Iterator[Reason]:
        pair = id(writer), id(reader)
        if pair in self.compared:
            return
        self.compared.add(pair)
        if writer.kind == "union":
            for branch in writer.inner:
                yield from self.of_branch(branch, reader, path)
        elif reader.kind == "union":
            yield from self.of_branch(writer, reader, path)
        else:
            yield from self.of_single(writer, reader, path)

    def of_branch(self, writer: Type, reader: Type, path: str) -> Iterator[Reason]:
        """Yield why one type of a union, or one that is read as a union, can't be read."""
        if reader.kind != "union":
            if _matches(writer, reader):
                yield from self.of_single(writer, reader, path)
            else:
                yield Reason(
                    "branch", path or ROOT, _type_name(writer), _type_name(reader), {"branch": _type_name(writer)}
                )
            return
        # Readers take the branch of the same type, else the first that reads it.
        self.budget.spend(10 + len(reader.inner))
        fitting = [item for item in reader.inner if _matches(writer, item)]
        if not fitting:
            yield Reason("branch", path or ROOT, _type_name(writer), _type_name(reader), {"branch": _type_name(writer)})
            return
        first = fitting[0]
        branch = next((item for item in fitting if item.kind == writer.kind), first)
        yield from self.of_single(writer, branch, path)
        if branch is not first:
            # The specification has the first branch that fits, some readers take one of the same type before others.
            others = self.uncertain.of_single(writer, first, path)
            yield from (replace(reason, answer=Answer.UNCLEAR) for reason in others)

    def of_single(self, writer: Type, reader: Type, path: str) -> Iterator[Reason]:
        pair = id(writer), id(reader)
        if pair in self.named:
            return
        if writer.kind in _NAMED_KINDS:
            self.named.add(pair)
        self.budget.spend(10 + len(reader.symbols))
        if not _matches(writer, reader):
            same = writer.kind == reader.kind and writer.kind in _NAMED_KINDS
            kind = "size" if same and writer.size != reader.size else "name" if same else "type"
            yield Reason(kind, path or ROOT, _type_detail(writer), _type_detail(reader))
            return
        yield from _logical(writer, reader, path)
        if (writer.kind, reader.kind) == ("bytes", "string"):
            yield Reason("text", path or ROOT)
        if writer.kind == "record":
            yield from self.of_members(writer, reader, path)
        elif writer.kind == "enum":
            yield from _symbols(writer, reader, path)
        elif writer.kind in {"array", "map"}:
            yield from self.of(writer.inner[0], reader.inner[0], f"{path}[]")

    def of_members(self, writer: Type, reader: Type, path: str) -> Iterator[Reason]:
        sources = _sources(writer, reader)
        for name in _ambiguous_aliases(writer, reader):
            yield Reason("alias", f"{path}.{name}" if path else name)
        for member in reader.members:
            here = f"{path}.{member.name}" if path else member.name
            source = sources.get(member.name)
            if source is not None:
                yield from self.of(source.type, member.type, here)
            elif not member.has_default:
                yield Reason("field", here, words={"name": member.name})


def _sources(writer: Type, reader: Type) -> Mapping[str, Member]:
    """Return the writer's field that each field reads: of its name, else of an alias that is no field's name."""
    writer_fields = {item.name: item for item in writer.members}
    sources = {member.name: writer_fields.pop(member.name) for member in reader.members if member.name in writer_fields}
    for member in reader.members:
        alias = next((alias for alias in member.aliases if alias in writer_fields), None)
        if member.name not in sources and alias is not None:
            sources[member.name] = writer_fields.pop(alias)
    return sources


def _ambiguous_aliases(writer: Type, reader: Type) -> Iterator[str]:
    """Yield the writer's fields that a field has as alias, though it has another source or others have it, too."""
    names = {item.name for item in writer.members}
    claims = Counter(
        alias for member in reader.members for alias in set(member.aliases) & names if alias != member.name
    )
    for member in reader.members:
        for alias in member.aliases:
            if claims[alias] > 1 or (claims[alias] and member.name in names and alias != member.name):
                yield alias


def _matches(writer: Type, reader: Type) -> bool:
    """Return whether one type may be read as another, without looking at what is inside them."""
    if writer.kind == reader.kind:
        return writer.kind not in _NAMED_KINDS or (_same_name(writer, reader) and writer.size == reader.size)
    return reader.kind in _PROMOTED.get(writer.kind, ())


def _same_name(writer: Type, reader: Type) -> bool:
    short = writer.name.rpartition(".")[2]
    return short == reader.name.rpartition(".")[2] or writer.name in reader.aliases


def _symbols(writer: Type, reader: Type, path: str) -> Iterator[Reason]:
    symbols = set(reader.symbols)
    missing = [symbol for symbol in writer.symbols if symbol not in symbols]
    if missing and not reader.default:
        yield Reason("symbol", path or ROOT, words={"symbols": comma_list(missing)})


def _logical(writer: Type, reader: Type, path: str) -> Iterator[Reason]:
    """Yield what differs in how a number or text is understood; its bytes are read all the same."""
    if writer.logical == reader.logical:
        if (writer.precision, writer.scale) != (reader.precision, reader.scale):
            # The specification matches none but the same, yet a larger precision takes every number as it is.
            is_wider = writer.scale == reader.scale and writer.precision < reader.precision
            answer = Answer.UNCLEAR if is_wider else None
            yield Reason("decimal", path or ROOT, _type_detail(writer), _type_detail(reader), answer=answer)
    elif (writer.logical, writer.kind, reader.logical) != ("uuid", "string", ""):
        both = writer.logical and reader.logical
        answer = Answer.NO if both else Answer.UNCLEAR
        yield Reason("logical", path or ROOT, _type_detail(writer), _type_detail(reader), answer=answer)


def _type_name(type_: Type) -> str:
    if type_.kind == "union":
        return f"[{', '.join(map(_type_name, type_.inner[:_MAX_SHOWN]))}{', …' * (len(type_.inner) > _MAX_SHOWN)}]"
    return type_.logical or type_.name or type_.kind


def _type_detail(type_: Type) -> str:
    if type_.logical == "decimal":
        return f"decimal({type_.precision}, {type_.scale})"
    if type_.kind == "fixed":
        return f"{type_.name} of {type_.size} bytes"
    return _type_name(type_)
