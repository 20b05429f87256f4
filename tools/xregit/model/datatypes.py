"""The data types of the specifications and some narrower forms: which values belong to each, and what narrows them."""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from xregit.model.excerpts import either
from xregit.model.language import AttributeModel
from xregit.model.protocols import syntaxes
from xregit.xid import ID, MAX_ID_CHARS

UINT32_MAX = 2**32 - 1
UINT64_MAX = 2**64 - 1
INT32_MAX = 2**31 - 1

# Patterns use what Python and JavaScript share: ASCII classes, no look-around but (?!), no flags.
# "run(?:other run)*" instead of "(?:char|other)*": matching a run takes an eighth of the time of a choice at each
# character.
_PCT = "%[0-9A-Fa-f]{2}"
_URI_RUN = r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=]*"
_URI_CHARS = rf"{_URI_RUN}(?:{_PCT}{_URI_RUN})*"
_SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*:"
# Kafka's listeners stand where the scheme does and have names such as SASL_SSL.
_LISTENER = r"[A-Za-z][A-Za-z0-9+._\-]*:"
_URI = rf"{_URI_CHARS}(?:#{_URI_CHARS})?"
# RFC 6570, section 2.1: literals; 3.2.2: level 1 expressions, whose names the message specification calls symbols.
_LITERALS = r"[^\x00-\x20\"%<>\\^`{|}\x7f]*"
PLACEHOLDER = re.compile(r"\{[A-Za-z0-9_]+\}")
_PLACEHOLDER = PLACEHOLDER.pattern
_TEMPLATE = rf"{_LITERALS}(?:(?:{_PCT}|{_PLACEHOLDER}){_LITERALS})*"
_DAY = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_TIMESTAMP = (
    rf"{_DAY}"
    r"[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|[+\-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_DURATION = (
    r"P(?:[0-9]+W|(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
    r"(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?)"
)
_ID = ID.pattern
_XID = rf"/(?:[a-z_][a-z0-9_]*/{_ID}(?:/[a-z_][a-z0-9_]*/{_ID}(?:/meta|/versions/{_ID})?)?)?"
_XIDTYPE = r"/(?:[a-z_][a-z0-9_]*(?:/[a-z_][a-z0-9_]*(?:/versions|\[/versions\])?)?)?"
_TOKENCHARS = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_QUOTED = r"\"[^\"\x00-\x1f]*\""
# A star makes it a range of media types (RFC 9110, 12.5.1), which no message has; no type is registered with one.
_MEDIANAME = _TOKENCHARS.replace("*", "")
_MEDIATYPE = rf"{_MEDIANAME}/{_MEDIANAME}(?: *; *{_TOKENCHARS}=(?:{_TOKENCHARS}|{_QUOTED}))*"
_BASE64 = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_NAME = r"[^\s/]+"
_NO_CONTROL = r"[^\x00-\x1f\x7f-\x9f]"
_TYPENAME = "[a-z_][a-z0-9_]{0,56}"


@dataclass(frozen=True, slots=True)
class Datatype:
    """One data type: the test of a value, what to call it in messages, and its JSON Schema."""

    test: Callable[[Any], bool]
    about: str
    schema: Mapping[str, Any]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _matching(pattern: str) -> Callable[[Any], bool]:
    fullmatch: Callable[[str], object] | None = None

    def fits(value: Any) -> bool:
        nonlocal fullmatch
        if fullmatch is None:  # a run that checks few entities needs few of the patterns
            fullmatch = re.compile(pattern).fullmatch
        return isinstance(value, str) and fullmatch(value) is not None

    return fits


def _is_timestamp(value: Any) -> bool:
    if not _fits_timestamp(value):
        return False
    year, month, day = int(value[:4]), int(value[5:7]), int(value[8:10])
    # The Gregorian calendar repeats every 400 years, and Python has no year 0.
    return day <= calendar.monthrange(year % 400 + 2000, month)[1]


_fits_timestamp = _matching(_TIMESTAMP)


def _text(pattern: str, about: str) -> Datatype:
    return Datatype(_matching(pattern), about, {"type": "string", "pattern": f"^(?:{pattern})$"})


