"""The comparison of two schemas in both directions; each language says why one can't read the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from xregit.model.files import load_data
from xregit.payloads.base import Document, is_json
from xregit.payloads.compatibility.base import (
    ROOT,
    WORST_FIRST,
    Answer,
    Budget,
    Compatibility,
    Reason,
    TooLargeError,
    Verdict,
    worst,
)
from xregit.payloads.languages import PayloadSchema, language, parse

# Each module has ``reasons(writer, reader, budget)``, why the second schema may not read what the first wrote.
_MODULES = {
    "JsonSchema": "xregit.payloads.compatibility.json_schema.comparison",
    "JsonStructure": "xregit.payloads.compatibility.json_schema.comparison",
    "Avro": "xregit.payloads.compatibility.avro",
    "Protobuf": "xregit.payloads.compatibility.protobuf",
    "ProtobufJson": "xregit.payloads.compatibility.protobuf_json",
    "XSD": "xregit.payloads.compatibility.xsd",
}
_MAX_VERDICTS = 100


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of change: the answer for the direction in which it is found, a sentence and help for each direction.

    ``undescribed`` is the direction in which it concerns only payloads that hold what nobody described.
    """

    answer: Answer
    says: Mapping[str, str]
    help: Mapping[str, str]
    undescribed: str


def compatible(  # noqa: PLR0913 - two documents, and what is known of both
    format: str,  # noqa: A002 - the attribute's own name
    before: bytes | object,
    after: bytes | object,
    *,
    selector: str = "",
    newformat: str = "",
    contenttype: str = "",
) -> Compatibility:
    """Return how two documents relate, or the objects in them that a selector names.

    ``newformat`` is the format of the second where it differs. ``contenttype`` is the payloads' media type: Protobuf in
    JSON is judged by names and types of JSON, else by its binary form.

    Raises:
        SchemaError: one of them isn't a schema of its language, or lacks the object.
    """
    old = parse(format, before, fragment=selector)
    return compare(old, parse(newformat or format, after, fragment=selector), contenttype=contenttype)


def compare(old: PayloadSchema, new: PayloadSchema, *, contenttype: str = "") -> Compatibility:
    """Return how two schema objects relate, for payloads of a media type."""
    names = language(old.format), language(new.format)
    if names[0] != names[1]:
        reason = Reason("language", ROOT, old.format, new.format)
        return Compatibility(
            tuple(merge_reasons(names[0], [reason], [Reason("language", ROOT, new.format, old.format)]))
        )
    name = _form(names[0], contenttype)
    module = import_module(_MODULES[name])
    backward, forward = (_within_bounds(module.reasons(*pair, Budget())) for pair in ((old, new), (new, old)))
    return Compatibility(tuple(_first(merge_reasons(name, backward, forward))))


def _form(name: str, contenttype: str) -> str:
    """Return the table of a language's changes, of which Protobuf has one for each of its forms."""
    return "ProtobufJson" if name == "Protobuf" and is_json(contenttype) else name


def _within_bounds(reasons: Iterable[Reason]) -> Iterator[Reason]:
    """Yield reasons, and that there may be more where the schemas are too large to look for all of them."""
    try:
        yield from reasons
    except (RecursionError, TooLargeError):
        yield Reason("large", ROOT, words={"proof": ""})


def _first(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    """Yield as many verdicts as anyone would read, and of the others those that change the answer."""
    answers = set()
    for number, verdict in enumerate(verdicts):
        answer = verdict.backward, verdict.forward, verdict.undescribed
        if number < _MAX_VERDICTS or answer not in answers:
            yield verdict
        answers.add(answer)


def compare_documents(old: Document, new: Document, *, contenttype: str = "") -> Compatibility:
    """Return how two documents relate, for payloads of a media type.

    Two documents of Protobuf are compared message by message if none is named.

    Raises:
        SchemaError: one of them isn't a schema of its language, or lacks the object.
    """
    if (language(old.format), language(new.format), old.fragment) != ("Protobuf", "Protobuf", ""):
        return compare(_parse(old), _parse(new), contenttype=contenttype)
    from xregit.payloads.protobuf.schema import messages

    old_messages, new_messages = messages(old), {} if new.fragment else messages(new)
    if not old_messages:
        return compare(_parse(old), _parse(new), contenttype=contenttype)
    form = _form("Protobuf", contenttype)
    reasons_of_all = import_module(_MODULES[form]).reasons_of_all
    pairs: list[tuple[Any, Any]] = [
        (schema, new_messages.get(name) or _parse(new, name)) for name, schema in old_messages.items()
    ]
    verdicts: list[Verdict] = []
    backward, forward = (
        reasons_of_all(items, Budget()) for items in (pairs, [(after, before) for before, after in pairs])
    )
    for name, *both in zip(old_messages, backward, forward, strict=True):
        prefix = f"{name}: " if len(pairs) > 1 else ""
        merged = merge_reasons(form, *map(_within_bounds, both))
        verdicts += [replace(verdict, where=f"{prefix}{verdict.where}") for verdict in _first(merged)]
    return Compatibility(tuple(verdicts))


def _parse(document: Document, name: str = "") -> PayloadSchema:
    fragment = document.fragment or name
    return parse(document.format, document.content, fragment=fragment, uri=document.uri, fetch=document.fetch)


def merge_reasons(name: str, backward: Iterable[Reason], forward: Iterable[Reason]) -> list[Verdict]:
    """Return one verdict for each place and kind of change, in the order in which they are found."""
    table = kinds()["JsonSchema" if name == "JsonStructure" else name]
    reasons_by_place: dict[tuple[str, str], dict[str, Reason]] = {}
    for direction, reasons in (("backward", backward), ("forward", forward)):
        for reason in reasons:
            if {direction, "both"} & table[reason.kind].says.keys():
                reasons_by_place.setdefault((reason.where, reason.kind), {}).setdefault(direction, reason)
    return [_verdict(table[kind], sides) for (_, kind), sides in reasons_by_place.items()]


def _verdict(kind: Kind, sides: Mapping[str, Reason]) -> Verdict:
    answers = {side: worst(reason.answer or kind.answer) for side, reason in sides.items()}
    # The worse one has the example that shows it.
    side = min(sides, key=lambda item: WORST_FIRST.index(answers[item]))
    reason = sides[side]
    old, new = (reason.writer, reason.reader) if side == "backward" else (reason.reader, reason.writer)
    says, help_ = (
        table.get("both" if len(sides) > 1 else side) or next(iter(table.values())) for table in (kind.says, kind.help)
    )
    removed, added = (sides[name].writer if name in sides else "" for name in ("backward", "forward"))
    words = {**reason.words, "where": reason.where, "old": old, "new": new, "removed": removed, "added": added}
    return Verdict(
        reason.where,
        reason.kind,
        answers.get("backward", Answer.YES),
        answers.get("forward", Answer.YES),
        says.format_map(words),
        help_.format_map(words),
        sides.keys() == {kind.undescribed},
    )


@cache
def kinds() -> Mapping[str, Mapping[str, Kind]]:
    """Return the kinds of changes of each language, as `kinds.yaml` has them; some are found in all languages."""
    value: dict[str, dict[str, Any]] = load_data(Path(__file__).with_name("kinds.yaml"))
    every = value.pop("all")
    return {name: {key: _kind(item) for key, item in {**every, **table}.items()} for name, table in value.items()}


def _kind(item: Mapping[str, Any]) -> Kind:
    says, help_ = ({"both": item[key]} if isinstance(item[key], str) else item[key] for key in ("says", "help"))
    return Kind(Answer(item["answer"]), says, help_, item.get("undescribed", ""))
