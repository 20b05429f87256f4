"""Scripts that a theme writes into its pages, moved into files, so that a Content-Security-Policy may forbid others."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256

FOLDER = "assets/inline/"
# A script with an address or a type, such as data, stays where it is.
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def outsourced(html: str, start: str, files: dict[str, str]) -> str:
    """Return a page with its scripts in files; ``start`` leads from it to the site's start, ``files`` takes them."""

    def moved(found: re.Match[str]) -> str:
        name = _named(found[1])
        files[name] = found[1]
        return f'<script src="{start}{name}"></script>'

    return _INLINE.sub(moved, html)


@lru_cache(maxsize=64)
def _named(script: str) -> str:
    """Return the path of a script's file; a theme writes the same few into all pages."""
    return f"{FOLDER}{sha256(script.encode()).hexdigest()[:16]}.js"
