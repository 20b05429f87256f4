"""Lists of what entities have in common stay short: what is long has pages of its own, and nothing is left out."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tests.catalog.folders import registry_of
from tests.source.repositories import new_repository
from xregit.catalog import read_folder
from xregit.pages import Page, pages
from xregit.pages.index_pages import MAX_ROWS, MAX_SECTION
from xregit.pages.overview_pages import MAX_COMMITS, MAX_DEPRECATIONS

FEW, MANY = 8, MAX_SECTION + 1


def files(count: int) -> dict[str, str]:
    """Return messages that share a placeholder and a label, and have a label with values of their own."""
    text = """
        labels: {{line: l1, serial: s{0:03}}}
        envelope: CloudEvents/1.0
        envelopemetadata: {{subject: {{type: uritemplate, value: "x/{{vin}}"}}}}
        """
    return {f"messagegroups/g/messages/m{number:03}.yaml": text.format(number) for number in range(count)}


def list_pages(tmp_path: Path, count: int) -> dict[str, Page]:
    """Return the lists by address."""
    by_address = {page.address: page for page in pages(registry_of(tmp_path, files(count)))}
    return {address: page for address, page in by_address.items() if address.startswith("all-labels/")}


def rows(page: Page) -> list[list[str]]:
    """Return the texts in each row of a page's table."""
    results = [re.findall("<td.*?</td>", row, re.DOTALL) for row in page.html.split("<tbody>")[1].split("</tr>")[:-1]]
    return [[re.sub("<.*?>", "", cell) for cell in row] for row in results]


def test_short_lists_stand_on_one_page(tmp_path: Path) -> None:
    """Where few have something, the page that lists it names them all."""
    result = list_pages(tmp_path, FEW)
    assert set(result) == {"all-labels/"}
    labels = result["all-labels/"]
    assert [each.title for each in labels.headings] == ["line: l1", *(f"serial: s{at:03}" for at in range(FEW))]
    assert labels.html.count("<li>") == 2 * FEW


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("all-labels/line-l1/", [[f"m{at:03}", "g"] for at in range(MANY)]),
        ("all-labels/serial/", [[f"serial: s{at:03}", f"m{at:03}"] for at in range(MANY)]),
    ],
)
def test_long_lists_have_pages_of_their_own(tmp_path: Path, address: str, expected: list[list[str]]) -> None:
    """What more than forty have, and a label with many values, is a page that the list leads to."""
    result = list_pages(tmp_path, MANY)
    assert rows(result[address]) == expected
    assert result[address].parent in result
    assert not result[address].listed
    above = result[result[address].parent]
    said = f"{MANY} values" if "serial" in address else f"{MANY} entries"
    assert f'<a href="../{address}">{said}</a>' in above.html
    assert len(above.html) < 1000


def test_long_values_of_long_labels_have_pages_too(tmp_path: Path) -> None:
    """Below a label with many values stand those that many have."""
    alike = "labels: {serial: same}\n"
    more = {f"messagegroups/h/messages/n{number:03}.yaml": alike for number in range(MANY)}
    by_address = {page.address: page for page in pages(registry_of(tmp_path, {**files(MANY), **more}))}
    assert ["serial: same", f"{MANY} entries"] in rows(by_address["all-labels/serial/"])
    same = by_address["all-labels/serial/serial-same/"]
    assert same.parent == "all-labels/serial/"
    assert [row[0] for row in rows(same)] == [f"n{number:03}" for number in range(MANY)]


def test_labels_of_the_registry_are_listed(tmp_path: Path) -> None:
    """What has a label may be the registry itself, which the start page tells about."""
    by_address = {
        page.address: page for page in pages(registry_of(tmp_path, {"registry.yaml": "labels: {team: us}\n"}))
    }
    assert '<a href="../"><code>' in by_address["all-labels/"].html
    assert "<small>registry</small>" in by_address["all-labels/"].html


