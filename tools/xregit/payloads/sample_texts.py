"""Sample texts for examples, by name, format or regular expression; always the same ones."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from string import ascii_lowercase
from typing import Any
from warnings import catch_warnings

# Texts that can't be anybody's: numbers and addresses are those that are kept for examples. Few have signs with which
# addresses and topics are divided, as placeholders take these too.
_TEXTS = {
    "address": "1 Market Street", "aircraft": "A320", "airline": "LH", "airport": "MUC", "algorithm": "SHA256",
    "bagtag": "0220473124", "barcode": "4006381333931", "bic": "DEUTDEFF", "brand": "Contoso", "browser": "Firefox",
    "by": "anna.berger", "campaign": "spring", "carrier": "LH", "cashier": "anna.berger", "category": "standard",
    "channel": "web", "city": "Munich", "code": "A1042", "color": "blue", "colour": "blue",
    "comment": "Handle with care", "company": "Contoso", "contents": "Coffee", "costcenter": "4711",
    "costcentre": "4711", "country": "Germany", "countrycode": "DE", "currency": "EUR", "currencycode": "EUR",
    "customername": "Anna Berger", "date": "2026-01-31", "datetime": "2026-01-31T09:30:00Z", "day": "2026-01-31",
    "department": "Operations", "depot": "north", "description": "An example", "destination": "MUC",
    "detail": "Handle with care", "details": "Handle with care", "domain": "example.com", "driver": "anna.berger",
    "ean": "4006381333931", "email": "anna.berger@example.com", "employee": "anna.berger", "familyname": "Berger",
    "fault": "P0420", "faultcode": "P0420", "firmware": "2.4.1", "firstname": "Anna", "flight": "LH2080",
    "flightnumber": "LH2080", "floor": "3", "fullname": "Anna Berger", "gate": "B22", "givenname": "Anna",
    "gtin": "4006381333931", "host": "www.example.com", "iata": "MUC", "iban": "DE89370400440532013000",
    "icao": "EDDM", "ip": "192.0.2.1", "ipaddress": "192.0.2.1", "isbn": "9783161484100", "label": "north",
    "lang": "en", "language": "en", "lastname": "Berger", "licenceplate": "MAB1234", "licenseplate": "MAB1234",
    "link": "https://example.com/item", "locale": "en-GB", "mac": "00005e005301", "macaddress": "00005e005301",
    "manufacturer": "Contoso", "message": "Everything is fine", "mobile": "+442079460123", "model": "X200",
    "municipality": "Munich", "no": "1042", "note": "Handle with care", "notes": "Handle with care", "number": "1042",
    "numberplate": "MAB1234", "organisation": "Contoso", "organization": "Contoso", "origin": "BER",
    "passenger": "BERGER/ANNA", "passengername": "BERGER/ANNA", "phone": "+442079460123",
    "phonenumber": "+442079460123", "plate": "MAB1234", "platform": "7", "point": "north", "postalcode": "80331",
    "postcode": "80331", "product": "Coffee", "productname": "Coffee", "reason": "maintenance",
    "reference": "RF473124", "region": "south", "registration": "MAB1234", "remarks": "Handle with care",
    "seat": "12A", "serial": "SN104729", "serialnumber": "SN104729", "severity": "minor", "sku": "SKU1042",
    "station": "MUC", "status": "active", "store": "S42", "street": "1 Market Street", "supplier": "Contoso",
    "surname": "Berger", "tag": "A1042", "telephone": "+442079460123", "terminal": "T2", "text": "Everything is fine",
    "timestamp": "2026-01-31T09:30:00Z", "timezone": "Europe/Berlin", "title": "An example", "town": "Munich",
    "trackingnumber": "RR473124829", "unit": "kg", "uri": "https://example.com/item",
    "url": "https://example.com/item", "user": "anna.berger", "useragent": "Firefox", "username": "anna.berger",
    "vendor": "Contoso", "version": "2.4.1", "vin": "WDB9634031L123456", "warehouse": "W1", "zip": "80331",
    "zipcode": "80331", "zone": "north",
}  # fmt: skip
# All of them are the same in 32 bits.
_NUMBERS: dict[str, float] = {
    "accuracy": 5, "age": 35, "altitude": 519, "amount": 19.5, "balance": 19.5, "battery": 80, "bearing": 90,
    "capacity": 100, "charge": 80, "confidence": 80, "cost": 19.5, "count": 2, "course": 90, "current": 16,
    "degrees": 21.5, "delay": 5, "depth": 12.5, "dewpoint": 12.5, "direction": 90, "discount": 5, "distance": 12.5,
    "duration": 15, "elevation": 519, "fuel": 42, "gust": 42, "heading": 90, "health": 95, "height": 1.75,
    "humidity": 45, "lat": 48.375, "latitude": 48.375, "length": 4.5, "level": 80, "lng": 11.75, "lon": 11.75,
    "longitude": 11.75, "magnitude": 4.5, "mileage": 48210, "occurrences": 2, "odometer": 48210, "percent": 80,
    "percentage": 80, "power": 11, "pressure": 1013, "price": 19.5, "quantity": 2, "range": 320, "rpm": 1800,
    "rssi": -70, "soc": 80, "speed": 42, "temp": 21.5, "temperature": 21.5, "timestamp": 1769851800000, "total": 39,
    "ts": 1769851800000, "usage": 42, "visibility": 10, "voltage": 400, "volume": 2.5, "weight": 18.5, "width": 1.25,
    "year": 2026,
}  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# A shorter word may end another one by chance, as "city" does "capacity".
_LEAST_ENDING = 6
# What numbers are counted in, behind what they are.
_UNITS = frozenset({
    "a", "c", "celsius", "cm", "deg", "eur", "hours", "hpa", "kg", "km", "kmh", "kt", "kv", "kw", "kwh", "lph", "m",
    "min", "minutes", "mm", "mps", "ms", "mw", "pct", "s", "seconds", "v", "w",
})  # fmt: skip


@lru_cache(maxsize=4_096)
def named_text(name: str) -> str | None:
    """Return a text that something of a name may be, such as a city; of an id its name and a number, else nothing."""
    words = _words(name)
    found = _find(words, _TEXTS)
    if found is not None:
        return _TEXTS[found]
    whole = "".join(words)
    if whole == "id":
        return "A1042"
    if whole.endswith("id") and len(whole) > len("grid"):
        return f"{whole.removesuffix('id')}-1"
    return None


@lru_cache(maxsize=4_096)
def named_number(name: str) -> float | None:
    """Return a number that something of a name may be, such as a latitude, else nothing."""
    words = _words(name)
    if len(words) > 1 and words[-1] in _UNITS:
        words = words[:-1]
    found = _find(words, _NUMBERS)
    return None if found is None else _NUMBERS[found]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _find(words: list[str], known: dict[str, str] | dict[str, float]) -> str | None:
    """Return the longest known ending of a name's words, or of the last word."""
    for start in range(len(words)):
        if (ending := "".join(words[start:])) in known:
            return ending
    last = words[-1] if words else ""
    endings = (last[start:] for start in range(1, len(last) - _LEAST_ENDING + 1))
    return next((ending for ending in endings if ending in known), None)


