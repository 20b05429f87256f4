"""A registry becomes pages: one for each entity, at the entity's xid, with all that a reader asks of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.catalog.folders import registry_of
from tests.pages.links import links_of, target
from tests.pages.rich import FILES as RICH
from tests.pages.test_prose import only_safe
from tests.sizes import some
from xregit.catalog import Registry
from xregit.pages import Page, pages
from xregit.pages.context import SiteContext
from xregit.pages.message_page import MAX_BASES, MAX_CARRIERS, message_page
from xregit.pages.payload_section import MAX_FIELDS, MAX_OPEN

GOLDEN_PAGES = [
    "",
    "all-messages/",
    "map/",
    "messagegroups/",
    "messagegroups/doors/",
    "messagegroups/doors/messages/doors.closed/",
    "messagegroups/doors.mqtt/messages/doors.opened/",
    "messagegroups/aliases/messages/opened/",
    "endpoints/broker/",
    "endpoints/panel/messages/panel.pressed/",
    "schemagroups/doors/schemas/opened/",
    "schemagroups/doors/schemas/opened/versions/1/",
    "glossaries/trade/terms/lock/",
]


RICH_PAGES = [
    "",
    "all-deprecations/",
    "all-fields/",
    "all-fields/side/",
    "endpoints/",
    "endpoints/hub/",
    "messagegroups/cars/",
    "messagegroups/cars/messages/cars.moved/",
    "messagegroups/cars.mqtt/messages/cars.parked/",
    "schemagroups/cars/schemas/moved/",
    "schemagroups/cars/schemas/moved/versions/2/",
    "schemagroups/cars/schemas/moved/versions/2/since/1/",
]


# What a message's page may have, and what the theme puts around it.
MAX_PAGE_BYTES, MAX_FRAME_BYTES = 80_000, 13_000


@pytest.mark.parametrize("address", GOLDEN_PAGES)
def test_page_is_as_it_was_looked_at(
    address: str, small_pages: Mapping[str, Page], golden: Callable[[str, str], None]
) -> None:
    """The HTML of each kind of page is the one that was reviewed."""
    golden(f"pages/{address.strip('/').replace('/', '+') or 'start'}.html", small_pages[address].html)


@pytest.fixture(scope="module")
def rich_pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Page]:
    """Return the pages of a registry that has several of each thing, by address."""
    return {page.address: page for page in pages(registry_of(tmp_path_factory.mktemp("rich"), RICH))}


@pytest.mark.parametrize("address", RICH_PAGES)
def test_page_of_much_is_as_it_was_looked_at(
    address: str, rich_pages: Mapping[str, Page], golden: Callable[[str, str], None]
) -> None:
    """Pages that show several of each thing are those that were reviewed."""
    name = address.strip("/").replace("/", "+") or "start"
    golden(f"pages/rich/{name}.html", rich_pages[address].html)


def test_address_is_xid(small: Registry, small_pages: Mapping[str, Page]) -> None:
    """Every group and resource, of built-in and custom types alike, has its page at its xid."""
    assert {f"{xid[1:]}/" for xid in small} <= small_pages.keys()


def test_parents_are_pages(small_pages: Mapping[str, Page]) -> None:
    """Every page but the start page stands below another."""
    assert {page.parent for page in small_pages.values()} <= small_pages.keys()


def test_links_lead_to_pages(small_pages: Mapping[str, Page]) -> None:
    """Every link on a page that does not leave the site leads to a page."""
    for page in small_pages.values():
        for href in links_of(page.html).linked:
            result = target(page.path, href)
            assert result is None or result[0].removesuffix("index.html") in small_pages, (page.address, href)


def test_pages_are_the_same_each_time(small: Registry) -> None:
    """Two runs give the same pages."""
    assert list(pages(small)) == list(pages(small))


def test_description_is_escaped(small_pages: Mapping[str, Page]) -> None:
    """A tag that nobody means as one stays text or goes; it never becomes an element."""
    assert "<shut>" not in small_pages["glossaries/trade/terms/lock/"].html


def test_search_text_has_what_people_look_for(small_pages: Mapping[str, Page]) -> None:
    """A message is found by id, name, type, topic, placeholder and description."""
    page = small_pages["messagegroups/doors.mqtt/messages/doors.opened/"]
    assert page.keys == ("doors.opened", "buildings/{building}/doors/{door}", "{door}")
    assert all(word in page.search for word in ("doors.opened", "{region}", "A door was opened", "Door team"))


def test_endpoint_is_found_by_address_and_authorization(tmp_path: Path) -> None:
    """Who reads an address in a configuration finds the endpoint, and so does who looks for a kind of authorization."""
    stated = "protocol: MQTT/5.0\nprotocoloptions: {endpoints: [{uri: 'mqtts://hub.example.com:8884', "
    stated += "description: The `hub` of *all* halls}], "
    stated += "authorization: [{type: OAuth2, granttypes: [client_credentials]}]}\n"
    by_address = {page.address: page for page in pages(registry_of(tmp_path, {"endpoints/e/endpoint.yaml": stated}))}
    result = by_address["endpoints/e/"].search
    assert all(word in result for word in ("mqtts://hub.example.com:8884", "OAuth2", "client_credentials"))
    assert "The hub of all halls" in by_address["endpoints/e/"].html


def test_schema_is_found_by_what_its_fields_mean(tmp_path: Path) -> None:
    """Who knows no field's name finds the schema, which names its messages, by the words that describe the field."""
    field = {"properties": {"hr": {"type": "integer", "description": "Beats per *minute*."}}}
    stated = "dataschemaformat: JsonSchema/draft-07\ndataschemauri: /schemagroups/g/schemas/s\n"
    files = {
        "messagegroups/g/messages/m.yaml": stated,
        "messagegroups/g/messages/n.yaml": stated,
        "schemagroups/g/schemas/s/schema.yaml": "format: JsonSchema/draft-07\n",
        "schemagroups/g/schemas/s/versions/1.json": json.dumps({"properties": {"vitals": field, "other": field}}),
    }
    by_address = {page.address: page for page in pages(registry_of(tmp_path, files))}
    assert by_address["schemagroups/g/schemas/s/"].search.count("Beats per minute.") == 1
    assert "Beats" not in by_address["messagegroups/g/messages/m/"].search


