"""Diagrams of who sends to whom: nothing overlaps, whatever their size, and all of it can be followed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.catalog.folders import registry_of
from xregit.catalog import Registry
from xregit.pages import pages
from xregit.pages.context import HIDDEN, SiteContext
from xregit.pages.diagrams import (
    LINE,
    MAX_ALONE,
    MAX_CHARS,
    MAX_GROUPS,
    MAX_NEIGHBOURS,
    MAX_SMALL_CHARS,
    WIDTH,
    Diagram,
    channel_diagram,
    neighbours,
)
from xregit.pages.markdown import to_markdown

# How wide the text of a page is on a phone.
PHONE = 358


def _diagram(folder: Path, senders: int, receivers: int, groups: int) -> Diagram:
    files = {f"messagegroups/group{number}/messagegroup.yaml": "description: A group.\n" for number in range(groups)}
    carried = ", ".join(f"/messagegroups/group{number}" for number in range(groups))
    for number in range(senders):
        files[f"endpoints/a-very-long-name-of-a-sender-{number}/endpoint.yaml"] = (
            f"usage: [producer]\nchannel: all\nmessagegroups: [{carried}]\n"
        )
    for number in range(receivers):
        files[f"endpoints/receiver{number}/endpoint.yaml"] = "usage: [consumer]\nchannel: all\n"
    registry = registry_of(folder, files)
    return channel_diagram(SiteContext(registry), tuple(registry.endpoints), "all")


@pytest.mark.parametrize(
    ("senders", "receivers", "groups"), [(1, 1, 1), (60, 1, 3), (1, 60, 0), (30, 30, 60), (3, 0, 2)]
)
def test_nothing_overlaps(tmp_path: Path, senders: int, receivers: int, groups: int) -> None:
    """Boxes of a column stand below each other within the drawing, and their texts fit; so it is on a phone."""
    wide = _diagram(tmp_path, senders, receivers, groups)
    assert wide.narrow is not None
    assert len({box.x for box in wide.narrow.boxes}) == 1
    assert wide.narrow.width < PHONE
    for diagram in (wide, wide.narrow):
        _is_sound(diagram, senders, receivers)


def _is_sound(diagram: Diagram, senders: int, receivers: int) -> None:
    assert len(diagram.boxes) == senders + receivers + 1 == len(diagram.paths) + 1
    for x in {box.x for box in diagram.boxes}:
        column = sorted((box for box in diagram.boxes if box.x == x), key=lambda box: box.y)
        assert all(above.y + above.height < below.y for above, below in pairwise(column))
        assert column[0].y >= 0
        assert column[-1].y + column[-1].height <= diagram.height
        assert x + WIDTH <= diagram.width
    lines = [line for box in diagram.boxes for line in box.lines]
    assert all(len(line.text) <= (MAX_SMALL_CHARS if line.small else MAX_CHARS) for line in lines)
    assert all(line.y < box.height for box in diagram.boxes for line in box.lines)


def test_many_groups_are_counted(tmp_path: Path) -> None:
    """A channel's box names so many groups as one can read, and how many there are besides."""
    channel = next(box for box in _diagram(tmp_path, 1, 0, MAX_GROUPS + 5).boxes if box.kind == "channel")
    assert channel.lines[-1].text == "5 more message groups"


def test_pages_of_many_endpoints_on_a_channel_stay_short(tmp_path: Path) -> None:
    """An endpoint's page shows some of very many others, and leads to the map, which has all of them."""
    beside = MAX_NEIGHBOURS + 20
    text = "usage: [producer]\nchannel: all\n"
    files = {f"endpoints/e{number:03}/endpoint.yaml": text for number in range(beside + 1)}
    files |= {f"endpoints/e{number:03}/messages/m.yaml": "description: x\n" for number in range(MAX_GROUPS + 2)}
    by_address = {page.address: page.html for page in pages(registry_of(tmp_path, files))}
    last = by_address[f"endpoints/e{beside:03}/"]
    wide, narrow = last.split('<div class="xr-narrow">')
    for drawn in (wide, narrow):
        assert drawn.count('class="xr-box xr-endpoint') == MAX_NEIGHBOURS + 1
        assert drawn.count('xr-this"') == 1
        assert ">messages of 2 more<" in drawn
    assert last.count(">20 more endpoints<") == 3
    assert by_address["map/"].count('class="xr-box xr-endpoint') == 2 * (beside + 1)