def _line(pattern: str, about: str) -> Datatype:
    """A text of any printable characters: `str.isprintable` is asked first, as it is faster than the pattern."""
    text = _text(pattern, about)

    def fits(value: Any) -> bool:
        return isinstance(value, str) and ((value != "" and value.isprintable()) or text.test(value))

    return replace(text, test=fits)


_STRING = Datatype(_is_text, "a text", {"type": "string"})
_INTEGER = Datatype(_is_integer, "a whole number", {"type": "integer"})
_NUMBER = Datatype(_is_number, "a number", {"type": "number"})
_BOOLEAN = Datatype(lambda value: isinstance(value, bool), "true or false", {"type": "boolean"})
_ANYTHING = Datatype(lambda _: True, "anything", {})
_URITEXT = _text(_URI, "a URI (spaces and other special characters written as %20 and the like)")
_ABSOLUTE = _text(rf"{_SCHEME}{_URI_CHARS}", "an absolute URI without fragment")
_RELATIVE = _text(rf"(?!{_SCHEME}){_URI}", "a relative URI")
_TEMPLATETEXT = _text(
    _TEMPLATE, "a URI template (placeholders are written {name}, of letters, digits and underscores; no spaces)"
)
_TIMESTAMPTEXT = Datatype(
    _is_timestamp,
    "a time such as 2026-05-22T10:30:00Z",
    {"type": "string", "pattern": f"^(?:{_TIMESTAMP})$"},
)

#: The scalar data types of the model language, core/spec.md#data-types, and ``any``.
DATATYPES: Mapping[str, Datatype] = {
    "any": _ANYTHING,
    "binary": _text(_BASE64, "bytes in base 64"),
    "boolean": _BOOLEAN,
    "decimal": _NUMBER,
    "integer": _INTEGER,
    "string": _STRING,
    "timestamp": _TIMESTAMPTEXT,
    "uinteger": Datatype(
        lambda value: _is_integer(value) and value >= 0, "a whole number from 0", {"type": "integer", "minimum": 0}
    ),
    "uri": _URITEXT,
    "uriabsolute": _ABSOLUTE,
    "urirelative": _RELATIVE,
    "uritemplate": _TEMPLATETEXT,
    "url": _URITEXT,
    "urlabsolute": _ABSOLUTE,
    "urlrelative": _RELATIVE,
    "xid": _text(_XID, "an xid such as /messagegroups/g1/messages/m1"),
    "xidtype": _text(_XIDTYPE, "a type such as /messagegroups/messages"),
}

#: The types whose values are text, so that a number without quotes was meant as the text it was written as.
TEXTS = frozenset(name for name, datatype in DATATYPES.items() if datatype.schema.get("type") == "string")
CONTAINERS = frozenset({"array", "map", "object"})


def _or_template(pattern: str, run: str) -> str:
    """Return a pattern that also takes text with placeholders, between which ``run`` stands."""
    return rf"{pattern}|{run}(?:{_PLACEHOLDER}{run})+"


def _or_as_text(datatype: Datatype, pattern: str) -> Datatype:
    """The type, or the text of such a value, as models that have only texts write it."""
    fits = _matching(pattern)
    schema = {"anyOf": [datatype.schema, {"type": "string", "pattern": f"^(?:{pattern})$"}]}
    return Datatype(lambda value: datatype.test(value) or fits(value), datatype.about, schema)


