"""The page that recognises messages: it says of every message of the shared table what `xregit match` says."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import xregit
from tests.browser.visits import new_page
from tests.messages.catalogs import registry_of
from tests.messages.recognise_cases import answers, example, hand_made, odd, recorded, small, text_of
from xregit.pages import ASSETS, pages
from xregit.pages.context import SiteContext
from xregit.pages.links import RECOGNISE
from xregit.pages.recognise_page import DEFINITIONS, payload_fields, script
from xregit.protocols.printed import printed_forms

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

# What is compared, in the shape of tests.messages.recognising.answers.
ANSWERS = """(texts) => {
  const { prepare, recognise } = globalThis.xregitRecognise;
  const catalog = prepare(globalThis.xregitDefinitions);
  const failed = (reason) => reason.failed.map((each) => [each.attribute, each.expected]);
  const answer = ({ hits, mapped, reasons, problems }) => ({
    outcome: ["none", "one", "many"][Math.min(hits.length, 2)],
    matches: Object.fromEntries(hits.map((hit) => [hit.definition.xid, Object.fromEntries(hit.context)])),
    mapped: mapped !== null,
    reasons: [...(problems.length ? [["", []]] : []), ...reasons.map((each) => [each.definition.xid, failed(each)])],
  });
  return texts.map((text) => recognise(catalog, text).map(answer));
}"""


# The events that definitions make of messages, as the page shows them.
EVENTS = """(texts) => {
  const { prepare, recognise } = globalThis.xregitRecognise;
  const catalog = prepare(globalThis.xregitDefinitions);
  const number = (value) => (typeof value === "bigint" ? Number(value) : value);
  return texts.flatMap((text) => recognise(catalog, text)).filter(({ mapped }) => mapped)
    .map(({ mapped }) => Object.fromEntries([...mapped].map(([name, value]) => [name, number(value)])));
}"""


# Which definitions the page shows as fitting, and which it leaves to `xregit match`.
LEFT = """(texts) => {
  const { prepare, recognise } = globalThis.xregitRecognise;
  const catalog = prepare(globalThis.xregitDefinitions);
  const ids = (definitions) => definitions.map(({ xid }) => xid.split("/").at(-1));
  return texts.flatMap((text) => recognise(catalog, text))
    .map(({ hits, untested }) => [ids(hits.map((hit) => hit.definition)), ids(untested)]);
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    """Open a page that has no network."""
    return new_page(browser, offline=True)


def _answers(page: Page, registry: xregit.Registry, texts: list[str], asked: str = ANSWERS) -> Any:
    page.goto("about:blank")
    page.add_script_tag(content=script(SiteContext(registry)))
    for name in ASSETS:
        if name.endswith(("wire.js", "recognise.js")):
            page.add_script_tag(content=(files("xregit.pages") / name).read_text(encoding="utf-8"))
    return page.evaluate(asked, texts)


def test_messages_of_the_example_catalog(page: Page) -> None:
    """The page agrees on the catalog's own messages, and on those that differ from them."""
    cases = recorded()
    result = _answers(page, example(), [case["text"] for case in cases])
    wrong = [case["name"] for case, results in zip(cases, result, strict=True) if results != case["results"]]
    assert wrong == []


def test_messages_written_by_hand(page: Page, tmp_path: Path) -> None:
    """The page agrees on what was thought out to be difficult."""
    registry = small(tmp_path)
    matcher = xregit.Matcher(registry)
    cases = hand_made()["cases"]
    result = _answers(page, registry, [text_of(case) for case in cases])
    expected = [json.loads(json.dumps(answers(matcher, text_of(case)))) for case in cases]
    wrong = [case["name"] for case, one, other in zip(cases, result, expected, strict=True) if one != other]
    assert wrong == []


def test_messages_with_odd_values(page: Page, tmp_path: Path) -> None:
    """The page agrees on messages with values that no protocol, attribute or type expects."""
    registry = small(tmp_path)
    matcher, texts = xregit.Matcher(registry), list(odd())
    assert len(texts) > 2_000
    expected = [json.loads(json.dumps(answers(matcher, text))) for text in texts]
    result = _answers(page, registry, texts)
    assert [text for text, one, other in zip(texts, result, expected, strict=True) if one != other] == []


def test_events_that_definitions_make(page: Page, tmp_path: Path) -> None:
    """The page shows the attributes of the event that a definition makes of a message; their ids are made anew."""
    registry = small(tmp_path)
    matcher = xregit.Matcher(registry)
    texts = [text_of(case) for case in hand_made()["cases"] if case.get("mapped")]
    events = [each.as_json()["event"] for text in texts for each in matcher.each(text, payloads=False)]
    expected = [{name: value for name, value in event.items() if name not in {"id", "data"}} for event in events]
    result = _answers(page, registry, texts, EVENTS)
    assert [each.pop("id") for each in result] == ["made of the message"] * len(texts)
    assert result == expected


def test_payloads_are_left_to_match(page: Page, tmp_path: Path) -> None:
    """Where only a payload's schema decides, the page names the definitions that it can't decide between."""
    cases = hand_made("payloads")["cases"]
    result = _answers(page, small(tmp_path, "payloads"), [text_of(case) for case in cases], LEFT)
    assert result == [[case["fits"], case["may"]] for case in cases]


def test_events_over_a_protocol_without_definitions(page: Page, tmp_path: Path) -> None:
    """The page agrees on what an event comes near to that came over a protocol which no definition is bound to."""
    registry = small(tmp_path, "payloads")
    headers = {"content-type": "application/cloudevents+json"}
    body = {"specversion": "1.0", "type": "noted", "source": "/s"}
    text = json.dumps({"protocol": "KAFKA", "headers": headers, "body": body})
    expected = json.loads(json.dumps(answers(xregit.Matcher(registry), text)))
    assert len(expected[0]["reasons"]) == 3
    assert _answers(page, registry, [text]) == [expected]


# What the page answers to what people have: the definitions that fit, by their ids.
HITS = """(texts) => {
  const { prepare, answers } = globalThis.xregitRecognise;
  const catalog = prepare(globalThis.xregitDefinitions);
  const shown = ({ hits }) => hits.map((hit) => [hit.definition.xid, Object.fromEntries(hit.context)]);
  return texts.map((text) => answers(catalog, text).map(shown));
}"""


def test_messages_as_people_have_them(page: Page) -> None:
    """The page reads what clients print, lists and bare names as `xregit match` does."""
    matcher = xregit.Matcher(example())
    topic = "airports/NGA/belts/B1/scanners/S1/reads"
    subscribed = {"tst": "2026-11-23T16:00:00Z", "topic": topic, "qos": 1, "retain": 0, "payloadlen": 2, "payload": {}}
    consumed = {"topic": "t", "partition": 0, "offset": 7, "ts": 1, "key": "k", "headers": ["a", "b"], "payload": "{}"}
    properties = {"content-type": "a/b", "user-properties": [{"a": "b"}], "correlation-data": "x"}
    prints = (subscribed, consumed, {**subscribed, "properties": properties}, {**consumed, "headers": ["a", None, "b"]})
    results = [[matcher.match(form, payloads=False) for form in printed_forms(value)] for value in prints]
    found = [next((each for each in forms if each.matches), None) for forms in results]
    names = (topic, "luggage.bag.loaded", "luggage.scanner.read", "no.such.name")
    expected = [*found, *(matcher.guess(name) for name in names)]
    texts = [*map(json.dumps, prints), *names]
    result = _answers(page, example(), texts, HITS)
    assert [[dict(each) for each in answers] for answers in result] == [
        [{item.xid: dict(item.context) for item in each.matches} if each else {}] for each in expected
    ]
    assert len(_answers(page, example(), [json.dumps([subscribed, subscribed])], HITS)[0]) == 2


def _open(page: Page, registry: xregit.Registry, folder: Path) -> None:
    """Open the page of a registry as a file."""
    result = next(each for each in pages(registry) if each.address == RECOGNISE)
    (folder / "recognise").mkdir()
    html = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{result.title}</title><body>{result.html}'
    (folder / "recognise" / "index.html").write_text(html, encoding="utf-8")
    (folder / "recognise" / DEFINITIONS).write_text(script(SiteContext(registry)), encoding="utf-8")
    for name in ASSETS:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes((files("xregit.pages") / name).read_bytes())
    page.goto((folder / "recognise" / "index.html").as_uri())


def test_page_works_from_a_disk(page: Page, tmp_path: Path) -> None:
    """Opened as a file, without network, it tells what a pasted message fits, and why another fits nothing."""
    _open(page, small(tmp_path), tmp_path)
    event = {"specversion": "1.0", "id": "1", "type": "opened", "source": "/doors/d1", "subject": "d1"}
    page.get_by_label("Message").fill("\ufeff" + json.dumps(event, indent=2))
    page.get_by_text("It fits one definition.").first.wait_for()
    link = page.locator("#xr-recognise-details a").first
    assert link.get_attribute("href") == "../messagegroups/g/messages/opened/"
    assert page.get_by_role("table", name="Placeholders").inner_text().split()[-2:] == ["door", "d1"]
    page.get_by_label("Message").fill(json.dumps(event) + "\n" + json.dumps({**event, "subject": "<b>"}))
    page.get_by_text("1 of 2 messages fit a definition.").wait_for(state="attached")
    assert "<b>" in page.locator("#xr-recognise-details").inner_text()
    page.get_by_role("button", name="another source").click()
    assert page.get_by_role("status").text_content() == "It fits one definition."
    for text, said in (
        ('{"specversion": }', "The message is not JSON: "),
        (json.dumps({"protocol": "FTP"}), "No definition here is bound to the protocol FTP"),
        (json.dumps({"protocol": "NATS", "subject": "qqqq"}), "no definition has its type"),
        (json.dumps({"specversion": "1.0", "id": "1", "type": "opned", "source": "/x"}), "Similar names: opened of"),
        ("opned", "Similar names: opened of"),
        ("opened", "Fits"),
        ('{"a": 1}', '"xregit match" says whose schema accepts it'),
    ):
        page.get_by_label("Message").fill(text)
        page.locator("#xr-recognise-details").get_by_text(said).wait_for()


def _schema(required: list[str], *others: str) -> dict[str, Any]:
    fields: dict[str, Any] = {name: {} for name in (*required, *others)}
    schema = {"type": "object", "required": required, "properties": fields}
    return {"dataschemaformat": "JsonSchema/draft-07", "dataschema": schema}


RECORD = {"type": "record", "name": "r", "fields": [{"name": name, "type": "int"} for name in ("bell", "code")]}
PROTO = 'syntax="proto3"; message M { string door_name = 1; }'
EVENT = {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "rung"}}}
PAYLOADS: dict[str, dict[str, Any]] = {
    "rung": {**EVENT, **_schema(["bell", "at"], "who")},
    "visit": {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "visit"}}, **_schema(["who"])},
    "avro": {"dataschemaformat": "Avro/1.11", "dataschema": RECORD},
    "proto": {"dataschemaformat": "Protobuf/3", "dataschema": PROTO},
    **{f"same{number}": _schema(["same"], "bell") for number in range(7)},
}


