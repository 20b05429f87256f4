"""A small registry whose entities say several of each thing that they may, so that pages have to tell them apart."""

from __future__ import annotations

SCHEMA = """
{
  "type": "object",
  "required": ["id", "wheels"],
  "properties": {
    "id": {"type": "string", "description": "Which *car* it is.", "minLength": 3, "maxLength": 17},
    "colour": {"type": ["string", "null"], "enum": ["red", "green", "blue", null]},
    "gear": {"enum": ["p", "r", "n", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]},
    "wheels": {"type": "array", "items": {"type": "object", "required": ["side"], "properties": {
      "side": {"type": "string", "enum": ["left", "right"]},
      "pressure": {"type": "number", "minimum": 0}
    }}},
    "trailer": {"type": "object", "properties": {"axles": {"type": "integer"}}}
  }
}
"""
# In the next version a property is new, one is required, another has one value more, and a type differs.
NEXT_SCHEMA = (
    SCHEMA.replace('"required": ["id", "wheels"]', '"required": ["id", "wheels", "colour"]')
    .replace('["left", "right"]', '["left", "right", "spare"]')
    .replace('{"axles": {"type": "integer"}}', '{"axles": {"type": "string"}, "plate": {"type": "string"}}')
)
FILES = {
    "registry.yaml": """
        registryid: rich
        name: Cars & lorries
        documentation: https://docs.example.com/cars
        labels: {team: fleet, stage: test}
        """,
    "xregit.yaml": "repository: https://git.example.com/rich\nbaseurl: https://api.example.com/\n",
    "model.yaml": """
        groups:
          messagegroups:
            singular: messagegroup
            resources:
              messages:
                singular: message
                attributes:
                  limits:
                    type: object
                    attributes: {rate: {type: integer}, burst: {type: integer}}
                  topics: {type: array, item: {type: string}}
                  related: {type: array, item: {type: object, attributes: {who: {type: string}, at: {type: url}}}}
        """,
    "messagegroups/cars/messagegroup.yaml": """
        name: Cars
        envelope: CloudEvents/1.0
        labels: {area: road}
        deprecated:
          effective: 2026-01-01T00:00:00Z
          removal: 2027-01-01T00:00:00Z
          alternative: /messagegroups/cars.mqtt
          documentation: https://docs.example.com/why
        """,
    "messagegroups/cars/messages/cars.moved.yaml": """
        name: Car moved
        description: A car moved.
        documentation: https://docs.example.com/moved
        limits: {rate: 5, burst: 10}
        topics: [traffic, two words]
        related: [{who: Fleet, at: "https://fleet.example.com/"}, {who: Parts}]
        envelopemetadata:
          type: {value: cars.moved}
          source:
            type: uritemplate
            value: /fleets/{fleet}/cars/{vin}
            description: Who says so; {vin} is the car.
            specurl: https://docs.example.com/source
          subject: {type: uritemplate, value: "{vin}", required: false, description: The car.}
          level: {type: integer, required: true}
          tag: {type: string}
        datacontenttype: application/json
        dataschemaformat: JsonSchema/draft-07
        dataschemauri: /schemagroups/cars/schemas/moved/versions/1
        """,
    "messagegroups/cars/messages/cars.parked.yaml": """
        basemessage: /messagegroups/cars/messages/cars.moved
        description: A car stands still.
        deprecated: {removal: 2027-06-01T00:00:00Z, documentation: https://docs.example.com/parked}
        envelopemetadata: {type: {value: cars.parked}}
        """,
    "messagegroups/cars/messages/cars.listed.yaml": """
        envelopemetadata: {type: {value: cars.listed}}
        dataschemaformat: JsonSchema/draft-07
        dataschema: {type: array, items: {type: string}}
        """,
    "messagegroups/cars.mqtt/messagegroup.yaml": """
        name: Cars over MQTT
        protocol: MQTT/5.0
        envelope: CloudEvents/1.0
        """,
    "messagegroups/cars.mqtt/messages/cars.parked.yaml": """
        basemessage: /messagegroups/cars/messages/cars.parked
        envelopeoptions: {mode: structured}
        protocoloptions:
          topic_name: {value: "fleets/{fleet}/{vin}", description: One topic for each car.}
          qos: 1
          user_properties:
            - {name: region, value: "{region}", required: true}
            - {name: region, value: eu}
        """,
    "messagegroups/alike/messages/moved.yaml": "xref: /messagegroups/cars/messages/cars.moved\n",
    "endpoints/hub/endpoint.yaml": """
        name: Car hub
        usage: [subscriber, producer]
        channel: road
        envelope: CloudEvents/1.0
        envelopeoptions: {mode: structured, format: application/cloudevents+json}
        protocol: MQTT/5.0
        protocoloptions:
          endpoints: [{uri: "mqtts://one.example.com:8883"}, {uri: "mqtts://two.example.com:8883"}]
          topic: fleets/{fleet}/#
          authorization:
            - {type: OAuth2, resourceuri: "https://login.example.com/", granttypes: [client_credentials, password]}
            - {type: X509Cert}
        messagegroups: [/messagegroups/cars.mqtt, /messagegroups/cars]
        deprecated: {effective: 2026-02-01T00:00:00Z, alternative: https://elsewhere.example.com/hub}
        """,
    "endpoints/hub/messages/hub.full.yaml": """
        envelopemetadata: {type: {value: hub.full}}
        protocol: MQTT/5.0
        protocoloptions: {topic_name: hub/full}
        """,
    "endpoints/road.web/endpoint.yaml": """
        usage: [consumer]
        channel: road
        protocol: HTTP
        protocoloptions: {endpoints: [{uri: "https://web.example.com/cars"}], method: POST}
        messagegroups: [/messagegroups/cars]
        """,
    "schemagroups/cars/schemagroup.yaml": "name: Payloads of cars\n",
    "schemagroups/cars/schemas/moved/schema.yaml": """
        name: Car moved
        format: JsonSchema/draft-07
        meta: {defaultversionid: "1", defaultversionsticky: true, compatibility: backward}
        versions:
          "1": {description: The first.}
          "2": {description: Has wheels., ancestor: "1"}
        """,
    "schemagroups/cars/schemas/moved/versions/1.json": SCHEMA,
    "schemagroups/cars/schemas/moved/versions/2.json": NEXT_SCHEMA,
}