#: The types of message properties, message/spec.md#type; a text of most may hold placeholders.
PROPERTY_TYPES: Mapping[str, Datatype] = {
    "any": _ANYTHING,
    "binary": _text(_or_template(_BASE64, "[A-Za-z0-9+/=]*"), "bytes in base 64"),
    "boolean": _or_as_text(_BOOLEAN, "true|false"),
    "duration": _text(_DURATION, "a duration such as PT5M"),
    "integer": _or_as_text(_INTEGER, "-?(?:0|[1-9][0-9]*)"),
    "number": _or_as_text(_NUMBER, r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?"),
    "string": _STRING,
    "symbol": _text(rf"(?:[A-Za-z0-9_]|{_PLACEHOLDER})*", "letters, digits and underscores"),
    "timestamp": _TIMESTAMPTEXT,
    "uri": _text(_or_template(_URI, rf"{_LITERALS}(?:{_PCT}{_LITERALS})*"), "a URI"),
    "uritemplate": _TEMPLATETEXT,
    "ulong": _or_as_text(DATATYPES["uinteger"], "0|[1-9][0-9]*"),
    "uuid": _text(_or_template(_UUID, r"[0-9A-Fa-f\-]*"), "a UUID"),
}


def _between(low: int, high: int) -> Datatype:
    def test(value: Any) -> bool:
        return _is_integer(value) and low <= value <= high

    schema = {"type": "integer", "minimum": low, "maximum": high}
    return Datatype(test, f"a whole number from {low} to {high}", schema)


def is_nonempty_text(value: Any) -> bool:
    """Return whether a value is a text that is not empty."""
    return isinstance(value, str) and value != ""


#: The narrower forms that model files name, those of the protocols' files included; `matches_syntax` tests text with
#: placeholders.
SYNTAXES: Mapping[str, Datatype] = {
    "absolute": _text(rf"{_SCHEME}[^\s]+", "an absolute address, with its scheme"),
    "address": _text(rf"(?:{_LISTENER}|[^\s]*{_PLACEHOLDER})[^\s]*", "an absolute address, with its scheme"),
    "base64": DATATYPES["binary"],
    "date": Datatype(
        lambda value: isinstance(value, str) and _is_timestamp(f"{value}T00:00:00Z"),
        "a day such as 2026-12-31",
        {"type": "string", "pattern": f"^(?:{_DAY})$"},
    ),
    "characters": _line(f"{_NO_CONTROL}*", "a text without control characters"),
    "cloudevents": _text("(?!data$)[a-z0-9]+", 'lower-case letters and digits only, other than "data"'),
    "id": _text(_ID, f"an id: letters, digits and - . _ ~ : @, at most {MAX_ID_CHARS}, not beginning with a sign"),
    "imported": _text(f"/{_TYPENAME}/{_TYPENAME}", "a resource type such as /messagegroups/messages"),
    "int32": _between(-INT32_MAX - 1, INT32_MAX),
    "line": _line(f"{_NO_CONTROL}+", "a text without control characters, and not empty"),
    "mediatype": _text(_MEDIATYPE, "a media type such as application/json"),
    "name": _text("[a-z_][a-z0-9_]{0,62}", "at most 63 lower-case letters, digits and underscores"),
    "extendedname": _text(r"[a-z0-9][a-z0-9_.:\-]{0,62}", "at most 63 lower-case letters, digits and - . _ :"),
    "nameversion": _text(rf"{_NAME}/{_NAME}(?:/{_NAME})*", "a name and a version with a slash between them"),
    "nonempty": Datatype(lambda value: bool(value) or not isinstance(value, (str, list, dict)), "not empty", {}),
    "octet": _between(0, 255),
    "oneline": _line(r"[^\r\n\x00]*", "a text of one line"),
    "plural": _text(_TYPENAME, "at most 57 lower-case letters, digits and underscores"),
    "protocolname": _text(rf"{_NAME}(?:/{_NAME})*", "a name, or a name and a version with a slash between them"),
    "pattern": _line(r"[^\x00-\x1f]+", "a path or xid, in which * stands for any part of a name"),
    "rulename": _text("[a-z0-9]+(?:-[a-z0-9]+)*", "the name of a rule, such as unknown-attribute"),
    "target": _text(
        rf"/{_TYPENAME}(?:/{_TYPENAME}(?:/versions|\[/versions\])?)?", "a type such as /messagegroups/messages"
    ),
    "token": _text(_TOKENCHARS, "letters, digits and some signs, without spaces"),
    "uint32": _between(0, UINT32_MAX),
    "uint64": _between(0, UINT64_MAX),
    "versionid": _text(f"(?!(?:null|request)$){_ID}", "a version id: an id other than null and request"),
    "web": _text(r"[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#][^\s]*", "an address that begins with https:// or http://"),
    "any": _line(r"[^\x00]+", "not empty"),
    **{name: _text(syntax["pattern"], syntax["about"]) for name, syntax in syntaxes().items()},
}


def has_placeholders(value: Any) -> bool:
    """Return whether the value is text with at least one placeholder."""
    return isinstance(value, str) and "{" in value and PLACEHOLDER.search(value) is not None


def matches_syntax(syntax: str, value: Any) -> bool:
    """Return whether the value has the narrower form; one with placeholders has it once they are filled."""
    test = SYNTAXES[syntax].test
    if test(value):
        return True
    if has_placeholders(value):
        filled = _FILLED_LATER.get(syntax)
        return filled(value) if filled else test(PLACEHOLDER.sub("x", value))
    return test(_counterpart(value))


def _counterpart(value: Any) -> Any:
    """Return the number that a text stands for, or the text of a number: property values may be written as either."""
    if isinstance(value, str):
        return int(value) if _whole_number(value) else value
    return str(value) if _is_integer(value) else value


_whole_number = re.compile("-?[0-9]{1,20}").fullmatch

#: Forms that text with placeholders may take once filled, though not with "x" for each placeholder; each with the test
#: that such text must pass already.
_FILLED_LATER: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("mediatype", "nameversion"), _is_text),
    **{name: _is_text for name, syntax in syntaxes().items() if syntax.get("later")},
    "base64": PROPERTY_TYPES["binary"].test,
}