def test_no_two_labels_look_alike(tmp_path: Path) -> None:
    """A name or value that holds the sign between the two is in quotes; an empty value is left out."""
    labels = 'labels: {"a": "b: c", "a: b": "c", "d": "", "e": "f:g"}\n'
    (page,) = (
        page
        for page in pages(registry_of(tmp_path, {"messagegroups/g/messages/m.yaml": labels}))
        if page.address == "all-labels/"
    )
    assert [unescape(each.title) for each in page.headings] == ['"a: b": c', 'a: "b: c"', "d", "e: f:g"]


def test_place_is_said_once(tmp_path: Path) -> None:
    """An event and the message that carries it may both have a subject with the placeholder."""
    text = """
        envelope: CloudEvents/1.0
        envelopemetadata: {subject: {type: uritemplate, value: "{vin}"}}
        protocol: AMQP/1.0
        protocoloptions: {properties: {subject: {type: uritemplate, value: "{vin}"}}}
        """
    files = {f"messagegroups/g/messages/{name}.yaml": text for name in ("m", "n")}
    by_address = {page.address: page for page in pages(registry_of(tmp_path, files))}
    assert by_address["all-fields/vin/"].html.count(">subject</td>") == 2


def test_very_long_tables_are_parted(tmp_path: Path) -> None:
    """A label with very many values has a page for so many of them, and one that leads to these."""
    result = list_pages(tmp_path, MAX_ROWS + 2)
    above, *parts = (result[f"all-labels/serial/{at}"] for at in ("", "part-1/", "part-2/"))
    assert rows(above) == [
        ["serial: s000 to serial: s199", "200 entries"], ["serial: s200 to serial: s201", "2 entries"],
    ]  # fmt: skip
    assert [len(rows(part)) for part in parts] == [MAX_ROWS, 2]
    assert rows(parts[1]) == [["serial: s200", "m200"], ["serial: s201", "m201"]]
    assert {part.parent for part in parts} == {above.address}
    assert "serial: s201" in parts[1].names


@pytest.mark.parametrize("count", [MAX_DEPRECATIONS, MAX_DEPRECATIONS + 1])
def test_start_says_what_replaces_what_goes_first(tmp_path: Path, count: int) -> None:
    """The start page names what is deprecated, each with what takes its place, and leads to all of very many."""
    text = "deprecated: {{removal: 2099-01-{:02}T00:00:00Z, alternative: /messagegroups/g/messages/new}}\n"
    old = {f"messagegroups/g/messages/old{at:02}.yaml": text.format(31 - at) for at in range(count)}
    by_address = {
        page.address: page for page in pages(registry_of(tmp_path, {"messagegroups/g/messages/new.yaml": "", **old}))
    }
    section = by_address[""].html.split('<h2 id="deprecated">')[1].split("<h2")[0]
    shown = [f"old{at:02}" for at in reversed(range(count))][:MAX_DEPRECATIONS]
    assert re.findall(r">(old\d+)</a>", section) == shown
    assert section.count('Use <a href="./messagegroups/g/messages/new/"') == MAX_DEPRECATIONS
    assert f'<a href="./all-deprecations/">All {count} deprecations</a>' in section


@pytest.mark.parametrize(
    ("alternatives", "expected"),
    [
        ({"a": "b", "b": "c", "c": ""}, "c"),
        ({"a": "b", "b": "c", "c": "d", "d": ""}, "d"),
        ({"a": "b", "b": ""}, None),
        ({"a": "b", "b": "a"}, None),
        ({"a": "b", "b": "gone"}, None),
    ],
    ids=["two", "three", "one", "circle", "gone"],
)
def test_replacement_of_a_replacement_is_named(
    tmp_path: Path, alternatives: dict[str, str], expected: str | None
) -> None:
    """Where what is to be used instead is deprecated too, pages and lists lead to what stays, if something does."""
    text = "deprecated: {{alternative: /messagegroups/g/messages/{}}}\n"
    stated = {name: text.format(other) if other else "{}\n" for name, other in alternatives.items()}
    registry = registry_of(tmp_path, {f"messagegroups/g/messages/{name}.yaml": said for name, said in stated.items()})
    by_address = {page.address: page.html for page in pages(registry)}
    told = re.findall(
        r'deprecated too: its own replacement is <a href="[^"]*">(\w+)</a>',
        by_address["messagegroups/g/messages/a/"],
    )
    listed = re.findall(r'deprecated too, replaced by <a href="[^"]*">(\w+)</a>', by_address["all-deprecations/"])
    assert told == listed[:1] == ([expected] if expected else [])


