"""Texts that someone may have meant as placeholders, though they stand for themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import PARTS
from xregit.diagnostics import Finding, Severity
from xregit.model.datatypes import PLACEHOLDER
from xregit.model.language import MAPPINGS
from xregit.records import record
from xregit.rules.rule import found, rule
from xregit.rules.templates import braced, placed

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Message
    from xregit.keypaths import KeyPath

# RFC 6570 levels 2 to 4, names that are no symbols, words, and what formats fill. JSON has quotes, and means itself.
_IN_BRACES = re.compile(
    r"\{[+#./;?&=,!@|]?[A-Za-z0-9_.%,*:\-]+\}|\{ *\w[\w.\-]*(?: +\w[\w.\-]*)* *\}|(?<=[\w/.:\-])\{\}"
)
_UNCLOSED = re.compile(r"\{[A-Za-z0-9_]+(?:$|[/{])")
# As shells and languages of templates have them: a placeholder, and signs that stay.
_WITH_SIGNS = re.compile(rf"\$({PLACEHOLDER.pattern})|\{{({PLACEHOLDER.pattern})\}}")
# As routes of web frameworks have them; only between what divides a path, a topic or a subject.
_OF_ROUTES = re.compile(r"(?<=/):[A-Za-z]\w*(?=$|[/?.])|(?:(?<=[/.:=\-])|^(?=<[^<>]*>[/.:]))<[A-Za-z][\w\-]*>")
_HELP = "Write a placeholder as {name}, of letters, digits and underscores, without operators."


@rule("message", Severity.WARNING, "A text looks like a template, but means itself.", "MSG-61", "MSG-62", stated=PARTS)
def malformed_placeholder(_registry: Registry, message: Message) -> Iterator[Finding]:
    """Report in a property's text what is no level 1 placeholder, though someone seems to have meant one."""
    own = message.entity.attributes
    if not any(map(_suspicious, braced(own))):
        return
    for path, value in placed(own):
        doubt = _suspicious(value)
        if doubt and (doubt.fits_templates or not _is_template(own, path)):
            yield found(*path, message=doubt.message, help=doubt.help)


@record
class _Doubt:
    """What is said of a text; a property of type ``uritemplate`` may have only some of them, the model tells others."""

    message: str
    help: str = _HELP
    fits_templates: bool = False


@lru_cache(maxsize=1024)
def _suspicious(value: str) -> _Doubt | None:
    """Return what is to be said of the part of a text that someone may have meant as a placeholder."""
    signs = _WITH_SIGNS.search(value)
    if signs:
        meant = signs[1] or signs[2]
        rest = 'the "$"' if signs[1] else "the other pair of braces"
        text_ = f'In "{signs[0]}" the placeholder is "{meant}", and {rest} stands for itself.'
        return _Doubt(text_, f'Write "{meant}".', fits_templates=bool(signs[1]))
    match = _of_braces(value) or _OF_ROUTES.search(value)
    if not match:
        return None
    shown = match.group()
    return _Doubt(f'"{shown}" is no placeholder, so it stands for itself.', fits_templates=shown.startswith(":"))


def _of_braces(value: str) -> re.Match[str] | None:
    """Return the part of a text with a brace that is none of a placeholder, if it looks like one."""
    if "{" not in PLACEHOLDER.sub("", value):
        return None
    others = (item for item in _IN_BRACES.finditer(value) if not PLACEHOLDER.fullmatch(item.group()))
    return _UNCLOSED.search(value) or next(others, None)


def _is_template(value: Any, path: KeyPath) -> bool:
    """Tell whether a text is part of a property whose form the model checks."""
    for part in path:
        if isinstance(value, MAPPINGS) and value.get("type") == "uritemplate":
            return True
        value = value[part]
    return False
