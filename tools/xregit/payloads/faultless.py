"""Documents of schemas in which nothing is wrong, by digests, so that nobody looks at them again in this run or later.

What reads a language takes longer to load than most documents take to be read. A document counts by itself alone: one
that asks for others may be right today, and wrong when these have changed.
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
