"""Diagrams of who sends to whom: nothing overlaps, whatever their size, and all of it can be followed."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.catalog.folders import registry_of
from xregit.catalog import Registry
from xregit.pages import pages
from xregit.pages.attributes import HIDDEN
from xregit.pages.context import SiteContext
from xregit.pages.diagrams import (
    CHANNEL,
    CONTENTS,
    MAX_BOXES,
    MAX_CHARS,
    MAX_ROWS,
    MAX_SMALL_CHARS,
    RECEIVED_FROM,
    SENT_TO,
    Diagram,
    focused_diagram,
    system_diagram,
)


def _site(folder: Path, senders: int, receivers: int, groups: int) -> SiteContext:
    """Return a site of one channel, whose senders carry all groups."""
    files = {f"messagegroups/group{number}/messagegroup.yaml": "description: A group.\n" for number in range(groups)}
    carried = ", ".join(f"/messagegroups/group{number}" for number in range(groups))
    for number in range(senders):
        files[f"endpoints/a-very-long-name-of-a-sender-{number}/endpoint.yaml"] = (
            f"usage: [producer]\nchannel: all\nmessagegroups: [{carried}]\n"
        )
    for number in range(receivers):
        files[f"endpoints/receiver{number}/endpoint.yaml"] = "usage: [consumer]\nchannel: all\n"
    return SiteContext(registry_of(folder, files))


def _columns(diagram: Diagram) -> dict[str, list[str]]:
    return {column.title: [node.title for node in column.nodes] for column in diagram.columns}


@pytest.mark.parametrize(
    ("senders", "receivers", "groups"), [(1, 1, 1), (30, 1, 3), (1, 30, 0), (30, 30, 30), (3, 0, 2)]
)
def test_nothing_overlaps(tmp_path: Path, senders: int, receivers: int, groups: int) -> None:
    """Boxes of a column stand below each other within the drawing, and their texts fit."""
    diagram = system_diagram(_site(tmp_path, senders, receivers, groups))
    assert len(diagram.boxes) == senders + receivers + groups + 1
    assert len(diagram.paths) == senders * groups + senders + receivers
    _is_sound(diagram)


def test_groups_of_other_kinds_are_left_out(tmp_path: Path) -> None:
    """An endpoint that names a group of schemas, which a rule reports, has a picture all the same."""
    files = {
        "schemagroups/s/schemagroup.yaml": "description: Schemas.\n",
        "endpoints/e/endpoint.yaml": "usage: [producer]\nmessagegroups: [/schemagroups/s]\n",
    }
    site = SiteContext(registry_of(tmp_path, files))
    assert [box.node.key for box in system_diagram(site).boxes] == ["/endpoints/e"]


def _is_sound(diagram: Diagram) -> None:
    for x in {box.x for box in diagram.boxes}:
        column = sorted((box for box in diagram.boxes if box.x == x), key=lambda box: box.y)
        assert all(above.y + above.height < below.y for above, below in pairwise(column))
        assert column[0].y > 0
        assert column[-1].y + column[-1].height <= diagram.height
        assert x + column[0].width <= diagram.width
    lines = [line for box in diagram.boxes for line in box.lines]
    assert diagram.whole or all(len(line.text) <= (MAX_SMALL_CHARS if line.small else MAX_CHARS) for line in lines)
    assert all(line.y < box.height for box in diagram.boxes for line in box.lines)


def test_diagram_on_a_page_stays_short(tmp_path: Path) -> None:
    """An endpoint's page shows itself and some of very many others, counts the rest, and leads to the map."""
    site = _site(tmp_path, 40, 50, 60)
    xid = "/endpoints/a-very-long-name-of-a-sender-39"
    diagram = focused_diagram(site, xid)
    _is_sound(diagram)
    assert [(len(column.nodes), column.more) for column in diagram.columns] == [
        (MAX_ROWS, 60 - MAX_ROWS),
        (MAX_ROWS, 40 - MAX_ROWS),
        (1, 0),
        (MAX_ROWS, 50 - MAX_ROWS),
    ]
    assert [box.node.key for box in diagram.boxes if box.current] == [xid]
    html = diagram.__html__()
    assert html.count(f"/map/?focus={xid}") == 2 * 3 + 1
    assert len(html) < 11_000


