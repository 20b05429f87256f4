"""The shared table of ``tests/cases/recognise``: messages, and what `xregit match` and the site's page say of them.

``small.yaml`` is written by hand, ``example.jsonl`` made here from the example catalog: each definition's own message,
and others that differ from it in one place. ``payloads.yaml`` has those of which only the payload's schema, which the
page does not know, can say what they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import yaml

import xregit
from tests.messages.catalogs import registry_of
from xregit.catalog import Message, Registry
from xregit.messages.definition import to_definition
from xregit.messages.example import example_context
from xregit.messages.explanation import READABLE
from xregit.pages.context import SiteContext
from xregit.pages.examples import wire_examples

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "cases" / "recognise"
VARIANTS = 2
#: How many of the odd values each value of a message is replaced by, in turn.
ODD_VALUES = 3
ODD: tuple[Any, ...] = (
    "", "A b", "01", "1.50", "15e-1", "1e400", "TRUE", "%41", "%ff", "%C3%A9", "a/b", "a?b", "a-b-a", "AAE=", "AAF",
    "é", "😀b", "\ud800", "\x07", "\uffff", "2026-02-30T00:00:00z", "7d2ea4a6-0c5c-4b7e-9f5c-3f1f3f6f0a11",
    "application/cloudevents+json", "application/cloudevents-batch+json", " text/plain ;charset=UTF-8",
    0, -1, 3, 1.5, 1.0, -0.0, 1e16, 1e-7, 1.5e300, 123456789.125, 2**31, 2**53, 2**63, 2**64, -(2**63) - 1, True, False,
    None, {}, [], {"base64": "AAE="}, {"base64": "/wA="}, {"base64": 1}, {"b": {"a": [1, 2.5, None, True, "x"]}},
    "application/cloudevents", "x" * 400 + ";", "mqtt/9", "nats/2", 10**15, -(10**15), ["a", "b"], [1, "a"], [[1]],
    [{"name": "a", "value": "b"}], [{"name": "a b", "value": None}], [{"name": "id", "value": "1"}, {"value": 1}],
    [{"name": "type", "value": {"base64": "AAE="}}],
)  # fmt: skip
#: Parts that say nothing of what a message is.
SKIPPED = frozenset({"body", "body_base64", "data", "data_base64", "protocol"})


@cache
def example() -> Registry:
    """Return the example catalog."""
    return xregit.read(ROOT / "registry")


def hand_made(name: str = "small") -> dict[str, Any]:
    """Return ``small.yaml`` or ``payloads.yaml``: ``messages`` are definitions, ``cases`` fit them or not."""
    result: dict[str, Any] = yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    return result


def small(folder: Path, name: str = "small") -> Registry:
    """Return the registry of the definitions written by hand."""
    return registry_of(folder, hand_made(name)["messages"])


def recorded() -> list[dict[str, Any]]:
    """Return the cases of ``example.jsonl``: ``text`` is the message, ``results`` has one result for each event."""
    lines = (FOLDER / "example.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def text_of(case: dict[str, Any]) -> str:
    """Return the text of a message that may be written as a value."""
    return str(case["text"]) if "text" in case else json.dumps(case["message"], ensure_ascii=False)


def answers(matcher: xregit.Matcher, text: str) -> list[dict[str, Any]]:
    """Return what is compared of each result: all but the texts of problems, the event and what was found.

    Where nothing comes near, the page says so in a sentence of its own. It does not know schemas.
    """
    return [_answer(item.as_json()) for item in matcher.each(text, explain=True, payloads=False)]


def _answer(found: dict[str, Any]) -> dict[str, Any]:
    failed = {
        item["xid"]: [[each["attribute"], each["expected"]] for each in item["failed"]] if item["xid"] else []
        for item in found["reasons"]
        if item["xid"] or item["failed"][0]["expected"] == READABLE
    }
    return {
        "outcome": found["outcome"],
        "matches": {item["xid"]: item["context"] for item in found["matches"]},
        "mapped": found["mapped"],
        "reasons": list(failed.items()),
    }


def example_cases() -> Iterator[dict[str, Any]]:
    """Give the cases of the example catalog anew."""
    matcher, book = xregit.Matcher(example()), SiteContext(example())
    alone = {item.xid for item in example().messages if not item.protocol and not item.envelope}
    for number, message in enumerate(example().messages):
        for name, value in _messages(book, message, number):
            text = json.dumps(value, ensure_ascii=False)
            result = answers(matcher, text)
            if not _by_schema(result, alone):
                yield {"name": f"{message.xid[1:]}: {name}", "text": text, "results": json.loads(json.dumps(result))}


def odd() -> Iterator[str]:
    """Give the messages written by hand, each with one of its values replaced by some of those that few expect."""
    turns = cycle(ODD)
    for case in hand_made()["cases"]:
        value = case.get("message")
        for place in _paths(value) if isinstance(value, dict) else ():
            for each in islice(turns, ODD_VALUES):
                yield json.dumps(_changed(value, place, partial(_replaced, each)))


def _by_schema(found: list[dict[str, Any]], alone: set[str]) -> bool:
    """Tell whether the payload's schema decided; it does for definitions that say nothing but what the payload is."""
    failed = {attribute for item in found for _, each in item["reasons"] for attribute, _ in each}
    return "dataschema" in failed or any(alone & item["matches"].keys() for item in found)


