"""Placeholders, which tie the values of a message's properties together by their names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, permutations
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import PARTS, placeholders_in
from xregit.diagnostics import Finding, Severity
from xregit.model.datatypes import PLACEHOLDER
from xregit.model.identity import cache_by_identity
from xregit.model.language import MAPPINGS
from xregit.model.spelling import is_misspelled
from xregit.rules.rule import found, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Message
    from xregit.json_pointer import KeyPath


_ADJACENT = re.compile(r"\{([A-Za-z0-9_]+)\}(?=\{([A-Za-z0-9_]+)\})")
_PROSE = frozenset({"description", "name", "specurl"})
_SINGLE = frozenset({bool, int, float, type(None)})
_LISTS = (list, tuple)
_MAX_DEPTH = 8
_CACHED = 1024
# Each name is compared with each other one. No message that anybody writes has so many.
_MAX_NAMES = 100


@rule("message", Severity.WARNING, "A placeholder is spelled in two ways.", "MSG-63", stated=PARTS)
def placeholder_spelled_in_two_ways(_registry: Registry, message: Message) -> Iterator[Finding]:
    """Report a name that is used in one place only, and nearly the name of another placeholder of the message."""
    stated, base = message.entity.attributes, message.base
    texts = braced(stated)
    if texts and base:
        texts = (*texts, *braced(message.resolved.attributes))
    if not _has_misspelled(frozenset(chain.from_iterable(map(placeholders_in, texts)))):
        return
    own = _places(placed(stated))
    places = _places(placed(message.resolved.attributes)) if base else own
    for name, paths in own.items():
        other = next((other for other in places if _is_meant(name, other, places)), "")
        if other and len(places.get(name, paths)) == 1:
            text_ = f'The placeholder "{{{name}}}" stands only here, but "{{{other}}}" elsewhere in the message.'
            help_ = f'Write "{{{other}}}" if the same value is meant; equal names stand for equal values.'
            yield found(*paths[-1], message=text_, help=help_)


@rule(
    "message",
    Severity.WARNING,
    "Nothing stands between two placeholders, so nobody can tell where one ends.",
    "MSG-64",
    stated=PARTS,
)
def placeholders_side_by_side(_registry: Registry, message: Message) -> Iterator[Finding]:
    """Report two of which no other property of the message says what either stands for."""
    own = message.entity.attributes
    if not any("}{" in text for text in braced(own)):
        return
    texts = {*braced(message.resolved.attributes)}
    tellers = Counter(name for text in texts for name in _told(text))
    for path, text in placed(own):
        pairs = _ADJACENT.findall(text)
        here = _told(text) if pairs and text in texts else ()
        pair = next((pair for pair in pairs if not any(tellers[name] > (name in here) for name in pair)), None)
        if pair:
            text_ = f'Nothing stands between "{{{pair[0]}}}" and "{{{pair[1]}}}", so nobody can tell where one ends.'
            help_ = "Put a sign between them that the first one never has, or say one of them in another property too."
            yield found(*path, message=text_, help=help_)


def _told(text: str) -> set[str]:
    """Return the placeholders of a text that no other one stands beside."""
    return {*placeholders_in(text)}.difference(*_ADJACENT.findall(text))


@lru_cache(maxsize=_CACHED)
def _has_misspelled(names: frozenset[str]) -> bool:
    """Tell whether one of not too many names is nearly another; messages of a catalog have few sets of placeholders."""
    return len(names) <= _MAX_NAMES and any(is_misspelled(one, other) for one, other in permutations(names, 2))


def _is_meant(name: str, other: str, places: Mapping[str, list[KeyPath]]) -> bool:
    """Tell whether another placeholder is the one that was meant; of two that stand once, it is the earlier one."""
    if name == other or not is_misspelled(name, other) or places.get(name) == places[other]:
        return False
    order = list(places)
    return len(places[other]) > 1 or name not in places or order.index(other) < order.index(name)


def _places(texts: Iterable[tuple[KeyPath, str]]) -> Mapping[str, list[KeyPath]]:
    """Return where each placeholder stands, in the order in which they are written."""
    places: dict[str, list[KeyPath]] = {}
    for path, text in texts:
        for name in placeholders_in(text):
            places.setdefault(name, []).append(path)
    return places


@cache_by_identity(8)
def braced(attributes: Mapping[str, Any]) -> Sequence[str]:
    """Return the texts of a message's properties that hold a brace, or what others write for one.

    Those that are for people are not among them.
    """
    texts: list[str] = []
    pending = [attributes[part] for part in PARTS if part in attributes]
    # It goes on to what it finds on its way; nearly all of the time goes into values without braces.
    for value in pending:
        isa = value.__class__
        for name, item in value.items() if isa in MAPPINGS else enumerate(value) if isa in _LISTS else ():
            kind = item.__class__
            if kind is str:
                if ("{" in item or "/:" in item or "<" in item) and name not in _PROSE:
                    texts.append(item)
            elif kind not in _SINGLE:
                pending.append(item)
    return texts


def placed(attributes: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """Give the same texts with their paths, which nobody asks for unless something is wrong with one of them."""
    for part in PARTS:
        yield from _placed(attributes.get(part), (part,))


def _placed(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    isa = value.__class__
    for name, item in value.items() if isa in MAPPINGS else enumerate(value) if isa in _LISTS else ():
        if item.__class__ is str:
            if ("{" in item or "/:" in item or "<" in item) and name not in _PROSE:
                yield (*path, name), item
        elif len(path) < _MAX_DEPTH:
            yield from _placed(item, (*path, name))


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


@dataclass(frozen=True, slots=True)
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