@pytest.mark.parametrize(("told", "expected"), [(True, ["Add a message"]), (False, ["Tidy up"])])
def test_start_names_commits_that_changed_something(tmp_path: Path, told: bool, expected: list[str]) -> None:
    """Commits that leave the registry as it was stand on the start page only where there are no others."""
    repository = new_repository(tmp_path / "repository")
    for number in range(MAX_COMMITS + 1):
        repository.commit("Tidy up", **{"registry/registry.yaml": f"registryid: r # {number}\n"})
        if told and number == 0:
            repository.commit("Add a message", **{"registry/messagegroups/g/messages/m.yaml": "name: M\n"})
    (start,) = (page for page in pages(read_folder(repository.root / "registry")) if page.address == "")
    section = start.html.split('<h2 id="recent-changes">')[1].split("<h2")[0]
    assert list(dict.fromkeys(re.findall(r"</time> <a [^>]*>(.*?)</a>", section))) == expected


FILES = {
    "messagegroups/g/messagegroup.yaml": "envelope: CloudEvents/1.0\n",
    "messagegroups/g/messages/parked.yaml": """
        envelopemetadata: {subject: {type: uritemplate, value: "{vin}/{lot}"}}
        dataschemaformat: JsonSchema/draft-07
        dataschema: {type: object, properties: {car: {type: object, properties: {vin: {type: string}}}}}
        """,
    "messagegroups/g/messages/washed.yaml": """
        dataschemaformat: JsonSchema/draft-07
        dataschema: {type: object, properties: {VIN: {type: string}, vin: {type: string}}}
        """,
    "messagegroups/g/messages/sold.yaml": """
        dataschemaformat: JsonSchema/draft-07
        dataschema: {type: object, properties: {VIN: {type: string}}}
        """,
}


def test_name_has_its_messages(tmp_path: Path) -> None:
    """What several messages have by a name has a page; what one has leads to the message; case tells them apart."""
    by_address = {page.address: page for page in pages(registry_of(tmp_path, FILES))}
    names = by_address["all-fields/"]
    assert rows(names) == [["car", "parked"], ["lot", "parked"], ["VIN", "2 messages"], ["vin", "2 messages"]]
    links = re.findall('<td class="xr-name">(?:VIN|car|vin)</td><td><a href="([^"]*)">', names.html)
    assert links == ["../messagegroups/g/messages/parked/", "../all-fields/vin/", "../all-fields/vin-2/"]
    assert rows(by_address["all-fields/vin-2/"]) == [["parked", "g", "car.vin", "subject"], ["washed", "g", "vin", ""]]
    assert by_address["all-fields/vin-2/"].title == "vin"


def test_entries_of_lists_and_maps_have_no_names(tmp_path: Path) -> None:
    """What a list or map holds is no field: neither the index nor the search names it, but what it consists of."""
    schema = "{properties: {wheels: {type: array, items: {properties: {side: {type: string}}}}, "
    schema += "names: {type: object, additionalProperties: {type: string}}}}"
    stated = f"dataschemaformat: JsonSchema/draft-07\ndataschema: {schema}\n"
    by_address = {
        page.address: page for page in pages(registry_of(tmp_path, {"messagegroups/g/messages/car.yaml": stated}))
    }
    assert [row[0] for row in rows(by_address["all-fields/"])] == ["names", "side", "wheels"]
    assert by_address["messagegroups/g/messages/car/"].names == ("wheels", "side", "names")


def test_registry_without_names_has_no_such_page(tmp_path: Path) -> None:
    """Where no message has a field or a placeholder, no page lists them."""
    registry = registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": "description: Only this.\n"})
    assert not any(page.address.startswith("all-fields/") for page in pages(registry))