# By the names of JSON Schema's "format" keyword; other languages use those that fit.
SAMPLE_TEXTS = {
    "date-time": "2026-01-31T09:30:00Z",
    "date": "2026-01-31",
    "time": "09:30:00Z",
    "duration": "PT15M",
    "uuid": "7f1c8d5e-2b0a-4c1e-9d55-0a6f3c2b1e90",
    "uri": "https://example.com/item",
    "iri": "https://example.com/item",
    "uri-reference": "https://example.com/item",
    "iri-reference": "https://example.com/item",
    "uri-template": "https://example.com/{item}",
    "email": "someone@example.com",
    "idn-email": "someone@example.com",
    "hostname": "www.example.com",
    "idn-hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "json-pointer": "/item",
    "relative-json-pointer": "0",
    "regex": "^a$",
    "byte": "Ynl0ZXM=",
    "local-time": "09:30:00",
    "decimal": "1.5",
}


# The parser behind ``re``: a tree of (operation, argument) pairs.
_parser: Any = import_module("re._parser")
_MAX_CHARACTERS = 10_000
_MAX_PATTERN_CHARS = 2_000
_TRIES = 70
# Tried in this order where a set allows several characters.
_CHARACTERS = "aA0b1Bc2-_. x@/:#z\t\n~é"
_LETTERS = ascii_lowercase
_DIGITS = "1234567890"
_CATEGORIES = {"CATEGORY_DIGIT": _DIGITS, "CATEGORY_WORD": _LETTERS, "CATEGORY_SPACE": " "}
_OPPOSITES = {"CATEGORY_NOT_DIGIT": _LETTERS, "CATEGORY_NOT_WORD": "-", "CATEGORY_NOT_SPACE": _LETTERS}
# Digits that are arranged as in a date or a time become one.
_DATES = tuple(
    (re.compile(rf"(?<![0-9]){form}(?![0-9])"), sample)
    for form, sample in (
        (r"[0-9]{4}-[0-9]{2}-[0-9]{2}", SAMPLE_TEXTS["date"]),
        (r"[0-9]{2}:[0-9]{2}:[0-9]{2}", SAMPLE_TEXTS["local-time"]),
        (r"[0-9]{2}:[0-9]{2}", SAMPLE_TEXTS["local-time"][:5]),
    )
)


