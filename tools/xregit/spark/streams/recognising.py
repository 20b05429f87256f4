"""Lines of messages to the definitions that they fit: plain events many at a time, all others one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from xregit.messages.batch_matcher import UNSURE, Answer
from xregit.spark.streams.plain import DATA, Plain, PlainReader, column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xregit.messages.decoder import IncomingMessage
    from xregit.messages.matcher import Matcher
    from xregit.messages.result import Match

#: A line with its event and the answer for it.
Recognised = tuple[bytes, Plain, Answer]
#: Lines, with the event of each, None where it holds no plain one, and the answers.
Part = tuple[Sequence[bytes], Sequence[Plain | None], Sequence[Answer]]

# Few enough that all of them stay in the processor's cache.
AT_ONCE = 64


class Recogniser:
    """Tells which definitions lines fit; it remembers answers, so only one thread may use it."""

    def __init__(self, matcher: Matcher) -> None:
        """Take the definitions that a matcher has."""
        self.matcher = matcher
        self._batch_matcher = matcher.batch_matcher()
        self._reader, self._whole_reader = PlainReader(msgspec.Raw), PlainReader(Any)
        self._learn(self._batch_matcher.keys)
        # A definition that looks at the data as if it were an attribute is for the matcher.
        self._tells = DATA not in self._batch_matcher.keys

    def read(self, lines: Sequence[bytes]) -> Iterator[Part]:
        """Yield the lines in parts. Of an event only the attributes have been looked at; its data may be no JSON."""
        for part in _parts(lines):
            events = self._reader.read(part) if self._tells else [None] * len(part)
            yield part, events, self._answers(events)

    def learn(self, message: IncomingMessage) -> None:
        """Read events like this one as plain from now on, if nothing but its attributes made it none."""
        if message.wire is None and message.event is not None:
            self._learn(message.event)

    def definitions(self, lines: Sequence[bytes]) -> list[str]:
        """Return the xid of the one definition that each line fits, an empty text where it fits none or several."""
        found: list[str] = []
        for part in _parts(lines):
            events = self._whole_reader.read(part) if self._tells else [None] * len(part)
            found += [
                xid if sure else _only(self.matcher.match(line))
                for line, (xid, _, sure) in zip(part, self._answers(events), strict=True)
            ]
        return found

    def _learn(self, attributes: Iterable[str]) -> None:
        listed = tuple(attributes)
        self._reader.learn(listed)
        self._whole_reader.learn(listed)

    def _answers(self, events: Sequence[Plain | None]) -> Sequence[Answer]:
        plain = list(filter(None, events))
        found = self._batch_matcher.match([column(plain, key) for key in self._batch_matcher.keys])
        if len(plain) == len(events):
            return found
        each = iter(found)
        return [UNSURE if event is None else next(each) for event in events]


def _parts(lines: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (lines[start : start + AT_ONCE] for start in range(0, len(lines), AT_ONCE))


def _only(match: Match) -> str:
    return match.matches[0].xid if len(match.matches) == 1 else ""
