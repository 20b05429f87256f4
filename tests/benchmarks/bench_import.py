"""How long an import of an AsyncAPI document takes, against parsing its YAML."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import yaml
from pytest_benchmark.fixture import BenchmarkFixture

import xregit
from tests.benchmarks.ratio import ratio

MESSAGES = 1_000
HEAD = """asyncapi: 3.0.0
info: {title: Shop, version: 1.0.0, description: What a shop says.}
servers: {main: {host: "kafka.example.com:9093", protocol: kafka-secure, description: The broker.}}
"""
CHANNEL = """  orders{0}:
    address: shop.orders{0}.{{region}}
    description: Orders of the kind {0}.
    parameters:
      region:
        description: Where the order was made.
        enum: [eu, us]
    messages:
      placed{0}:
        $ref: '#/components/messages/placed{0}'
"""
OPERATION = """  onPlaced{0}:
    action: receive
    channel:
      $ref: '#/channels/orders{0}'
    summary: An order of the kind {0} was placed.
    messages:
      - $ref: '#/channels/orders{0}/messages/placed{0}'
"""
MESSAGE = """    placed{0}:
      title: Order {0} placed
      summary: Somebody has placed an order.
      contentType: application/json
      tags:
        - name: orders
      headers:
        type: object
        required: [trace]
        properties:
          trace:
            type: string
            description: The trace of the request.
      payload:
        $ref: '#/components/schemas/order{0}'
"""
SCHEMA = """    order{0}:
      type: object
      required: [id, lines]
      properties:
        id:
          type: string
          description: The number of the order.
        placedat:
          type: string
          format: date-time
        lines:
          type: array
          items:
            $ref: '#/components/schemas/line'
"""
LINE = """    line:
      type: object
      required: [part]
      properties:
        part: {type: string}
        count: {type: integer, minimum: 1}
"""


def document(messages: int) -> str:
    """Return an AsyncAPI document with so many messages, each with a channel, an operation and a schema of its own."""
    parts = {name: "".join(map(text.format, range(messages))) for name, text in TEXTS.items()}
    return (
        f"{HEAD}channels:\n{parts['channels']}operations:\n{parts['operations']}"
        f"components:\n  messages:\n{parts['messages']}  schemas:\n{parts['schemas']}{LINE}"
    )


TEXTS = {"channels": CHANNEL, "operations": OPERATION, "messages": MESSAGE, "schemas": SCHEMA}


def test_import_against_parsing(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """A thousand messages, against PyYAML's fastest loader for their text."""
    path, rounds = tmp_path / "shop.yaml", count()
    path.write_text(document(MESSAGES))

    def run() -> None:
        assert not xregit.import_documents(path, tmp_path / f"registry{next(rounds)}").failed

    def parse() -> None:
        yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)

    ratio(benchmark, run, parse, rounds=5)
    assert len(list(tmp_path.glob("registry0/messagegroups/*/messages/*.yaml"))) == MESSAGES