def test_large_system_is_drawn_by_domain(tmp_path: Path) -> None:
    """Of very many parts one sees which domain sends to which."""
    files = {}
    for number in range(MAX_BOXES):
        channel = f"channel: c{number % 3}\n"
        files[f"endpoints/orders.in{number}/endpoint.yaml"] = f"usage: [producer]\n{channel}"
        files[f"endpoints/billing.out{number}/endpoint.yaml"] = f"usage: [consumer]\n{channel}"
    diagram = system_diagram(SiteContext(registry_of(tmp_path, files)))
    assert _columns(diagram) == {"Sent in": ["orders"], "Received in": ["billing"]}
    assert len(diagram.paths) == 1


def test_large_system_without_channels_is_drawn_by_domain(tmp_path: Path) -> None:
    """What an endpoint without a channel carries goes from the domain of the messages to the endpoint's."""
    files = {}
    for number in range(MAX_BOXES):
        files[f"messagegroups/orders.g{number}/messagegroup.yaml"] = ""
        files[f"messagegroups/billing.g{number}/messagegroup.yaml"] = ""
        files[f"endpoints/billing.in{number}/endpoint.yaml"] = (
            f"usage: [producer]\nmessagegroups: [/messagegroups/orders.g{number}]\n"
        )
    diagram = system_diagram(SiteContext(registry_of(tmp_path, files)))
    assert _columns(diagram) == {"Sent in": ["orders"], "Received in": ["billing"]}
    assert len(diagram.paths) == 1


def test_large_system_of_domains_by_themselves_is_drawn_by_protocol(tmp_path: Path) -> None:
    """Where no domain sends to another, the picture says by what each has its endpoints."""
    files = {
        f"endpoints/{domain}.e{number}/endpoint.yaml": f"usage: [consumer]\nprotocol: {protocol}\nchannel: {domain}\n"
        for number in range(MAX_BOXES)
        for domain, protocol in (("orders", "KAFKA"), ("billing", "KAFKA"), ("fleet", "MQTT/5.0"))
    }
    diagram = system_diagram(SiteContext(registry_of(tmp_path, files)))
    assert _columns(diagram) == {"Domains": ["billing", "orders", "fleet"], "Protocols": ["KAFKA", "MQTT/5.0"]}
    assert len(diagram.paths) == 3


LONG = {
    "g/messagegroup.yaml": "",
    "g/messages/m.yaml": "name: A message\n",
    "only.out/messagegroup.yaml": "",
}


