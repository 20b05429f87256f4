"""The command mcp, over its streams, as the client of the protocol's own SDK sees it."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from tests.benchmarks import synthetic
from tests.waiting import PATIENCE_SECONDS
from xregit.cli.mcp import MAX_RESULT

TRIP = "/messagegroups/fleet.trips/messages/fleet.trip.started"
Use = Callable[[Client], Coroutine[Any, Any, None]]


def serve(root: Path, registry: Path, use: Use) -> None:
    """Use the server of a registry through the SDK's client."""
    arguments = ["-m", "xregit", "--registry", str(registry), "mcp"]
    environment = {"PYTHONPATH": str(root / "tools")}
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment)

    async def session() -> None:
        async with Client(stdio_client(server)) as client:
            await use(client)

    asyncio.run(session())


def answer(result: CallToolResult) -> dict[str, Any]:
    """Return the JSON of an answer, which is the same as text and as value."""
    text = result.content[0]
    assert isinstance(text, TextContent)
    assert not result.is_error, text.text
    value: dict[str, Any] = json.loads(text.text)
    assert value == result.structured_content
    return value


async def error(client: Client, tool: str, **arguments: Any) -> str:
    """Return the error of a call, which is a line."""
    result = await client.call_tool(tool, arguments)
    text = result.content[0]
    assert isinstance(text, TextContent)
    assert result.is_error
    assert "Traceback" not in text.text
    return text.text


def test_an_agent_finds_makes_and_recognises_a_message(root: Path) -> None:
    """Search leads to a message; what is made from it, match knows."""

    async def use(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [item.name for item in tools] == ["search", "show", "contract", "match", "make", "diff", "changes"]
        assert all(item.description and item.annotations and item.annotations.read_only_hint for item in tools)
        parameters = [each for item in tools for each in item.input_schema["properties"].values()]
        assert all(each.get("description") for each in parameters)
        found = answer(await client.call_tool("search", {"query": "Trip Started", "kind": "message"}))
        assert TRIP in [item["xid"] for item in found["results"]]
        shown = answer(await client.call_tool("show", {"xid": TRIP}))
        assert shown["attributes"]["envelopemetadata"]["type"]["value"] == "fleet.trip.started"
        schema = answer(await client.call_tool("show", {"xid": shown["attributes"]["dataschemauri"]}))
        assert json.loads(schema["document"])["type"] == "record"
        assert TRIP in schema["users"]
        made = answer(await client.call_tool("make", {"xid": TRIP, "values": {"vin": "WDB1"}, "example": True}))
        matched = answer(await client.call_tool("match", {"message": made}))
        assert [item["xid"] for item in matched["results"][0]["matches"]] == [TRIP]
        assert matched["results"][0]["matches"][0]["context"]["vin"] == "WDB1"
        carried = answer(
            await client.call_tool("show", {"xid": "/messagegroups/fleet.updates/messages/fleet.update.queried"})
        )
        endpoint = carried["carriers"][0]["endpoint"]
        contract = answer(await client.call_tool("contract", {"endpoint": endpoint}))
        assert carried["xid"] in [item["xid"] for item in contract["messages"]]
        assert answer(await client.call_tool("show", {}))["attributes"]["registryid"] == "northgate"

    serve(root, root / "registry", use)


def test_errors_are_lines_that_say_what_to_do(root: Path) -> None:
    """Whatever is wrong with a call, the server goes on, and says what is wrong."""

    async def use(client: Client) -> None:
        assert "did you mean" in await error(client, "show", xid="fleet.trip.started")
        assert "there is no endpoint" in await error(client, "contract", endpoint="/endpoints/none")
        assert '"vin" has no value' in await error(client, "make", xid=TRIP)
        assert "there is no message" in await error(client, "make", xid="/")
        assert "valid integer" in await error(client, "search", limit="many")
        assert "there are endpoint" in await error(client, "search", kind="topic")
        for ref in ("none", "--help", "/etc", str(root / "registry")):  # commits alone are compared, no other files
            assert f'has no commit "{ref}"' in await error(client, "diff", ref=ref)
        assert "no" in await error(client, "changes", xid="none")
        unread = answer(await client.call_tool("match", {"message": '{"specversion":'}))
        assert unread["results"][0]["problems"]

    serve(root, root / "registry", use)


def test_files_are_read_again_when_they_change(root: Path, here: Path) -> None:
    """A new name is found at once; a file that can't be read spoils only what needs all of them."""

    async def use(client: Client) -> None:
        assert answer(await client.call_tool("search", {"query": "renamed by hand"}))["total"] == 0
        file = next((here / "registry" / "messagegroups").glob("*/messages/*.yaml"))
        text = file.read_text()
        file.write_text(f"{text}documentation: https://example.com/renamed by hand\n")
        found = answer(await client.call_tool("search", {"query": "renamed by hand"}))
        assert [item["xid"].rpartition("/")[2] for item in found["results"]] == [file.stem]
        file.write_text(f"{text}name: [")
        assert f"{file.name}:" in await error(client, "match", message="any")
        assert answer(await client.call_tool("search", {}))["total"]

    serve(root, here / "registry", use)


def test_history_says_what_changed_and_whom_it_breaks(root: Path, here: Path) -> None:
    """Changes lists commits; diff compares one with the files."""
    subprocess.run(["git", "init", "-q"], check=True)
    commit = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "Begin"]
    subprocess.run(["git", "add", "registry"], check=True)
    subprocess.run(commit, check=True)

    async def use(client: Client) -> None:
        commits = answer(await client.call_tool("changes", {}))
        assert [item["subject"] for item in commits["commits"]] == ["Begin"]
        assert answer(await client.call_tool("diff", {"ref": "HEAD"}))["changes"] == []
        endpoint = next((here / "registry" / "endpoints").iterdir())
        shutil.rmtree(endpoint)
        changed = answer(await client.call_tool("diff", {"ref": "HEAD"}))
        assert changed["failed"]
        assert changed["changes"][0]["xid"] == f"/endpoints/{endpoint.name}"
        history = answer(await client.call_tool("changes", {"xid": f"/endpoints/{endpoint.name}"}))
        assert history["commits"][0]["subject"] == "Begin"

    serve(root, here / "registry", use)