def _messages(book: SiteContext, message: Message, number: int) -> Iterator[tuple[str, Any]]:
    """Give a definition's own messages, and of each some variants, others for each definition."""
    filled = wire_examples(book, message, example_context(to_definition(message)))
    for sample, wire in islice(((item, item.wire) for item in filled if item.wire is not None), 2):
        value = _shorter(wire.as_json())
        yield f"{sample.protocol} {sample.mode}".strip(), value
        places = list(_places(value))
        for turn in range(min(VARIANTS, len(places))):
            kind, change = VARIATIONS[(number + turn) % len(VARIATIONS)]
            place = places[(number * VARIANTS + turn) % len(places)]
            yield f"{sample.protocol} {kind} {'/'.join(map(str, place))}", _changed(value, place, change)


def _shorter(value: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the payload says, unless it is an event."""
    if isinstance(value.get("body"), dict) and "specversion" in value["body"]:
        return {**value, "body": _shorter(value["body"])}
    plain: dict[str, Any] = {"data": {}} if "data" in value else {"body": {}} if "body" in value else {}
    return {**{name: item for name, item in value.items() if name not in {"data_base64", "body_base64"}}, **plain}


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the paths of all texts and numbers that say what a message is."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        event = key == "body" and isinstance(item, dict) and "specversion" in item
        if event or (key not in SKIPPED and not (key == "name" and path and isinstance(path[-1], int))):
            yield from _places(item, (*path, key))
    if path and not isinstance(value, dict | list):
        yield path


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the paths of all that a value holds."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from _paths(item, (*path, key))


def _changed(value: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    copied = deepcopy(value)
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return copied


def _replaced(by: Any, holder: Any, key: Any) -> None:
    holder[key] = by


def _longer(holder: Any, key: Any) -> None:
    holder[key] = f"{holder[key]}x"


def _gone(holder: Any, key: Any) -> None:
    holder[key] = None


def _deeper(holder: Any, key: Any) -> None:
    holder[key] = f"a/{holder[key]}/b"


def _percent(holder: Any, key: Any) -> None:
    holder[key] = str(holder[key]).replace("-1", "%20%C3%A9")


def _number(holder: Any, key: Any) -> None:
    holder[key] = 7


def _upper(holder: Any, key: Any) -> None:
    holder[key] = str(holder[key]).upper()


def _other(holder: Any, key: Any) -> None:
    holder[key] = str(holder[key]).replace("-1", "-2", 1)


def _cased(holder: Any, key: Any) -> None:
    """Change the case of a name: of a header's own, or of the attribute."""
    if key == "value":
        holder["name"] = holder["name"].swapcase()
    else:
        holder[str(key).swapcase()] = holder.pop(key)


VARIATIONS: tuple[tuple[str, Callable[[Any, Any], None]], ...] = (
    ("with more in", _longer), ("without", _gone), ("with more levels in", _deeper), ("percent-encoded in", _percent),
    ("with a number in", _number), ("in capitals in", _upper), ("with another value in", _other),
    ("with another case of", _cased),
)  # fmt: skip
