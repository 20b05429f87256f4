"""The tables beside those of entities: what follows from the catalog and from its history, and the publications."""

from __future__ import annotations

from xregit.spark.columns import HASH, Column, Table, Type

MESSAGE_PROPERTIES = Table(
    "message_properties",
    "The properties that messages declare, base messages merged in: one row per envelope attribute or protocol option.",
    (
        Column("xid", comment="The message's xid, a hash sign and the JSON Pointer of the property."),
        Column("messagexid", comment="The message."),
        Column("section", comment="The part of the message that declares it, such as protocoloptions/headers."),
        Column("name", comment="The property's name on the wire."),
        Column("type", comment="The declared type, or that which the specification gives it."),
        Column("required", Type.BOOLEAN, "Whether every message must have it."),
        Column("value", comment="The value that it must have, possibly with placeholders."),
        Column("description", comment="What it is, in its authors' words."),
        Column("placeholders", Type.TEXTS, "The names of the placeholders in the value, in their order."),
        Column("originxid", comment="The message or group on which it was written."),
        HASH,
    ),
)
ENDPOINT_MESSAGES = Table(
    "endpoint_messages",
    "Which endpoint carries which message, and through what.",
    (
        Column("endpointxid", comment="The endpoint."),
        Column("messagexid", comment="The message."),
        Column("viaxid", comment="The message group that it comes through, or the endpoint itself."),
        HASH,
    ),
    ("endpointxid", "messagexid", "viaxid"),
)
COMMITS = Table(
    "commits",
    "The commits of the repository, up to the one that is published.",
    (
        Column("commit", comment="The commit's SHA."),
        Column("time", Type.TIMESTAMP, "When it was committed."),
        Column("author", comment="Who wrote it."),
        Column("subject", comment="The first line of its message."),
        HASH,
    ),
    ("commit",),
)
CHANGES = Table(
    "changes",
    "Which commit touched the file of which entity; entities that share a file change together.",
    (
        Column("xid", comment="The entity, which may be gone by now."),
        Column("commit", comment="The commit's SHA."),
        Column("change", comment="What became of the entity's file: added, changed or removed."),
        Column("time", Type.TIMESTAMP, "When it was committed."),
        HASH,
    ),
    ("xid", "commit"),
)
PUBLICATIONS = Table(
    "publications",
    "One row per publication, appended last: read all tables in these versions to see the registry of one commit.",
    (
        Column("number", Type.LONG, "Counts the publications from 1."),
        Column("commit", comment="The SHA that was published, or nothing where Git knows nothing."),
        Column("time", Type.TIMESTAMP, "When that commit was made."),
        Column("versions", Type.LONG_MAP, "The version of every table."),
        Column(
            "columns", Type.TEXT_MAP, "The columns that the model gives every table; null where they are as before."
        ),
        Column("publishedat", Type.TIMESTAMP, "When the tables were published."),
        HASH,
    ),
    ("number",),
)
DERIVED = (MESSAGE_PROPERTIES, ENDPOINT_MESSAGES, COMMITS, CHANGES, PUBLICATIONS)
