"""A message's page stays below 80 kB, whatever the message says; what is too much for it is in its Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.catalog.folders import folder, registry_of
from tests.sizes import sample, some
from xregit.catalog import read_folder
from xregit.pages import Page, pages
from xregit.pages.builder import build_site, write_pages
from xregit.pages.change_history import ChangeEntry, CommitEntry
from xregit.pages.context import SiteContext
from xregit.pages.links import Link
from xregit.pages.markdown import to_markdown
from xregit.pages.message_page import message_page
from xregit.pages.page_size import MAX_BYTES
from xregit.pages.site import finished

GROUP = "messagegroups/g/messages"
PROTOCOLS = ("HTTP", "KAFKA", "MQTT/5.0", "MQTT/3.1.1", "AMQP/1.0", "NATS")
MAX_PAGE_BYTES = 80_000
# How many of each thing a nasty message has, and of what its texts are made: signs that HTML escapes, at which lines
# may end, of several bytes, that nobody sees, and that Markdown and YAML mean something by.
COUNTS = (0, 1, 7, 60, 400)
WORDS = ("<b>&\"'", "a/b.c/d.", "\u8eca\u4e21", "\U0001f697 ", "\u200b", "*[x](y)* ", "{vin}", "plain words ", "x" * 90)
KINDS = ("endpoints", "fields", "values", "properties", "placeholders", "derived", "labels", "commits", "versions")
# Chromium and others end a tag that nobody ends; a page is to have none of those.
PAIRED = ("a", "code", "dd", "details", "dl", "li", "ol", "p", "pre", "small", "span", "table", "td", "tr", "ul", "var")


@dataclass
class Lives:
    """What Git would know of each message: so many commits, with so many words."""

    happenings: tuple[CommitEntry, ...]

    def of(self, *_: object) -> tuple[CommitEntry, ...]:
        """Return it."""
        return self.happenings


def test_many_tabs_and_fields_fit(tmp_path: Path) -> None:
    """Of twelve ways on the wire none is left out, nor many of 300 fields; the Markdown has what the page has not."""
    page = _page(tmp_path, {"endpoints": 6, "fields": 300, "properties": 3}, "Says what it means. ")
    assert page.html.count('name="xr-wire"') == 12
    assert page.html.count('<div class="xr-code') >= 12
    assert page.html.count("<code>field") > 80
    assert _bytes(page) <= MAX_BYTES < len(page.whole)
    assert _in_markdown(page) > page.html.count("<code>field")


def test_lines_to_copy_are_whole_or_absent(tmp_path: Path) -> None:
    """A line that makes or sends a message is never cut: it would do something else. Each way on the wire has one."""
    page = _page(tmp_path, {"endpoints": 6, "fields": 300, "properties": 3}, "Says what it means. ")
    lines = re.compile(r'<pre[^>]* aria-label="(?:Make|Send) it[^"]*"><code[^>]*>(.*?)</code>', re.DOTALL)
    whole, shown = (set(lines.findall(html)) for html in (page.whole, page.html))
    last = {each.rpartition("\n")[2] for each in whole}
    assert page.html.count('aria-label="Make it') == 12
    assert shown <= whole | last


@pytest.mark.parametrize(("fields", "asking"), [(1, False), (300, True)])
def test_line_that_makes_takes_a_large_payload_from_a_file(fields: int, asking: bool, tmp_path: Path) -> None:
    """A payload that has no place in a line is in a file of which the page says what it is; a small one is written."""
    page = _page(tmp_path, {"fields": fields}, "x")
    (line,) = re.findall(r'aria-label="Make it[^"]*"><code[^>]*>(.*?)</code>', page.html, re.DOTALL)
    assert line.endswith("--data payload.json")
    assert line.startswith(f"xregit new /{GROUP}/m " if asking else "printf %s ")
    assert ("<code>payload.json</code> is a file with the payload" in page.html) is asking


@pytest.mark.parametrize("kind", sample([*KINDS]))
def test_very_many_of_one_thing_fit(kind: str, tmp_path: Path) -> None:
    """However many there are of one thing, the rest of the page is there, and the page says where all of it is."""
    page = _page(tmp_path, {kind: 2_000}, "Some words & more. ")
    assert _bytes(page) <= MAX_BYTES
    assert all(f'id="{section}"' in page.html for section in ("wire", "properties", "payload", "source"))
    if page.whole:
        assert 'href="index.md"' in page.html
        assert len(to_markdown(page)) > len(page.html) // 3


@pytest.mark.parametrize("seed", range(some(16)))
def test_nasty_message_fits(seed: int, tmp_path: Path) -> None:
    """Whatever there is much of, with whatever texts, the page is small enough and each of its elements ends."""
    random = Random(seed)  # noqa: S311 - the same each time
    text = "".join(random.choices(WORDS, k=random.choice((1, 40, 900))))
    page = _page(tmp_path, {kind: random.choice(COUNTS) for kind in KINDS}, text)
    assert _bytes(page) <= MAX_BYTES
    assert {
        tag for tag in PAIRED if len(re.findall(rf"<{tag}[ >]", page.html)) != page.html.count(f"</{tag}>")
    } == set()
    assert bool(page.whole) == ('href="index.md"' in page.html)


def test_whole_is_beside_the_page(tmp_path: Path) -> None:
    """The built page is below 80 kB with the theme around it, and what it leads to is there, for other engines too."""
    counts = {**dict.fromkeys(KINDS, 0), "endpoints": 6, "fields": 300, "properties": 3}
    source = folder(tmp_path, dict(_files(counts, "Says what it means. ")))
    build_site(source, tmp_path / "site")
    write_pages(read_folder(source), tmp_path / "pages")
    built, other = (tmp_path / name / GROUP / "m" for name in ("site", "pages"))
    assert (built / "index.html").stat().st_size < MAX_PAGE_BYTES
    assert 'href="index.md"' in (built / "index.html").read_text()
    assert 'href="whole.txt"' in (other / "index.md").read_text()
    assert (built / "index.md").read_text() == (other / "whole.txt").read_text()


def test_small_page_is_not_shortened(small_pages: Mapping[str, Page]) -> None:
    """Where all of it fits, nothing is said of a whole."""
    assert not any(page.whole or 'href="index.md"' in page.html for page in small_pages.values())


def _bytes(page: Page) -> int:
    return len(page.html.encode())


def _in_markdown(page: Page) -> int:
    return to_markdown(page).count("`field")


def _page(root: Path, counts: Mapping[str, int], text: str) -> Page:
    registry = registry_of(root, dict(_files({**dict.fromkeys(KINDS, 0), **counts}, text)))
    book = SiteContext(registry)
    book.__dict__["lives"] = Lives(tuple(_happenings(counts.get("commits", 0), text)))
    return finished(message_page(book, next(each for each in registry.messages if each.id == "m")))


def _files(counts: Mapping[str, int], text: str) -> Iterable[tuple[str, str]]:
    for number in range(counts["endpoints"]):
        yield f"endpoints/e{number}/endpoint.yaml", _text(_endpoint(number, text))
    for number in range(counts["derived"]):
        yield f"{GROUP}/d{number}.yaml", _text({"basemessage": f"/{GROUP}/m", "description": text})
    yield f"{GROUP}/m.yaml", _text(_message(counts, text))
    yield "schemagroups/g/schemas/s/schema.yaml", "format: JsonSchema/draft-07\n"
    for number in range(1, counts["versions"] + 2):
        yield f"schemagroups/g/schemas/s/versions/{number}.json", json.dumps(_schema(counts, text))


def _endpoint(number: int, text: str) -> dict[str, Any]:
    protocol = PROTOCOLS[number % len(PROTOCOLS)]
    options = {"endpoints": [{"uri": f"https://broker-{number}.example.com:9092"}], "topic": "t", "extra": text[:5_000]}
    return {
        "name": f"Broker {number} {text}", "usage": ["producer", "consumer"], "protocol": protocol,
        "messagegroups": ["/messagegroups/g"], "protocoloptions": options,
    }  # fmt: skip


def _message(counts: Mapping[str, int], text: str) -> dict[str, Any]:
    names = [f"p{number}" for number in range(counts["placeholders"])]
    known = {f"x{number}": {"value": text, "description": text} for number in range(counts["properties"])}
    subject = "/".join(f"{{{name}}}" for name in names)
    return {
        "name": text, "description": text, "labels": {f"l{number}": text for number in range(counts["labels"])},
        "deprecated": {"alternative": text, "removal": "2027-01-01T00:00:00Z"},
        "envelope": "CloudEvents/1.0",
        "envelopemetadata": {
            "type": {"value": "m"}, "subject": {"value": f"s{subject}", "type": "uritemplate", "description": text},
            **known,
        },
        "datacontenttype": "application/json", "dataschemaformat": "JsonSchema/draft-07",
        "dataschemauri": "/schemagroups/g/schemas/s",
    }  # fmt: skip


def _schema(counts: Mapping[str, int], text: str) -> dict[str, Any]:
    field = {"type": "string", "description": text}
    named = {f"field{number}": field for number in range(counts["fields"])}
    values = [f"{text[:40]}{number}" for number in range(counts["values"])]
    inner = {"inner": {"type": "object", "properties": named}} if counts["values"] else {}
    listed = {"one": {"enum": values}} if values else {}
    return {"type": "object", "required": list(named)[:80], "properties": {**named, **inner, **listed}}


def _happenings(count: int, text: str) -> Iterable[CommitEntry]:
    said = ChangeEntry(text, Link("m", "x" * 100), "breaks consumers")
    return (
        CommitEntry(
            "a" * 40, Link("a" * 9, "https://git.example.com/a"), "2026-01-01T00:00:00Z", text, text, (said,) * 12
        )
        for _ in range(min(count, 20))
    )


def _text(value: object) -> str:
    return json.dumps(value)  # which is YAML too


def test_long_lists_and_documents_are_cut(tmp_path: Path) -> None:
    """The pages of a large group, of an endpoint that carries it, and of a long schema say where the rest is."""
    count, stated = 400, "dataschemaformat: JsonSchema/draft-07\ndataschemauri: /schemagroups/g/schemas/s\n"
    words = {f"property{number}": {"description": "What it is. " * 40} for number in range(100)}
    files = {f"messagegroups/g/messages/m{number}.yaml": stated for number in range(count)} | {
        "endpoints/e/endpoint.yaml": "messagegroups: [/messagegroups/g]\n",
        "schemagroups/g/schemas/s/schema.yaml": "format: JsonSchema/draft-07\n",
        "schemagroups/g/schemas/s/versions/1.json": json.dumps({"properties": words}),
    }
    by_address = {page.address: page for page in pages(registry_of(tmp_path, files))}
    for address, table in {
        "messagegroups/g/": "../../all-messages/?group=g",
        "endpoints/e/": "../../all-messages/?used=e",
        "schemagroups/g/schemas/s/": "index.md",
    }.items():
        page = by_address[address]
        assert f'<a href="{table}">' in page.html
        assert len(page.html.encode()) < MAX_PAGE_BYTES - 13_000
        assert all(f"/m{number}/" in page.whole for number in range(count))
    assert "What it is. " * 30 in to_markdown(by_address["schemagroups/g/schemas/s/"])


MANY = 900


@pytest.mark.parametrize(
    ("path", "text", "parts"),
    [
        ("messagegroups/n_/messagegroup.yaml", "description: What they are about.\n", "messagegroups"),
        ("endpoints/n_/endpoint.yaml", "channel: c\nmessagegroups: [/messagegroups/g]\n", "endpoints"),
        ("messagegroups/g/messages/n_.yaml", "deprecated: {removal: 2030-01-01T00:00:00Z}\n", ""),
        ("messagegroups/g/messages/n_.yaml", "labels: {n_: x}\n", ""),
    ],
)
def test_lists_of_very_many_fit(path: str, text: str, parts: str, tmp_path: Path) -> None:
    """A list of groups is in parts, to which it leads; of others the Markdown has the rest."""
    names = [f"n{number}" for number in range(MANY)]
    files = {path.replace("n_", name): text.replace("n_", name) for name in names}
    site = pages(registry_of(tmp_path, {"messagegroups/g/messages/m.yaml": "name: M\n", **files}))
    by_address = {page.address: page for page in site}
    assert max(len(page.html.encode()) for page in by_address.values()) < MAX_PAGE_BYTES - 13_000
    if parts:
        linked = re.findall(rf'href="\.\./(all-groups/{parts}/[0-9]+/)"', by_address[f"{parts}/"].html)
        rows = "".join(by_address[part].html for part in linked)
        assert all(f'/{parts}/{name}/"' in rows for name in names)


def test_endpoint_of_very_many_groups_and_addresses_fits(tmp_path: Path) -> None:
    """Its page names the first ones, as does the list of the map; the Markdown has all."""
    endpoint = {
        "messagegroups": [f"/messagegroups/g{number}" for number in range(MANY)],
        "protocoloptions": {"endpoints": [{"uri": f"https://host{number}.example.com"} for number in range(MANY)]},
    }
    files = {f"messagegroups/g{number}/messagegroup.yaml": "name: G\n" for number in range(MANY)}
    by_address = {
        page.address: page
        for page in pages(registry_of(tmp_path, {**files, "endpoints/e/endpoint.yaml": _text(endpoint)}))
    }
    assert max(len(page.html.encode()) for page in by_address.values()) < MAX_PAGE_BYTES - 13_000
    markdown = to_markdown(by_address["endpoints/e/"])
    assert all(f"/messagegroups/g{number}/" in markdown and f"host{number}." in markdown for number in range(MANY))
