"""Placeholders, which tie the values of a message's properties together by their names, and what overlaps by them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.properties import PARTS, placeholders_in
from xregit.catalog.registry import Registry
from xregit.catalog.views import Message
from xregit.diagnostics import Finding, Severity
from xregit.json_pointer import KeyPath
from xregit.messages.overlap import MAX_OVERLAPS, Overlap
from xregit.model.datatypes import PLACEHOLDER
from xregit.model.language import MAPPINGS
from xregit.model.similarity import is_misspelled
from xregit.rules.attributes import inside, nested_texts
from xregit.rules.rule import SOUND, ComparedMessage, finding, rule


@rule(SOUND, Severity.WARNING, "MSG-9", "MSG-110")
def messages_indistinguishable(registry: Registry, compared: ComparedMessage) -> Iterator[Finding]:
    """Two messages of one endpoint can't be told apart."""
    # A message that demands the same as another one, or of which the other one demands less.
    pairs = [pair for pair in compared.overlaps if _differing(registry, pair) is None]
    if pairs:
        text_ = _sentence(pairs, "This message can't be distinguished from") + "."
        help_ = "Give the two different fixed values, such as the type, the subject or the topic."
        yield finding(message=text_, help=help_, on_key=True)


@rule(SOUND, Severity.WARNING, "MSG-64", "MSG-110")
def overlapping_template(registry: Registry, compared: ComparedMessage) -> Iterator[Finding]:
    """A template also matches another message's value."""
    # A message if one value can fit its template and the template, or the fixed value, of another message.
    differing = ((pair, _differing(registry, pair)) for pair in compared.overlaps)
    pairs = [(pair, path) for pair, path in differing if path is not None]
    if pairs:
        path = pairs[0][1]
        text_ = f'{_sentence([pair for pair, _ in pairs], "One value can fit this message and")}: see "{path[-1]}".'
        help_ = "Change the fixed parts or the number of levels; a placeholder matches any text between them."
        yield finding(*_value_path(compared.message.entity.attributes, path), message=text_, help=help_)


def _sentence(pairs: list[Overlap], sentence: str) -> str:

    count = f"{len(pairs) - 1} more" if len(pairs) < MAX_OVERLAPS else f"{MAX_OVERLAPS - 1} or more others"
    more = f" and {count}" if len(pairs) > 1 else ""
    return f'{sentence} "{pairs[0].first}"{more} on endpoint "{pairs[0].endpoints[0]}"'


def _differing(registry: Registry, pair: Overlap) -> tuple[str, ...] | None:
    """Return the property of the second message in which the two differ by more than the names of placeholders."""
    one, other = _ways(registry[pair.first]), _ways(registry[pair.second])
    return next((path for path in other if path in one and one[path] != other[path]), None)


def _ways(message: Message) -> Mapping[tuple[str, ...], str]:
    values = ((item.path, item.value) for item in message.properties)
    return {path: PLACEHOLDER.sub("{}", value) for path, value in values if isinstance(value, str)}


def _value_path(attributes: Any, path: tuple[str, ...]) -> KeyPath:
    """Return the path of a property's value inside what a message itself states, as far as it does."""
    place: list[str | int] = []
    for part in (*path, "value"):
        step: str | int = int(part) if isinstance(attributes, list | tuple) and part.isdecimal() else part
        if not (step in attributes if isinstance(attributes, MAPPINGS) else isinstance(step, int)):
            break
        attributes = attributes[step]
        place.append(step)
    return tuple(place)


_ADJACENT = re.compile(r"\{([A-Za-z0-9_]+)\}(?=\{([A-Za-z0-9_]+)\})")
_PROSE = frozenset({"description", "name", "specurl"})
# Each name is compared with each other one. No message that anybody writes has so many.
_MAX_NAMES = 100