def test_ids_that_file_systems_refuse(tmp_path: Path) -> None:
    """An id that is no safe file name is encoded in the page's address, and links lead there."""
    group = "messagegroups/a%3Ab"
    registry = registry_of(tmp_path, {f"{group}/messages/index.html.yaml": "", f"{group}/messages/con.yaml": "{}\n"})
    by_address = {page.address: page for page in pages(registry)}
    above = by_address["messagegroups/a%3Ab/"]
    assert 'href="../../messagegroups/a%253Ab/messages/' in above.html
    encoded = {address for address in by_address if address.startswith("messagegroups/a%3Ab/messages/")}
    assert all("/index.html/" not in address and "/con/" not in address for address in encoded)


def test_cycle_and_missing_base_are_told(tmp_path: Path) -> None:
    """A message whose bases lead back to it, or nowhere, still has a page, which says so."""
    group = "messagegroups/g/messages"
    registry = registry_of(
        tmp_path,
        {
            f"{group}/a.yaml": f"basemessage: /{group}/b\n",
            f"{group}/b.yaml": f"basemessage: /{group}/a\n",
            f"{group}/c.yaml": "basemessage: /messagegroups/x/messages/y\n",
            f"{group}/d.yaml": "basemessage: javascript:alert(1)\n",
        },
    )
    by_address = {page.address: page.html for page in pages(registry)}
    assert "leads back to itself" in by_address[f"{group}/a/"]
    assert "not in this registry" in by_address[f"{group}/c/"]
    assert 'href="javascript' not in by_address[f"{group}/d/"]


def test_long_chain_of_bases_is_cut(tmp_path: Path) -> None:
    """A page names the nearest bases and says how many more there are, so that pages do not grow with their number."""
    depth = MAX_BASES + 1234
    files = {
        f"messagegroups/g/messages/m{at}.yaml": f"basemessage: /messagegroups/g/messages/m{at + 1}\n"
        for at in range(depth)
    }
    registry = registry_of(tmp_path, {**files, f"messagegroups/g/messages/m{depth}.yaml": "description: The last.\n"})
    book = SiteContext(registry)
    html = message_page(book, next(each for each in registry.messages if each.id == "m0")).html
    assert [f'm{at}/">m{at}<' in html for at in range(1, MAX_BASES + 2)] == [True] * MAX_BASES + [False]
    assert "1,234 more" in html


def test_empty_registry_has_a_start_page(tmp_path: Path) -> None:
    """A registry without any group has a start page that says so."""
    start = next(iter(pages(registry_of(tmp_path, {}))))
    assert "The catalog is empty." in start.html


