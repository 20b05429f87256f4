"""The document view as pieces of text, one for each group, that together are the bytes of the whole.

A group's text depends on nothing but what it states, so that it can be copied from an earlier document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from xregit.document.compiling import framed, groups_view
from xregit.document.serialising import quickly

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xregit.document.stating import Stating

# What stands before, between and after the groups of a type, and around a group that is alone in a document.
BEFORE, BETWEEN, AFTER = b"{\n    ", b",\n    ", b"\n  }"
_HEAD, _TAIL = b'{\n  "":' + b" " + BEFORE, AFTER + b"\n}\n"
_EMPTY = b"{}"


def frame(stating: Stating, ids: Mapping[str, Sequence[str]]) -> Mapping[str, bytes] | None:
    """Return the text before the groups of each type, by plural name, and under an empty name the text after them all.

    ``ids`` are those of the groups by type. None if `quickly` can't write it.
    """
    document = framed(stating, {plural: dict.fromkeys(given) for plural, given in ids.items()})
    types = list(stating.registry.model.groups)
    rest = quickly({**document, **{plural: {} for plural in types}})
    if rest is None:
        return None
    found = {}
    for plural in types:
        # At this depth a line begins so only where a member of the document does.
        key = b"\n  " + orjson.dumps(plural) + b": "
        before, _, rest = rest.partition(key + _EMPTY)
        found[plural] = before + key
    return {**found, "": rest}


def piece(stating: Stating, xid: str) -> bytes | None:
    """Return the text of a group, with its id as the key; None if `quickly` can't write it."""
    _, plural, gid = xid.split("/")
    text = quickly({"": groups_view(stating, {gid: stating.registry.groups[plural][gid]})})
    return text[len(_HEAD) : -len(_TAIL)] if text else None


def joints(around: Mapping[str, bytes], ids: Mapping[str, Sequence[str]]) -> Iterator[tuple[bytes, str]]:
    """Give what stands before each group of the document, and the group's xid; at last what follows, and no xid."""
    pending = b""
    for plural, before in around.items():
        pending += before
        if not plural:
            break
        given = ids.get(plural, ())
        for gid in given:
            yield pending + (BEFORE if gid == given[0] else BETWEEN), f"/{plural}/{gid}"
            pending = b""
        pending += AFTER if given else _EMPTY
    yield pending, ""
