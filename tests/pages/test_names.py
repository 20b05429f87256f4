"""The pages of names: which messages have something as a field of their payload, or as a placeholder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.catalog.folders import registry_of
from xregit.pages import pages

if TYPE_CHECKING:
    from pathlib import Path

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


def _rows(html: str) -> list[list[str]]:
    """Return the texts in each row of a page's table."""
    body = html[html.index("<tbody>") :]
    rows = [re.findall("<td.*?</td>", row, re.DOTALL) for row in body.split("</tr>")[:-1]]
    return [[re.sub("<.*?>", "", cell) for cell in row] for row in rows]


def test_name_has_its_messages(tmp_path: Path) -> None:
    """What several messages have by a name has a page; what one has leads to the message; case tells them apart."""
    made = {page.address: page for page in pages(registry_of(tmp_path, FILES))}
    names = made["all-fields/"]
    assert _rows(names.html) == [["car", "parked"], ["lot", "parked"], ["VIN", "2 messages"], ["vin", "2 messages"]]
    links = re.findall('<a href="([^"]*)"><code>(?:VIN|car|vin)<', names.html)
    assert links == ["../messagegroups/g/messages/parked/", "../all-fields/vin/", "../all-fields/vin-2/"]
    assert _rows(made["all-fields/vin-2/"].html) == [["parked", "g", "car.vin", "subject"], ["washed", "g", "vin", ""]]
    assert made["all-fields/vin-2/"].title == "vin"


def test_entries_of_lists_and_maps_have_no_names(tmp_path: Path) -> None:
    """What a list or map holds is no field: neither the index nor the search names it, but what it consists of."""
    schema = "{properties: {wheels: {type: array, items: {properties: {side: {type: string}}}}, "
    schema += "names: {type: object, additionalProperties: {type: string}}}}"
    stated = f"dataschemaformat: JsonSchema/draft-07\ndataschema: {schema}\n"
    made = {page.address: page for page in pages(registry_of(tmp_path, {"messagegroups/g/messages/car.yaml": stated}))}
    assert [row[0] for row in _rows(made["all-fields/"].html)] == ["names", "side", "wheels"]
    assert made["messagegroups/g/messages/car/"].names == ("wheels", "side", "names")


def test_registry_without_names_has_no_such_page(tmp_path: Path) -> None:
    """Where no message has a field or a placeholder, no page lists them."""
    found = registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": "description: Only this.\n"})
    assert not any(page.address.startswith("all-fields/") for page in pages(found))
