"""Our own templates, filled."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from jinja2 import Environment

_BREAK = re.compile(r"[./](?=[\w{]|$)")
_ID = re.compile(r"[^a-z0-9]+")


def render(template: str, /, **names: object) -> str:
    """Return the HTML of a template in ``templates/``, all text escaped."""
    return environment().get_template(template).render(names)


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
    return templates


def anchor(text: str) -> str:
    """Return the id of a heading."""
    return _ID.sub("-", text.lower()).strip("-")


def day(timestamp: str) -> str:
    """Return the date of a timestamp."""
    return timestamp[:10]


def breakable(text: str) -> Markup:
    """Return a text whose lines may end after the dots and slashes of long ids, topics and paths."""
    return Markup(_BREAK.sub(r"\g<0><wbr>", str(escape(text))))  # noqa: S704 - escaped just here
