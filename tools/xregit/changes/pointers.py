"""Documents that Git LFS keeps elsewhere, of which the history has pointers alone: the file's hash and its size.

Source: the pointer's format, as https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md has it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

_BEGIN = b"version https://git-lfs.github.com/spec/"
_HASH = b"oid sha256:"
MAX_BYTES = 1024


def is_pointer(document: Any) -> bool:
    """Tell whether a document is a pointer to one."""
    return isinstance(document, bytes) and len(document) < MAX_BYTES and document.startswith(_BEGIN)


def stands_for(pointer: Any, document: Any) -> bool:
    """Tell whether a document is the one that a pointer leads to."""
    if not is_pointer(pointer) or not isinstance(document, bytes):
        return False
    return _HASH + sha256(document).hexdigest().encode() in pointer.splitlines()