@rule("message", Severity.WARNING, "MSG-63", attributes=PARTS)
def placeholder_spelled_in_two_ways(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A placeholder is spelled in two ways."""
    # A name that is used in one place only, and nearly the name of another placeholder of the message.
    own = _placeholder_paths(_own_texts(message.entity))
    paths = _placeholder_paths(template_texts(message.resolved.attributes)) if own and message.base else own
    for name in own if len({*own, *paths}) <= _MAX_NAMES else ():
        other = next((other for other in paths if _is_meant(name, other, paths)), "")
        if other and len(paths.get(name, own[name])) == 1:
            text_ = f'The placeholder "{{{name}}}" is used only here, but "{{{other}}}" elsewhere in the message.'
            help_ = f'Write "{{{other}}}" if the same value is meant; equal names mean equal values.'
            yield finding(*own[name][-1], message=text_, help=help_)


@rule("message", Severity.WARNING, "MSG-64", attributes=PARTS)
def placeholders_side_by_side(_registry: Registry, message: Message) -> Iterator[Finding]:
    """Nothing separates two placeholders, so it is unclear where one ends."""
    # Two of which no other property of the message says what either stands for.
    adjacent = [(path, text, _ADJACENT.findall(text)) for path, text in _own_texts(message.entity)]
    if not any(pairs for _, _, pairs in adjacent):
        return
    texts = {text for _, text in template_texts(message.resolved.attributes)}
    uses = Counter(name for text in texts for name in _separable(text))
    for path, text, pairs in adjacent:
        here = _separable(text) if text in texts else ()
        pair = next((pair for pair in pairs if not any(uses[name] > (name in here) for name in pair)), None)
        if pair:
            text_ = f'Nothing separates "{{{pair[0]}}}" and "{{{pair[1]}}}", so it is unclear where one ends.'
            help_ = "Put a character between them that the first never contains, or use one in another property too."
            yield finding(*path, message=text_, help=help_)


def _separable(text: str) -> set[str]:
    """Return the placeholders of a text that no other one stands beside."""
    return {*placeholders_in(text)}.difference(*_ADJACENT.findall(text))


def _is_meant(name: str, other: str, paths: Mapping[str, list[KeyPath]]) -> bool:
    """Return whether another placeholder is the one that was meant; of two that stand once, it is the earlier one."""
    if name == other or not is_misspelled(name, other) or paths.get(name) == paths[other]:
        return False
    order = list(paths)
    return len(paths[other]) > 1 or name not in paths or order.index(other) < order.index(name)


def _placeholder_paths(texts: Iterable[tuple[KeyPath, str]]) -> Mapping[str, list[KeyPath]]:
    """Return where each placeholder stands, in the order in which they are written."""
    paths: dict[str, list[KeyPath]] = {}
    for path, text in texts:
        for name in placeholders_in(text):
            paths.setdefault(name, []).append(path)
    return paths


@lru_cache(maxsize=8)
def _own_texts(entity: Group | Resource) -> tuple[tuple[KeyPath, str], ...]:
    """Return the texts that an entity states itself, which several rules look at, one after the other."""
    return tuple(template_texts(entity.attributes))


def template_texts(attributes: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """Yield the texts of a message's properties that hold a brace, or what others write for one, with their paths.

    Those that are for people are not among them.
    """
    for part in PARTS:
        for path, text in nested_texts(attributes.get(part), (part,)):
            if len(path) > 1 and path[-1] not in _PROSE and ("{" in text or "/:" in text or "<" in text):
                yield path, text


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


@rule("entity", Severity.WARNING, "MSG-61", "MSG-62", attributes=PARTS)
def malformed_placeholder(registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """A text looks like a template, but is literal."""
    # In a property's text, or an endpoint's option, what is no level 1 placeholder but seems meant as one.
    texts = _own_texts(entity) if entity.type.singular in {"message", "endpoint"} else ()
    key = inside(entity.attributes, "protocoloptions", "key")
    attributes = registry.resolved(entity.xid).attributes if entity.type.singular == "message" else entity.attributes
    if isinstance(key, str) and key in _placeholder_paths(template_texts(attributes)):
        text_ = f'The key is the fixed text "{key}", not the placeholder of that name.'
        yield finding("protocoloptions", "key", message=text_, help=f'Write "{{{key}}}".')
    for path, value in texts:
        doubt = _doubt(value)
        if doubt and (doubt.fits_templates or not _is_template(entity.attributes, path)):
            yield finding(*path, message=doubt.message, help=doubt.help)


@dataclass(frozen=True, slots=True)
class _Doubt:
    """What to report of a text; in a property of type ``uritemplate`` only some of them, as the model finds others."""

    message: str
    help: str = _HELP
    fits_templates: bool = False


@lru_cache(maxsize=1024)
def _doubt(value: str) -> _Doubt | None:
    """Return what to report of the part of a text that someone may have meant as a placeholder."""
    signs = _WITH_SIGNS.search(value)
    if signs:
        placeholder = signs[1] or signs[2]
        rest = 'the "$"' if signs[1] else "the other pair of braces"
        text_ = f'In "{signs[0]}" the placeholder is "{placeholder}", and {rest} is literal text.'
        return _Doubt(text_, f'Write "{placeholder}".', fits_templates=bool(signs[1]))
    match = _of_braces(value) or _OF_ROUTES.search(value)
    if not match:
        return None
    return _Doubt(f'"{match[0]}" is not a placeholder, so it is literal text.', fits_templates=match[0].startswith(":"))


def _of_braces(value: str) -> re.Match[str] | None:
    """Return the part of a text with a brace that is none of a placeholder, if it looks like one."""
    if "{" not in PLACEHOLDER.sub("", value):
        return None
    others = (item for item in _IN_BRACES.finditer(value) if not PLACEHOLDER.fullmatch(item[0]))
    return _UNCLOSED.search(value) or next(others, None)


def _is_template(value: Any, path: KeyPath) -> bool:
    """Return whether a text is part of a property whose form the model checks."""
    for part in path:
        if isinstance(value, MAPPINGS) and value.get("type") == "uritemplate":
            return True
        value = value[part]
    return False