def test_schema_that_is_missing_is_told(tmp_path: Path) -> None:
    """A message whose schema is not in the registry says so."""
    text = "dataschemaformat: Avro/1.11.0\ndataschemauri: /schemagroups/g/schemas/x\n"
    by_address = {
        page.address: page.html for page in pages(registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": text}))
    }
    assert "not in this registry" in by_address["messagegroups/g/messages/a/"]


def test_field_says_what_its_values_keep_to(tmp_path: Path) -> None:
    """Bounds and patterns stand beside the type, those of a list's entries in the line of the list."""
    schema = (
        "dataschemaformat: JsonSchema/draft-07\ndataschema: {type: object, required: [a], properties: "
        "{a: {type: string, pattern: '^<b>$'}, b: {type: array, maxItems: 2, items: {type: integer, minimum: 0}}}}\n"
    )
    registry = registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": schema})
    html = {page.address: page.html for page in pages(registry)}["messagegroups/g/messages/a/"]
    assert "<strong>required</strong>, matches ^&lt;b&gt;$</small>" in html
    assert "array of integer, at most 2 entries, each at least 0</small>" in html


@pytest.mark.parametrize(
    ("count", "opened", "cut"),
    [
        (MAX_OPEN, True, False),
        (MAX_OPEN + 1, False, False),
        (MAX_FIELDS, False, False),
        (MAX_FIELDS + 1, False, True),
    ],
)
def test_many_fields_are_folded_then_cut(count: int, opened: bool, cut: bool, tmp_path: Path) -> None:
    """A few fields stand open, many begin folded, and where not all are listed the page says so."""
    names = ", ".join(f"f{number}: {{type: string}}" for number in range(count - 1))
    schema = f"{{type: object, properties: {{outer: {{type: object, properties: {{{names}}}}}}}}}"
    stated = f"dataschemaformat: JsonSchema/draft-07\ndataschema: {schema}\n"
    registry = registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": stated})
    html = message_page(SiteContext(registry), next(iter(registry.messages))).html
    assert sum(f"<code>f{number}</code>" in html for number in range(count)) == min(count, MAX_FIELDS) - 1
    assert ("<details open><summary><code>outer" in html) is opened
    assert ("There are more fields" in html) is cut


def test_group_tells_messages_with_the_same_id_apart(small_pages: Mapping[str, Page]) -> None:
    """A page names the group of another message with its own id, in full where it says what it is based on."""
    html = small_pages["messagegroups/doors.mqtt/messages/doors.opened/"].html
    link = r'messages/doors\.opened/"(?: title="\S+")?>(.*?)</a>'
    based_on, written_in = (re.findall(link, html[html.index(start) :])[0] for start in ("Based on", "<tbody>"))
    assert (based_on, written_in) == ("doors/<wbr>doors.<wbr>opened", "doors")


def test_column_without_news_is_left_out(small_pages: Mapping[str, Page]) -> None:
    """Where the message itself says everything, no column repeats so in each row."""
    assert "Written in" not in small_pages["messagegroups/doors/messages/doors.closed/"].html


def test_versions_show_in_what_they_differ(tmp_path: Path) -> None:
    """The list of versions has a column for each text that differs, of the model's own and of added attributes."""
    model = "groups: {schemagroups: {singular: schemagroup, resources: {schemas: {singular: schema, attributes: "
    files = {
        "model.yaml": model + "{changes: {type: string}, owner: {type: string}}}}}}\n",
        "schemagroups/g/schemas/s/schema.yaml": "owner: us\nversions: {'1': {changes: All.}, '2': {changes: More.}}\n",
        "schemagroups/g/schemas/s/versions/1.json": "{}",
        "schemagroups/g/schemas/s/versions/2.json": "{}",
    }
    by_address = {page.address: page.html for page in pages(registry_of(tmp_path, files))}
    columns = "<tr><th>Version</th><th>Changes</th><th>Previous</th><th>Created</th><th>Compare with</th></tr>"
    assert columns in by_address["schemagroups/g/schemas/s/"]
    assert "<td>More.</td>" in by_address["schemagroups/g/schemas/s/versions/1/"]


def test_headings_follow_one_another(small_pages: Mapping[str, Page]) -> None:
    """A page has one first heading, and no heading is more than one level below the one before it."""
    for page in small_pages.values():
        levels = [int(level) for level in re.findall(r"<h([1-6])\b", page.html)]
        assert levels.count(1) == 1, page.address
        assert all(after <= before + 1 for before, after in pairwise(levels)), page.address


def test_page_of_a_message_that_very_many_carry_stays_short(tmp_path: Path) -> None:
    """A message's page names some of the endpoints that carry it, and leads to its group, which names all of them."""
    ids = [f"com.example.manufacturing.division.plant-number-{number}.producer" for number in range(MAX_CARRIERS + 32)]
    text = """
        name: "A plant with quite a long name which says a lot of things"
        usage: [producer]
        protocol: KAFKA
        messagegroups: [/messagegroups/g]
        protocoloptions: {endpoints: [{uri: "SSL://broker.plants.example.com:9092"}], topic: plants.bus}
        """
    files = {f"endpoints/{each}/endpoint.yaml": text for each in ids}
    registry = registry_of(tmp_path, {**files, "messagegroups/g/messages/a.yaml": "description: x\n"})
    by_address = {page.address: page.html for page in pages(registry)}
    message, group = by_address["messagegroups/g/messages/a/"], by_address["messagegroups/g/"]
    assert (
        message[message.index('id="endpoints"') :].count('<tr><td class="xr-name"><a href="../../../../endpoints/')
        == MAX_CARRIERS
    )
    assert '<a href="../../../../messagegroups/g/">32 more endpoints, named by the group</a>' in message
    assert all(f'"../../endpoints/{each}/"' in group for each in ids)
    assert len(message) < MAX_PAGE_BYTES - MAX_FRAME_BYTES


# What people read; the page that recognises messages fills its own summary.
EMPTY = re.compile(r'href=""|<(a|code|dt|h\d|label|li|p(?! id)|small|span|strong|summary|th|time|var)\b[^>]*></\1>')


POOR = {
    "model.yaml": """
        groups: {halls: {singular: hall, resources: {seats: {singular: seat, hasdocument: false}}}}
        """,
    "messagegroups/g/messages/bare.yaml": "",
    "messagegroups/g/messages/event.yaml": """
        envelope: CloudEvents/1.0
        envelopemetadata: {type: {required: true}, one: {type: string}, two: {value: "{only}"}}
        basemessage: /messagegroups/nowhere/messages/x
        deprecated: {}
        """,
    "messagegroups/g/messages/typed.yaml": """
        protocol: HTTP
        protocoloptions: {headers: [{name: x}]}
        dataschemauri: "#x"
        """,
    "endpoints/e/endpoint.yaml": "usage: [consumer]\nmessagegroups: [/messagegroups/g, /messagegroups/gone]\n",
    "schemagroups/s/schemas/x/schema.yaml": "deprecated: {}\n",
    "schemagroups/s/schemas/x/versions/1.json": "{}",
    "halls/h/seats/s.yaml": "",
}


def test_nothing_is_shown_empty(tmp_path: Path) -> None:
    """Where a file says little, no page has a link that leads nowhere, or an element without anything in it."""
    results = list(pages(registry_of(tmp_path, POOR)))
    wrong = [(page.address, found[0]) for page in results for found in EMPTY.finditer(page.html)]
    assert wrong == []
    assert len(results) > 20
    html = next(page.html for page in results if page.address == "messagegroups/g/messages/typed/")
    assert "There is no example: the definition sets no properties and no payload." in html


SCALARS = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "{b}", "/a/b", "javascript:x", "<x>"])
)


VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "name", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


NAMES = [
    "name", "description", "envelope", "envelopemetadata", "envelopeoptions", "protocol", "protocoloptions",
    "basemessage", "dataschemauri", "dataschemaxid", "dataschema", "dataschemaformat", "datacontenttype", "deprecated",
    "labels", "documentation", "usage", "channel", "messagegroups", "xref", "format", "versions", "meta", "unheard",
]  # fmt: skip


# The scripts of the pages that recognise messages, filter them, and show the map.
OWN = {
    "definitions.js", "../assets/wire.js", "../assets/recognise.js", "messages.js", "../assets/messages.js",
    "system.js", "../assets/vendor/cytoscape.min.js", "../assets/vendor/cytoscape-dagre.min.js", "../assets/map.js",
}  # fmt: skip


ATTRIBUTES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)


@settings(max_examples=some(60), suppress_health_check=[HealthCheck.too_slow])
@given(ATTRIBUTES, ATTRIBUTES, ATTRIBUTES)
def test_any_value_has_a_page(message: dict[str, Any], endpoint: dict[str, Any], schema: dict[str, Any]) -> None:
    """No value of any attribute keeps a page from being made, or gets a dangerous link into one."""
    with TemporaryDirectory() as folder:
        registry = registry_of(
            Path(folder),
            {
                "messagegroups/g/messages/a.yaml": json.dumps(message),
                "endpoints/e/endpoint.yaml": json.dumps({"messagegroups": ["/messagegroups/g"], **endpoint}),
                "schemagroups/s/schemas/x/schema.yaml": json.dumps(schema),
                "schemagroups/s/schemas/x/versions/1.json": "{}",
            },
        )
        for page in pages(registry):
            links = links_of(page.html)
            assert set(links.loaded) <= OWN
            assert all(href.startswith(("../", "./", "#")) or only_safe(href) for href in links.linked)
