"""NATS messages through a server, with nats-py."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import nats

from tests.brokers.transport import SECONDS, Carry, Wire, body_json, body_of, name_values, pairs
from tests.ports import HOST

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg
    from nats.aio.subscription import Subscription


@contextmanager
def carrier(port: int) -> Iterator[Carry]:
    """Give a function that publishes a message and returns what the subscriber to everything receives."""
    with asyncio.Runner() as runner:
        client, subscription = runner.run(_connected(port))

        def carry(wire: Wire) -> dict[str, Any]:
            return _wire(runner.run(_carried(client, subscription, wire)))

        try:
            yield carry
        finally:
            runner.run(client.close())


async def _connected(port: int) -> tuple[Client, Subscription]:
    client = await nats.connect(f"nats://{HOST}:{port}")
    return client, await client.subscribe(">")


async def _carried(client: Client, subscription: Subscription, wire: Wire) -> Msg:
    await client.publish(
        wire.get("subject", "no.subject.declared"),
        body_of(wire) or b"",
        reply=wire.get("reply-to", ""),
        headers=dict(name_values(wire["headers"])) if wire.get("headers") else None,
    )
    return await subscription.next_msg(timeout=SECONDS)


def _wire(message: Msg) -> dict[str, Any]:
    reply = {"reply-to": message.reply} if message.reply else {}
    headers = pairs((message.headers or {}).items())
    return {"protocol": "NATS", "subject": message.subject, **reply, "headers": headers, **body_json(message.data)}
