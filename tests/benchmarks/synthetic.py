"""Registries of any size, the same ones each time: messages as people write them, of about 51 lines each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

GROUP_SIZE = 50
# What the ids of messages begin with, which are the types of their events.
PREFIX = "com.example.plant.reading."

OPTIONS: Mapping[str, str] = {
    "HTTP": """\
  method: POST
  path: /plants/{plant}/{number}
  headers:
    - name: x-plant
      description: The plant that the reading comes from.
      value: "{plant}"
    - name: content-encoding
      value: identity
  query:
    - name: line
      value: "{line}"
""",
    "AMQP/1.0": """\
  properties:
    subject:
      value: "{plant}"
    to:
      value: queue://plants/{plant}
  application-properties:
    plant:
      description: The plant that the reading comes from.
      value: "{plant}"
    line:
      value: "{line}"
""",
    "MQTT/5.0": """\
  topic_name: plants/{plant}/lines/{line}/{number}
  qos: 1
  retain: false
  message_expiry_interval: 3600
  response_topic: plants/{plant}/answers
  user_properties:
    - name: plant
      value: "{plant}"
    - name: line
      value: "{line}"
""",
    "MQTT/3.1.1": """\
  topic_name: plants/{plant}/lines/{line}/{number}
  qos: 1
  retain: false
""",
    "KAFKA": """\
  topic: plants.{plant}
  key: "{line}"
  headers:
    plant:
      description: The plant that the reading comes from.
      value: "{plant}"
    line:
      value: "{line}"
""",
    "NATS": """\
  subject: plants.{plant}.{line}
  headers:
    - name: plant
      description: The plant that the reading comes from.
      value: "{plant}"
    - name: line
      value: "{line}"
""",
}

# A protocol without headers has room for an event in the payload alone, and so the payload is the event.
MEDIA_TYPES: Mapping[str, str] = {"MQTT/3.1.1": "application/cloudevents+json"}

MESSAGE = """\
name: Reading {number} of group {group}
description: >-
  A sensor of line {line_number} has sent its reading number {number}. It is sent once for each cycle of the machine,
  and again with the same identity when nobody has acknowledged it within ten seconds. Receivers that
  count cycles drop the second one by its identity; those that show the newest value may take both.
documentation: https://docs.example.com/plants/readings/{number}
{base}labels:
  owner: plant-{number}
  domain: production
  stage: line-{line_number}
envelopemetadata:
  type:
    description: Says what kind of reading it is.
    value: {prefix}{number}
  source:
    description: The plant and line that the sensor stands at.
    type: uritemplate
    value: https://plants.example.com/{{plant}}/lines/{{line}}
  subject:
    description: The sensor's number, unique within the line.
    type: string
    value: "{{sensor}}"
    required: true
  time:
    description: When the reading was taken, by the sensor's own clock.
    type: timestamp
    required: true
  dataschema:
    description: Where the payload is described.
    type: uri
    value: https://schemas.example.com/plants/readings/{number}
protocoloptions:
{options}datacontenttype: {media}
dataschemaformat: JsonSchema/draft-07
dataschema:
  type: object
  required:
    - value
  properties:
    value:
      type: number
    unit:
      type: string
"""

GROUP = """\
name: Plant {number}
description: The readings of the sensors of plant {number}.
envelope: CloudEvents/1.0
protocol: {protocol}
"""


def write_registry(folder: Path, messages: int) -> Path:
    """Write a registry with that many messages, 50 to a group, all protocols in turn; return its folder."""
    for path, text in files(messages):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def files(messages: int) -> Iterator[tuple[str, str]]:
    """Give each file's path below the registry folder and its text."""
    yield "registry.yaml", "registryid: synthetic\nname: A registry of a given size\n"
    for number in range(messages):
        group, place = divmod(number, GROUP_SIZE)
        protocol = list(OPTIONS)[group % len(OPTIONS)]
        if place == 0:
            yield f"messagegroups/plant{group}/messagegroup.yaml", GROUP.format(number=group, protocol=protocol)
        yield f"messagegroups/plant{group}/messages/{PREFIX}{number}.yaml", message(group, place, protocol)


def message(group: int, place: int, protocol: str) -> str:
    """Return one message's file; every fifth builds on the group's first, every tenth on the one before it."""
    base = {0: place - 5 if place else None, 5: 0}.get(place % 10)
    number = group * GROUP_SIZE + place
    xid = f"/messagegroups/plant{group}/messages/{PREFIX}{number - place + (base or 0)}"
    line = "" if base is None else f"basemessage: {xid}\n"
    options, media = OPTIONS[protocol], MEDIA_TYPES.get(protocol, "application/json")
    texts = {"prefix": PREFIX, "base": line, "options": options, "media": media}
    return MESSAGE.format(group=group, number=number, line_number=place % 7, **texts)
