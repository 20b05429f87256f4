"""Our own templates, filled."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from jinja2 import Environment


# The macros of once.html, which are filters, as those are called without ado; and how many results of each are kept.
REPEATED = (
    "link", "id_link", "listed", "on_wire", "codes", "listing", "crumbs", "value_text", "origins",
    "carrier_row", "placeholder_row", "property_row", "fields",
)  # fmt: skip
MAX_REPEATED = 16_384

# Neither the beginning of an address nor a number, such as that of a version, is taken apart.
_BREAK = re.compile(r"(?<=[./])(?<!//)(?!(?<=\d\.)\d)(?=[\w{]|$)")
_ID = re.compile(r"[^a-z0-9]+")
# Joiners are not among them, since many scripts need them.
_UNSEEN = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
_UNSEEN_NAMES = {ord(sign): f"[U+{ord(sign):04X}]" for sign in _UNSEEN}


def render(template: str, /, **names: object) -> str:
    """Return the HTML of a template in ``templates/``, all text escaped and each sign that is not seen told."""
    return seen(environment().get_template(template).render(names))


def seen(text: str) -> str:
    """Return a text with the names of signs that have no width, or turn what follows around, in their places."""
    if text.isascii() or not any(sign in text for sign in _UNSEEN):
        return text
    return text.translate(_UNSEEN_NAMES)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the templates, compiled once, strict about names that nobody gives."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("xregit.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    templates.filters["anchor"] = anchor
    templates.filters["day"] = day
    templates.filters["breakable"] = breakable
    templates.filters["block"] = block
    for name in REPEATED:
        templates.filters[name] = _repeated(templates, name)
    # Each page would import them anew, which takes as long as a row of a table.
    templates.globals["parts"] = templates.get_template("parts.html").module
    return templates


def _repeated(templates: Environment, name: str) -> Callable[..., Markup]:
    """Return a filter by a macro of once.html, for each value once: pages name the same things over and over."""

    @lru_cache(maxsize=1)
    def macro() -> Callable[..., Markup]:  # later, as the template asks for the filters that are made of it
        found: Callable[..., Markup] = getattr(templates.get_template("once.html").module, name)
        return found

    @lru_cache(maxsize=MAX_REPEATED)
    def html(*values: Hashable) -> Markup:
        return macro()(*values)

    return html


def anchor(text: str) -> str:
    """Return the id of a heading."""
    return _ID.sub("-", text.lower()).strip("-")


def day(timestamp: str) -> str:
    """Return the date of a timestamp."""
    return timestamp[:10]


def content(text: str) -> Markup:
    """Return a text as it stands between tags; quotes, of which blocks of code have many, are no sign of HTML there."""
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704 - escaped here


def block(text: str, label: str, language: str = "") -> Markup:
    """Return a block of code under a label; ``text`` may have marks already."""
    before = f'<div class="xr-code highlight no-copy"><pre tabindex="0" aria-label="{escape(label)}">'
    kind = f' class="language-{escape(language)}"' if language else ""
    inside = text if isinstance(text, Markup) else content(text)
    return Markup(f"{before}<code{kind}>{inside}</code></pre></div>")  # noqa: S704 - escaped just here


@lru_cache(maxsize=MAX_REPEATED)
def breakable(text: str) -> Markup:
    """Return a text whose lines may end after the dots and slashes of long ids, topics and paths."""
    return Markup(_BREAK.sub("<wbr>", str(escape(text))))  # noqa: S704 - escaped just here
