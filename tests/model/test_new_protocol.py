"""A protocol is a file: what a catalog can do that speaks one which is added as data alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from xregit.model.files import SPECVERSION

SENDING = "coap-client -m 0.02 -T token-1 -O 14,60"
XID = "messagegroups/climate/messages/home.temperature"


@pytest.fixture(scope="module")
def made(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a package makes of the catalog that is ours but for one more file."""
    package = tmp_path_factory.mktemp("newprotocol") / "xregit"
    ours, cases = root / "tools/xregit", root / "tests/cases/newprotocol"
    for folder, copied in ((ours, "model"), (ours / "model", "files")):
        place = package / folder.relative_to(ours)
        place.mkdir()
        for item in folder.iterdir():
            if item.name != copied:
                (place / item.name).symlink_to(item)
    shutil.copytree(ours / "model/files", package / "model/files")
    shutil.copy(cases / "coap.yaml", package / f"model/files/{SPECVERSION}/protocols")
    process = subprocess.run(
        [sys.executable, root / "tests/model/new_protocol.py", cases / "registry"],
        env={"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode == 0, process.stderr
    result: dict[str, Any] = json.loads(process.stdout)
    return result


def test_it_is_checked(made: dict[str, Any]) -> None:
    """Options follow the file, and so do the addresses of endpoints."""
    assert made["check"] == []
    assert sorted(made["faults"]) == ["address-without-port", "invalid-attribute"]
    assert "must be a code such as 0.02" in made["faults"]["invalid-attribute"]


def test_messages_are_made_and_recognised(made: dict[str, Any]) -> None:
    """The wire shape, where an event is in it and what is new each time are those of the file."""
    options = {item["name"]: item["value"] for item in made["new"].pop("options")}
    assert made["new"] == {
        "protocol": "COAP/1",
        "code": "0.02",
        "uri_path": "/rooms/k1/temperature",
        "content_format": "application/json",
        "token": "1",
        "max_age": 60,
        "body": {"kelvin": 293},
    }
    assert (options["ce-type"], options["uri-query"]) == ("home.temperature", "unit=K")
    assert made["match"]["matches"] == [{"xid": f"/{XID}", "context": {"room": "k1"}}]
    assert made["match"]["event"]["data"] == {"kelvin": 293}


def test_documents_and_schemas_have_it(made: dict[str, Any]) -> None:
    """The document, its model and what editors read know the options and their forms, AsyncAPI what its part says."""
    group = made["document"]["messagegroups"]["climate"]
    assert group["messages"]["home.temperature"]["versions"]["1"]["protocoloptions"]["max_age"] == 60
    endpoint = made["document"]["modelsource"]["groups"]["endpoints"]["attributes"]["protocol"]["ifvalues"]["COAP/1"]
    assert "observe" in endpoint["siblingattributes"]["protocoloptions"]["attributes"]
    for part in ("content_format", "[0-7][.][0-9]{2}"):
        assert part in json.dumps(made["schemas"]["message.schema.json"])
    asyncapi = made["asyncapi"]["gateway"]
    assert asyncapi["servers"]["server"]["protocol"] == "coap"
    assert asyncapi["servers"]["server"]["protocolVersion"] == "1"
    [channel] = asyncapi["channels"].values()
    assert channel["address"] == "/rooms/{room}/temperature"
    assert "ce-type" in channel["messages"]["home.temperature"]["headers"]["properties"]


def test_changes_of_it_are_told(made: dict[str, Any]) -> None:
    """What is set by delivery breaks nobody, an address does."""
    assert made["diff"] == [["protocoloptions.uri_path", "breaking"], ["protocoloptions.max_age", "compatible"]]


def test_its_page_describes_it(made: dict[str, Any]) -> None:
    """The page shows examples in both modes, what the file says of each option, and how a shell sends the message."""
    for shown in ("COAP/1, binary", "COAP/1, structured", "What ties an answer to its request.", SENDING):
        assert shown in made["page"]