@pytest.mark.requirement("EP-4")
def test_diagram_follows_messages(tmp_path: Path) -> None:
    """A message is sent to the endpoints that carry it, goes along their channel, and is received where that ends."""
    files = {f"messagegroups/{path}": text for path, text in LONG.items()}
    files |= {
        "endpoints/in/endpoint.yaml": "usage: [producer]\nchannel: q\nmessagegroups: [/messagegroups/g]\n",
        "endpoints/out/endpoint.yaml": "usage: [consumer]\nchannel: q\nmessagegroups: [/messagegroups/g]\n",
        "endpoints/form/endpoint.yaml": "usage: [consumer]\nchannel: q\nmessagegroups: [/messagegroups/only.out]\n",
        "endpoints/elsewhere/endpoint.yaml": "usage: [producer]\nchannel: r\n",
        "endpoints/own/endpoint.yaml": "usage: [producer, consumer]\nchannel: own\n",
        "endpoints/own/messages/mine.yaml": "",
        "messagegroups/plain/messagegroup.yaml": "",
        "messagegroups/plain/messages/base.yaml": "name: A base\n",
        "messagegroups/g/messages/form.yaml": "name: A form\nbasemessage: /messagegroups/plain/messages/base\n",
        "messagegroups/only.out/messages/two.yaml": "basemessage: /messagegroups/plain/messages/base\n",
    }
    site = SiteContext(registry_of(tmp_path, files))
    message = focused_diagram(site, "/messagegroups/g/messages/m")
    assert _columns(message) == {
        "Message": ["A message"], "Clients send to": ["in"], "Channel": ["q"], "Clients receive from": ["out"],
    }  # fmt: skip
    assert [box.node.note for box in message.boxes if box.current] == ["in g"]
    assert _columns(focused_diagram(site, "/messagegroups/only.out")) == {
        "Clients send to": ["in"], "Message groups, channels": ["only.out", "q"], "Clients receive from": ["form"],
    }  # fmt: skip
    own = focused_diagram(site, "/endpoints/own/messages/mine")
    assert [node.column for column in own.columns for node in column.nodes] == [CONTENTS, SENT_TO, CHANNEL]
    assert len(own.paths) == 2
    assert _columns(focused_diagram(site, "/messagegroups/plain/messages/base")) == {
        "Message": ["A form"], "Clients send to": ["in"], "Messages, channels": ["q", "two"],
        "Clients receive from": ["out", "form"],
    }  # fmt: skip
    assert not focused_diagram(site, "/endpoints/none")
    nodes = site.system.nodes
    assert {nodes[key].column for key in ("/endpoints/out", "/endpoints/form")} == {RECEIVED_FROM}
    assert [edge for edge in site.system.edges(nodes) if edge[0] in site.system.groups] == [
        ("/messagegroups/only.out", "/endpoints/form"),
        ("/messagegroups/g", "/endpoints/in"),
    ]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Twenty-four letters, yes", ["Twenty-four letters, yes"]),
        ("Hall 7, line 1, sends what it measures", ["Hall 7, line 1, sends ", "what it measures"]),
        ("com.example.plants.number-1.of-ten", ["com.example.plants.", "number-1.of-ten"]),
        ("DestinationDisplayOverride", ["DestinationDisplay", "Override"]),
        ("x" * 26, ["x" * 24, "xx"]),
        ("y" * 90, ["y" * 24, f"{'y' * 11}…{'y' * 11}"]),
    ],
)
def test_long_name_has_two_lines(name: str, lines: list[str], tmp_path: Path) -> None:
    """Names that differ in the middle look different."""
    files = {"endpoints/e/endpoint.yaml": f"name: '{name}'\nusage: [producer]\nchannel: q\n"}
    box = focused_diagram(SiteContext(registry_of(tmp_path, files)), "/endpoints/e").boxes[0]
    assert [line.text for line in box.lines if not line.small] == lines


def test_numbers_in_names_count(tmp_path: Path) -> None:
    """The second version stands before the tenth."""
    files = {f"messagegroups/g.v{number}/messagegroup.yaml": "" for number in (1, 2, 10)}
    files |= {f"endpoints/e.v{number}/endpoint.yaml": "usage: [producer]\n" for number in (1, 2, 10)}
    nodes = SiteContext(registry_of(tmp_path, files)).system.nodes
    assert [node.title for node in nodes.values()] == ["g.v1", "g.v2", "g.v10", "e.v1", "e.v2", "e.v10"]


def test_own_endpoint_is_marked(small: Registry) -> None:
    """On an endpoint's page its own box stands out, and all lead to other pages."""
    diagram = focused_diagram(SiteContext(small), "/endpoints/panel")
    assert [box.lines[0].text for box in diagram.boxes if box.current] == ["Door panel"]
    assert all(box.node.href for box in diagram.boxes)


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


def test_line_past_a_column_misses_its_boxes(tmp_path: Path) -> None:
    """A group that is sent and received without a channel leads past what lies between, not behind it."""
    files = {
        "messagegroups/a.both/messagegroup.yaml": "name: Both\n",
        "messagegroups/a.get/messagegroup.yaml": "name: Get\n",
        "endpoints/a.in/endpoint.yaml": "usage: [producer]\nmessagegroups: [/messagegroups/a.both]\n",
        "endpoints/a.out/endpoint.yaml": (
            "usage: [consumer]\nmessagegroups: [/messagegroups/a.both, /messagegroups/a.get]\n"
        ),
    }
    diagram = system_diagram(SiteContext(registry_of(tmp_path, files)))
    level = [tuple(map(int, each)) for path in diagram.paths for each in re.findall(r" (\d+)H(\d+)C", path)]
    assert len(level) == 2
    for y, end in level:
        (column,) = [[box for box in diagram.boxes if box.x + box.width == end]]
        assert column
        assert all(y < box.y or y > box.y + box.height for box in column)