def test_no_answer_is_long_and_pages_miss_nothing(root: Path, tmp_path: Path) -> None:
    """A group of many messages, with long texts, comes in parts."""
    registry = synthetic.write_registry(tmp_path / "registry", 300)
    long = registry / "messagegroups/plant0/messages/com.example.plant.reading.0.yaml"
    long.write_text(long.read_text().replace("type: object", f"type: object\n  description: {'long ' * 50_000}"))
    for number in range(300):
        (registry / f"messagegroups/plant0/messages/m{number}.yaml").write_text("envelope: CloudEvents/1.0\n")

    async def use(client: Client) -> None:
        xids: list[str] = []
        offset: int | None = 0
        while offset is not None:
            result = await client.call_tool("search", {"kind": "message", "limit": 1000, "offset": offset})
            found = answer(result)
            assert len(json.dumps(found)) <= MAX_RESULT
            xids += [item["xid"] for item in found["results"]]
            offset = found.get("next_offset")
        assert len(xids) == len(set(xids)) == found["total"] == 600
        group = answer(await client.call_tool("show", {"xid": "/messagegroups/plant0"}))
        assert group["messages"][-1] == "… and 250 more"
        message = answer(await client.call_tool("show", {"xid": f"/messagegroups/plant0/messages/{long.stem}"}))
        assert message["attributes"]["dataschema"]["description"].endswith("more characters")

    serve(root, registry, use)


@pytest.mark.parametrize("text", ["", "no JSON\n", '{"jsonrpc": "2.0", "id": 1, "method": "nothing"}\n'])
def test_nothing_but_the_protocol_is_on_standard_output(root: Path, text: str) -> None:
    """What comes in may be anything; the server ends with its input, and its lines are JSON."""
    arguments = (sys.executable, "-m", "xregit", "--registry", str(root / "registry"), "mcp")
    environment = {"PYTHONPATH": str(root / "tools")}
    process = subprocess.run(
        arguments, input=text, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
    )
    assert process.returncode == 0
    assert "Traceback" not in process.stderr
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in process.stdout.splitlines())