GUESSES = """(texts) => {
  const { prepare, answers } = globalThis.xregitRecognise;
  const catalog = prepare(globalThis.xregitDefinitions);
  const ids = ({ guesses }) => guesses.map(({ definition }) => definition.xid.split("/").at(-1));
  return texts.flatMap((text) => answers(catalog, text).map(ids));
}"""


def test_bare_payloads(page: Page, tmp_path: Path) -> None:
    """The page guesses by the names of fields whose payload a value may be, best first, at most five."""
    cases = {
        '{"bell": 1, "at": 2, "who": 3}': ["rung", "visit", "avro"],
        '{"bell": 1, "code": 2}': ["avro"],
        '{"who": 1, "at": 1}': ["visit"],
        '{"doorName": ""}': ["proto"],
        '{"door_name": ""}': ["proto"],
        '{"same": 1, "bell": 1}': [f"same{number}" for number in range(5)],
        '{"constructor": 1}': [],
        '[{"bell": 1}]': [],
    }
    result = _answers(page, registry_of(tmp_path, PAYLOADS), list(cases), GUESSES)
    assert dict(zip(cases, result, strict=True)) == cases


def test_payloads_without_required_fields(page: Page, tmp_path: Path) -> None:
    """The page says what a message's payload lacks, under the definition, and what a bare payload may be."""
    registry = registry_of(tmp_path, PAYLOADS)
    _open(page, registry, tmp_path)
    event = {"specversion": "1.0", "id": "1", "type": "rung", "source": "/x"}
    details = page.locator("#xr-recognise-details")
    for value, words in (
        ({**event, "data": {"bell": 1}}, "Its payload lacks required fields: at."),
        ({"bell": 1, "at": 2}, "rung: 2 of 2 fields known"),
        ({"bell": 1, "code": 2}, "Values are not validated here; xregit match does that."),
    ):
        page.get_by_label("Message").fill(json.dumps(value))
        details.get_by_text(words).wait_for()
    page.get_by_label("Message").fill(json.dumps({**event, "data": {"bell": 1, "at": None}}))
    details.get_by_text("Its payload lacks").wait_for(state="detached")
    shared = [item for item in payload_fields(SiteContext(registry), registry.messages) if len(item[2]) == 7]
    assert [item[:2] for item in shared] == [(("same",), ("bell",))]