def matching_text(pattern: str, minimum: int = 0, maximum: int | None = None, wish: str = "") -> str | None:
    """Return a text that a pattern matches as a whole, of a length within bounds; None where none was found.

    It is the ``wish`` where the pattern and the bounds allow that. Look-arounds are ignored: check the text against the
    pattern where that matters.
    """
    if len(pattern) > _MAX_PATTERN_CHARS:
        return None
    most = _MAX_CHARACTERS if maximum is None else maximum
    try:
        with catch_warnings(action="ignore"):  # a pattern may hold what Python's regular expressions frown at
            tree = _parser.parse(pattern)
        if wish and minimum <= len(wish) <= most:
            for more in range(len(wish)):
                with suppress(_LongError):
                    if _Writer(more, len(wish), wish=wish).text(tree) == wish:
                        return wish
        for more in range(_TRIES):
            text = _Writer(more, most).text(tree)
            if len(text) >= minimum:
                return _Writer(more, most, wish=_with_dates(text)).text(tree)
    except (re.error, OverflowError, RecursionError, _LongError):
        return None
    return None


def _with_dates(text: str) -> str:
    for form, sample in _DATES:
        text = form.sub(sample, text)
    return text


class _LongError(Exception):
    """The text grows too long to be an example."""


class _Writer:
    """Writes a text that a pattern matches, with the characters of a ``wish`` where it allows them.

    What may repeat does so ``more`` times above its minimum.
    """

    def __init__(self, more: int, most: int, wish: str = "") -> None:
        """Begin an empty text of ``most`` characters at most."""
        self._more, self._most, self._wish = more, most, wish
        self._characters: list[str] = []
        self._groups: dict[int, str] = {}

    def text(self, tree: Any) -> str:
        """Return the text of a pattern.

        Raises:
            _LongError: it has more than the most characters.
        """
        self._sequence(tree)
        return "".join(self._characters)

    def _sequence(self, tree: Any) -> None:
        for operation, argument in tree:
            self._part(str(operation), argument)

    def _part(self, operation: str, argument: Any) -> None:
        if operation in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            self._repeat(*argument)
        elif operation == "SUBPATTERN":
            start = len(self._characters)
            self._sequence(argument[3])
            self._groups[argument[0]] = "".join(self._characters[start:])
        elif operation == "BRANCH":
            self._sequence(argument[1][0])
        elif operation == "ATOMIC_GROUP":
            self._sequence(argument)
        elif operation == "GROUPREF":
            self._write(self._groups.get(argument, ""))
        elif operation in {"LITERAL", "ANY", "NOT_LITERAL", "IN"}:
            position = len(self._characters)
            self._write(_character(operation, argument, position, self._wish[position : position + 1]))

    def _repeat(self, least: int, most: int, tree: Any) -> None:
        for _ in range(min(int(most), int(least) + self._more)):
            start = len(self._characters)
            self._sequence(tree)
            if len(self._characters) == start:
                return

    def _write(self, text: str) -> None:
        self._characters += text
        if len(self._characters) > self._most:
            raise _LongError


def _character(operation: str, argument: Any, position: int, wish: str) -> str:
    """Return the wish, which may be empty, if it is allowed at a position, else a character that is."""
    if operation == "LITERAL":
        return chr(argument)
    items = argument
    if operation == "ANY":
        items = [("NEGATE", None), ("LITERAL", ord("\n"))]
    elif operation == "NOT_LITERAL":
        items = [("NEGATE", None), ("LITERAL", argument)]
    if wish and _allows(items, wish):
        return wish
    if str(items[0][0]) == "NEGATE":
        candidates = (_LETTERS[position % len(_LETTERS)], *_CHARACTERS)
        return next((item for item in candidates if _allows(items, item)), "")
    return _member(str(items[0][0]), items[0][1], position)


def _member(kind: str, argument: Any, position: int) -> str:
    """Return a character of one part of a set, the next in its order with each position."""
    if kind == "CATEGORY":
        characters = {**_CATEGORIES, **_OPPOSITES}.get(str(argument), "")
        return characters[position % len(characters)] if characters else ""
    if kind != "RANGE":
        return chr(argument)
    first, last = argument
    if not chr(first).isalnum() or not chr(last).isalnum():
        return _LETTERS[0] if first <= ord(_LETTERS[0]) <= last else chr(first)
    return chr(first + (position + (chr(first) == "0")) % (min(last, first + len(_LETTERS)) - first + 1))


def _allows(items: Any, character: str) -> bool:
    negated = str(items[0][0]) == "NEGATE"
    return negated != any(_fits(str(kind), argument, character) for kind, argument in items[negated:])


def _fits(kind: str, argument: Any, character: str) -> bool:
    if kind == "RANGE":
        return bool(argument[0] <= ord(character) <= argument[1])
    if kind == "LITERAL":
        return bool(argument == ord(character))
    classes = {
        "DIGIT": character.isdigit(),
        "WORD": character.isalnum() or character == "_",
        "SPACE": character.isspace(),
    }
    name = str(argument).removeprefix("CATEGORY_")
    return not classes[name.removeprefix("NOT_")] if name.startswith("NOT_") else classes[name]