def is_valid(attribute: AttributeModel, value: Any) -> bool:
    """Return whether a single value is of its attribute's type, and fulfils whatever else the attribute demands."""
    if not DATATYPES[attribute.type].test(value):
        return False
    if attribute.enum and attribute.strict and not _is_listed(value, attribute.enum):
        return False
    if attribute.syntax and not SYNTAXES[attribute.syntax].test(value):
        return False
    return not (attribute.targets or attribute.target) or _has_target(attribute, value)


def _is_listed(value: Any, choices: tuple[Any, ...]) -> bool:
    # true is not 1
    return value in choices if isinstance(value, str) else repr(value) in map(repr, choices)


def _has_target(attribute: AttributeModel, value: str) -> bool:
    """Return whether a reference is to an entity of a right type; a URI may be absolute or a JSON pointer instead."""
    if attribute.type == "xid" or value.startswith("/"):
        return DATATYPES["xid"].test(value) and xid_type(value) in target_types(attribute)
    return value.startswith("#/") or SYNTAXES["absolute"].test(value)


@lru_cache(maxsize=256)
def target_types(attribute: AttributeModel) -> frozenset[str]:
    """Return the types that a reference may lead to, with "/versions" for those of versions."""
    types: set[str] = set()
    for target in attribute.targets or (attribute.target,):
        resource = target.removesuffix("[/versions]")
        types |= {resource, f"{resource}/versions"} if resource != target else {resource}
    return frozenset(types)


def xid_type(xid: str) -> str:
    """Return the type of entity that a well-formed xid names, such as ``/messagegroups/messages``."""
    parts = xid.split("/")
    return "/" + "/".join(part for part in parts[1::2] if part)


def expected_property(attribute: AttributeModel, type_: str, value: Any) -> str:
    """Return what the value should have been for a property of that type, or an empty text if it fits."""
    datatype = _property_datatype(attribute, type_)
    if not datatype.test(value):
        return datatype.about
    if attribute.enum and str(value) not in map(str, attribute.enum) and not has_placeholders(value):
        return either(attribute.enum)
    syntax = property_syntax(attribute, type_)
    if syntax and not matches_syntax(syntax, value):
        return SYNTAXES[syntax].about
    return ""


def property_syntax(attribute: AttributeModel, type_: str) -> str:
    """Return the narrower form of a property's value if the property is of that type; an empty text for none."""
    return attribute.forms.get(type_) or attribute.syntax


def syntax_or_type(attribute: AttributeModel, type_: str) -> str:
    """Return the name of what says most about a property's value: its narrower form, else the type of the property."""
    syntax = property_syntax(attribute, type_)
    return type_ if syntax in {"", "nonempty"} else syntax


def _property_datatype(attribute: AttributeModel, type_: str) -> Datatype:
    # message/spec.md types some media types as symbols, whose characters they don't keep to: their form decides.
    return PROPERTY_TYPES["string" if type_ == attribute.property == "symbol" and attribute.syntax else type_]
