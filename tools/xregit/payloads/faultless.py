"""Digests of schema documents in which nothing is wrong, so that they are not checked again in this run or a later one.

The library of a language takes longer to load than most documents take to check. Only documents that refer to no other
are remembered: one that does may become wrong when the other changes.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 65_536
_DIGITS = 32
_known: set[str] = set()


def digest(format_: str, document: bytes, uri: str) -> str:
    """Return what stands for a document with its format and its own address."""
    said = (text.encode(errors="surrogatepass") for text in (format_, uri))
    return sha256(b"\0".join((*said, document))).hexdigest()[:_DIGITS]


def is_faultless(name: str) -> bool:
    """Tell whether nothing was found in the document that a digest stands for."""
    return name in _known


def remember(names: Iterable[str]) -> None:
    """Take documents for faultless, by their digests; a program that runs on begins anew when they are too many."""
    if len(_known) >= MOST:
        _known.clear()
    _known.update(names)


def remembered() -> frozenset[str]:
    """Return the digests of all documents that are known to be faultless."""
    return frozenset(_known)
