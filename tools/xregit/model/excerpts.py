"""Values as sentences quote them: recognisable, on one line, and cut where they are long."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any

MAX_CHARS = 60
MAX_CHARS_IN_FULL = 100
# A sentence that names all of very many would be as long as the file, and there may be as many sentences.
MAX_NAMES = 50


def quote(value: Any) -> str:
    """Return a value as a sentence names it: a text in quotes, a number as JSON, and just "a map" or "a list"."""
    if isinstance(value, Mapping):
        return "a map" if value else "an empty map"
    if isinstance(value, (list, tuple)):
        return "a list" if value else "an empty list"
    text = f'"{cut(value)}"' if isinstance(value, str) else cut(json.dumps(value, default=str))
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def to_json(value: Any, most: int = MAX_CHARS_IN_FULL) -> str:
    """Return a value as JSON with all that it holds, cut to at most so many characters."""
    return cut(json.dumps(value, ensure_ascii=False, default=_as_json), most)


def either(choices: Iterable[Any]) -> str:
    """Return the choices as "a, b or c"."""
    texts = [unquoted(choice) for choice in choices]
    if len(texts) > MAX_NAMES:
        return comma_list(texts)
    return f"{', '.join(texts[:-1])} or {texts[-1]}" if len(texts) > 1 else "".join(texts)


def comma_list(names: Collection[str], most: int = MAX_NAMES) -> str:
    """Return names with commas between them; of more than so many the first ones, and how many there are beside."""
    more = len(names) - most
    return ", ".join(islice(names, most)) + (f" and {more:,} more" if more > 0 else "")


def unquoted(value: Any) -> str:
    """Return a text as it is, and any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def cut(text: object, most: int = MAX_CHARS) -> str:
    """Return a text, or the text of a value, cut to at most so many characters."""
    whole = str(text)
    return whole if len(whole) <= most else f"{whole[: most - 1]}…"


def cut_middle(text: str, most: int) -> str:
    """Return a text with its middle cut out where it has more characters: what is wrong with a value stands last."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


def _as_json(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, Collection) and not isinstance(value, bytes) else str(value)
