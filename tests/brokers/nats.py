"""NATS messages through a server, with nats-py."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import nats

from tests.brokers.transport import Carry, Wire, body_of, name_values
from tests.ports import HOST
from tests.waiting import PATIENCE_SECONDS
from xregit.document.learner.brokers import nats_wire

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg
    from nats.aio.subscription import Subscription


@contextmanager
def carrier(port: int) -> Iterator[Carry]:
    """Give a function that publishes a message and returns what the subscriber to everything receives."""
    with asyncio.Runner() as runner:
        client, subscription = runner.run(_connected(port))

        def carry(wire: Wire, send: Callable[[], object] | None = None) -> dict[str, Any]:
            return nats_wire(runner.run(_carried(client, subscription, wire, send)))

        try:
            yield carry
        finally:
            runner.run(client.close())


async def _connected(port: int) -> tuple[Client, Subscription]:
    client = await nats.connect(f"nats://{HOST}:{port}")
    return client, await client.subscribe(">")


async def _carried(client: Client, subscription: Subscription, wire: Wire, send: Callable[[], object] | None) -> Msg:
    if send:
        send()
    else:
        await client.publish(
            wire.get("subject", "no.subject.declared"),
            body_of(wire) or b"",
            reply=wire.get("reply-to", ""),
            headers=dict(name_values(wire["headers"])) if wire.get("headers") else None,
        )
    return await subscription.next_msg(timeout=PATIENCE_SECONDS)
