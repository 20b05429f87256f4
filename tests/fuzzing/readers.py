"""Every reader of foreign bytes as one function: it answers, or raises an error of ours; laws hold of what it answers.

A reader that raises anything else, an assertion of a law included, has a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.fuzzing import catalogs, pages, payloads, rows, texts, wires

Read = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Reader:
    """One reader, what fuzzing begins with, and the words that its language is made of."""

    read: Read
    seeds: Callable[[], Iterator[bytes]]
    words: tuple[str, ...] = ()


def _reader(read: Read, seeds: Callable[[], Iterator[bytes]], words: str = "") -> Reader:
    return Reader(read, seeds, tuple(_WORDS[words]) if words else ())


_WORDS: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text(encoding="utf-8"))
READERS = {
    "document": _reader(catalogs.document, catalogs.document_seeds, "catalog"),
    "folder": _reader(catalogs.folder, catalogs.folder_seeds, "catalog"),
    "site": _reader(pages.site, catalogs.folder_seeds, "catalog"),
    **{name.lower(): _reader(payloads.reader(name), payloads.seeds(name), name.lower()) for name in payloads.LANGUAGES},
    "payload": _reader(payloads.payload, payloads.payload_seeds),
    "compare": _reader(payloads.compared, payloads.compared_seeds),
    "yaml": _reader(texts.yaml, texts.yaml_seeds, "yaml"),
    "json": _reader(texts.json, texts.json_seeds, "json"),
    "match": _reader(wires.match, wires.wire_seeds, "wire"),
    "event": _reader(wires.event, wires.event_seeds, "wire"),
    "route": _reader(wires.route, wires.route_seeds, "wire"),
    "rows": _reader(rows.rows, rows.row_seeds, "wire"),
    "template": _reader(wires.template, wires.template_seeds),
    "prose": _reader(texts.prose, texts.prose_seeds, "prose"),
    "owners": _reader(texts.owners, texts.owners_seeds, "owners"),
    "log": _reader(texts.log, texts.log_seeds, "log"),
}
