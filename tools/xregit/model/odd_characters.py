"""Characters that look like others or like nothing, as word processors and web pages leave them in texts."""

from __future__ import annotations

import re
import unicodedata

_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0100-\U000e01ef"
)
_QUOTES = "\u00ab\u00bb\u2018-\u201f\u2039\u203a"
_DOUBLE_QUOTES = "\u00ab\u00bb\u201c-\u201f"
_DASHES = "\u2010-\u2015\u2212"
_FULL_WIDTH = "\u2026\uff01-\uff5e"
# Letters of Cyrillic and Greek that nobody tells from Latin ones.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u0410\u0412\u0415\u041a\u041c\u041d\u041e"
    "\u0420\u0421\u0422\u0425\u03bf\u03bd\u0391\u0392\u0395\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7",
    "aeopcyxijsdABEKMHOPCTXovABEKMNOPTX",
)
_LOOKALIKE = "".join(map(chr, _LOOKALIKES))
_KINDS = (
    (re.compile(f"[{_SPACES}]"), "a special space character"),
    (re.compile(f"[{_INVISIBLE}]"), "an invisible character"),
    (re.compile(f"[{_QUOTES}]"), "a typographic quote"),
    (re.compile(f"[{_DASHES}]"), "a dash instead of a hyphen"),
    (re.compile(f"[{_FULL_WIDTH}]"), "a wide form of other characters"),
    (re.compile(f"(?<=[A-Za-z])[{_LOOKALIKE}]|[{_LOOKALIKE}](?=[A-Za-z])"), "a letter of another alphabet"),
)
#: Characters that look like an ordinary space, or like nothing.
BLANK = re.compile(f"[{_SPACES}{_INVISIBLE}]")
_IN_QUOTES = re.compile(f"[{_QUOTES}](.*)[{_QUOTES}]", re.DOTALL)


def describe(text: str) -> str:
    """Return the first kind of odd character in a text, as in "U+201C, a typographic quote"; empty without any."""
    if text.isascii():
        return ""
    matches = ((pattern.search(text), kind) for pattern, kind in _KINDS)
    return next((f"U+{ord(match[0]):04X}, {kind}" for match, kind in matches if match), "")


def repair(text: str) -> str:
    """Return a text with ordinary characters in place of odd ones, without odd quotes around it."""
    quoted = _IN_QUOTES.fullmatch(text)
    text = re.sub(f"[{_INVISIBLE}]", "", quoted[1] if quoted else text)
    text = re.sub(f"[{_SPACES}]", " ", re.sub(f"[{_DASHES}]", "-", text)).strip()
    text = re.sub(f"[{_QUOTES}]", "'", re.sub(f"[{_DOUBLE_QUOTES}]", '"', text))
    text = re.sub(f"[{_FULL_WIDTH}]", lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return text.translate(_LOOKALIKES) if _KINDS[-1][0].search(text) else text
