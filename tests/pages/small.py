"""A small registry with one of everything that pages show."""

from __future__ import annotations

from pathlib import Path

from tests.catalog.folders import folder

FILES = {
    "registry.yaml": """
        registryid: small
        name: Small catalog
        description: A *small* catalog; see [the doors](/messagegroups/doors).
        labels: {team: doors}
        """,
    "xregit.yaml": "repository: https://git.example.com/small\n",
    "model.yaml": """
        groups:
          messagegroups:
            singular: messagegroup
            resources:
              messages:
                singular: message
                attributes:
                  owner:
                    type: string
                    description: The team to ask.
                  terms:
                    type: array
                    item: {type: xid}
          glossaries:
            singular: glossary
            description: Words of the trade.
            resources:
              terms:
                singular: term
                maxversions: 1
                hasdocument: false
                setdefaultversionsticky: false
                attributes:
                  abbreviation: {type: string, description: The short form.}
        """,
    "messagegroups/doors/messagegroup.yaml": """
        name: Doors
        description: What doors report.
        envelope: CloudEvents/1.0
        """,
    "messagegroups/doors/messages/doors.opened.yaml": """
        name: Door opened
        description: |
          A door was **opened**. Sent when the lock is released.

          See [the manual](https://docs.example.com/doors) or [closing](/messagegroups/doors/messages/doors.closed).
        owner: Door team
        terms: [/glossaries/trade/terms/lock, /glossaries/trade/terms/missing]
        labels: {domain: doors}
        envelopemetadata:
          type: {value: doors.opened}
          source: {type: uritemplate, value: "/buildings/{building}"}
          subject: {type: uritemplate, value: "{door}", required: true, description: The door that was opened.}
          severity: {type: integer, value: 3}
        dataschemaformat: JsonSchema/draft-07
        dataschemauri: /schemagroups/doors/schemas/opened
        datacontenttype: application/json
        """,
    "messagegroups/doors/messages/doors.closed.yaml": """
        name: Door closed
        description: A door was closed.
        deprecated:
          effective: 2026-01-01T00:00:00Z
          removal: 2027-01-01T00:00:00Z
          alternative: /messagegroups/doors/messages/doors.opened
        envelopemetadata:
          type: {value: doors.closed}
        """,
    "messagegroups/doors.mqtt/messagegroup.yaml": """
        name: Doors over MQTT
        envelope: CloudEvents/1.0
        protocol: MQTT/5.0
        """,
    "messagegroups/doors.mqtt/messages/doors.opened.yaml": """
        basemessage: /messagegroups/doors/messages/doors.opened
        envelopeoptions: {mode: binary}
        envelopemetadata:
          subject: {required: false}
        protocoloptions:
          topic_name: buildings/{building}/doors/{door}
          qos: 1
          user_properties:
            - {name: region, value: "{region}"}
        """,
    "messagegroups/aliases/messagegroup.yaml": "envelope: CloudEvents/1.0\n",
    "messagegroups/aliases/messages/opened.yaml": "xref: /messagegroups/doors/messages/doors.opened\n",
    "endpoints/broker/endpoint.yaml": """
        name: Door broker
        description: Where doors are heard.
        usage: [subscriber]
        channel: doors
        envelope: CloudEvents/1.0
        protocol: MQTT/5.0
        protocoloptions:
          endpoints:
            - url: mqtts://broker.example.com:8883
          topic: buildings/{building}/#
          authorization: {type: OAuth2, granttypes: [client_credentials]}
        messagegroups: [/messagegroups/doors.mqtt]
        """,
    "endpoints/panel/endpoint.yaml": """
        name: Door panel
        usage: [producer]
        channel: doors
        protocol: HTTP
        messagegroups: [/messagegroups/doors]
        """,
    "endpoints/panel/messages/panel.pressed.yaml": """
        description: Somebody pressed a button.
        protocol: HTTP
        protocoloptions:
          method: POST
          path: /panels/{panel}
          headers:
            - {name: x-button, value: "{button}"}
        """,
    "schemagroups/doors/schemagroup.yaml": "description: Payloads of doors.\n",
    "schemagroups/doors/schemas/opened/schema.yaml": """
        name: Door opened
        format: JsonSchema/draft-07
        versions:
          "2": {description: Adds who opened it.}
        """,
    "schemagroups/doors/schemas/opened/versions/1.json": '{"type":"object"}',
    "schemagroups/doors/schemas/opened/versions/2.json": """
        {
          "type": "object",
          "properties": {"who": {"type": "string"}}
        }
        """,
    "glossaries/trade/glossary.yaml": "description: Words of the lock trade.\n",
    "glossaries/trade/terms/lock.yaml": """
        name: Lock
        description: What keeps a door <shut>.
        abbreviation: L
        """,
}


def small_folder(root: Path) -> Path:
    """Write the registry below a folder and return its own."""
    return folder(root, FILES)