def test_endpoints_on_no_channel_are_counted(tmp_path: Path) -> None:
    """The map draws some of very many endpoints that are on no channel, and leads to all."""
    files = {f"endpoints/e{number}/endpoint.yaml": "usage: [producer]\n" for number in range(MAX_ALONE + 3)}
    (drawn,) = (page.html for page in pages(registry_of(tmp_path, files)) if page.address == "map/")
    assert drawn.count("<svg") == 2 * MAX_ALONE
    assert '<a href="../endpoints/">3 more, among all endpoints</a>' in drawn


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Twenty-nine letters and signs", ("Twenty-nine letters and signs", "")),
        ("Hall 7, line 1, sends what it measures", ("Hall 7, line 1, sends what ", "it measures")),
        ("com.example.plants.number-1.of-one-hundred", ("com.example.plants.number-1.", "of-one-hundred")),
        ("x" * 31, ("x" * 29, "xx")),
        ("y" * 90, ("y" * 29, f"{'y' * 14}…{'y' * 14}")),
    ],
)
def test_long_name_has_two_lines(name: str, lines: tuple[str, str], tmp_path: Path) -> None:
    """Names that differ in the middle look different; the Markdown has the whole name as one."""
    registry = registry_of(tmp_path, {"endpoints/e/endpoint.yaml": f"name: '{name}'\nusage: [producer]\n"})
    box = channel_diagram(SiteContext(registry), tuple(registry.endpoints), "").boxes[0]
    assert (box.lines[0].text, box.lines[0].rest) == lines
    assert box.height > box.lines[-1].y > box.lines[0].y + (LINE if lines[1] else 0)
    page = next(each for each in pages(registry) if each.address == "endpoints/e/")
    assert ("<title>" in page.html) is ("…" in lines[1])
    assert f"sends: [{name}](" in to_markdown(page)


@pytest.mark.requirement("EP-4")
def test_endpoints_on_one_channel_lead_to_each_other(tmp_path: Path) -> None:
    """A producer and a consumer of one channel find each other; nobody else is near them."""
    on = {"sender": "channel: q\n", "receiver": "channel: q\n", "other": "channel: r\n", "none": "", "no": ""}
    files = {f"endpoints/{name}/endpoint.yaml": f"usage: [producer]\n{channel}" for name, channel in on.items()}
    registry = registry_of(tmp_path, files)
    assert {each.id: [item.id for item in neighbours(SiteContext(registry), each)] for each in registry.endpoints} == {
        **{name: [] for name in on},
        "sender": ["receiver"],
        "receiver": ["sender"],
    }


def test_own_endpoint_is_marked(small: Registry) -> None:
    """On an endpoint's page its own box stands out, and the names lead to the other pages."""
    diagram = channel_diagram(SiteContext(small), tuple(small.endpoints), "doors", "/endpoints/panel")
    assert [box.lines[0].text for box in diagram.boxes if box.current] == ["Door panel"]
    assert all(box.lines[0].href for box in diagram.boxes)


def test_credential_is_on_no_page(tmp_path: Path) -> None:
    """What looks like a credential is not repeated, neither as an attribute nor in the source or a command."""
    endpoint = """
        usage: [producer]
        protocol: HTTP
        messagegroups: [/messagegroups/g]
        protocoloptions:
          endpoints: [{uri: "https://me:hunter22@example.com"}]
          authorization: [{type: Plain, password: hunter22}]
        """
    message = "protocol: HTTP\nprotocoloptions: {method: POST, path: /a}\n"
    registry = registry_of(
        tmp_path, {"endpoints/e/endpoint.yaml": endpoint, "messagegroups/g/messages/a.yaml": message}
    )
    by_address = {page.address: page for page in pages(registry)}
    assert HIDDEN in by_address["endpoints/e/"].html
    assert all("hunter22" not in page.html + page.search for page in by_address.values())
