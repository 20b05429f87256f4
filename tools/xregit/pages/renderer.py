"""HTML from our own templates, with their filters."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from functools import cache, lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from xregit.pages.page import anchor

# The macros of cached.html, which are filters, since those are called without an import; pages repeat most of their
# values, so that so many results of each are cached.
CACHED_MACROS = (
    "link", "id_link", "entity_name", "on_wire", "codes", "listing", "crumbs", "value_text", "origins",
    "carrier_row", "placeholder_row", "property_row", "fields",
)  # fmt: skip
MAX_CACHED = 16_384

# Neither the beginning of an address nor a number, such as that of a version, is broken; a long word is, at a capital.
_BREAK = re.compile(r"(?<=[./_])(?<!//)(?!(?<=\d\.)\d)(?=[\w{]|$)|(?<=[a-z]{3})(?=[A-Z][a-z]{3})")
# Joiners are not among them, since many scripts need them.
_INVISIBLE = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
_INVISIBLE_NAMES = {ord(char): f"[U+{ord(char):04X}]" for char in _INVISIBLE}


def render(template: str, /, **names: object) -> str:
    """Return the HTML of a template in ``templates/``, all text escaped and invisible characters named."""
    return name_invisible(_environment().get_template(template).render(names))


def name_invisible(text: str) -> str:
    """Return a text with the names of characters without width or of reverse direction in their places."""
    return text if text.isascii() else text.translate(_INVISIBLE_NAMES)


@cache
def _environment() -> Environment:
    """Return the templates, strict about undefined names."""
    templates = Environment(
        loader=PackageLoader("xregit.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    templates.filters |= {"anchor": anchor, "day": day, "breakable": breakable, "block": block}
    templates.filters |= {name: _cached_macro(templates, name) for name in CACHED_MACROS}
    # An import in each template takes as long as a row of a table.
    templates.globals["parts"] = templates.get_template("parts.html").module
    return templates


def _cached_macro(templates: Environment, name: str) -> Callable[..., Markup]:
    """Return a filter that caches the results of a macro of cached.html."""

    @lru_cache(maxsize=MAX_CACHED)
    def render_macro(*values: Hashable) -> Markup:
        # Loaded here, as the template itself uses these filters.
        html: Markup = getattr(templates.get_template("cached.html").module, name)(*values)
        return html

    return render_macro


def day(timestamp: str) -> str:
    """Return the date of a timestamp."""
    return timestamp[:10]


def content(text: str) -> Markup:
    """Return a text escaped for a place between tags, where quotes, of which code has many, may stay."""
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704 - escaped here


def block(text: str, label: str, language: str = "") -> Markup:
    """Return a block of code under a label; ``text`` may be HTML already."""
    start = f'<div class="xr-code highlight no-copy"><pre tabindex="0" aria-label="{escape(label)}">'
    kind = f' class="language-{escape(language)}"' if language else ""
    code = text if isinstance(text, Markup) else content(text)
    return Markup(f"{start}<code{kind}>{code}</code></pre></div>")  # noqa: S704 - escaped just here


@lru_cache(maxsize=MAX_CACHED)
def breakable(text: str) -> Markup:
    """Return a text whose lines may end after dots, slashes and underscores, and at the capitals of long ids."""
    return Markup(_BREAK.sub("<wbr>", str(escape(text))))  # noqa: S704 - escaped just here
