"""The catalog: a registry folder read into immutable values, with what follows from them."""

from __future__ import annotations

from xregit.catalog.entities import Document, Group, Place, Resource, Version
from xregit.catalog.groups import MessageGroup, SchemaGroup
from xregit.catalog.reading import read_commit, read_contents, read_folder
from xregit.catalog.registry import Registry
from xregit.catalog.resolving import Resolved
from xregit.catalog.schemas import Schema
from xregit.catalog.views import ContractEntry, Endpoint, Message

__all__ = [
    "ContractEntry",
    "Document",
    "Endpoint",
    "Group",
    "Message",
    "MessageGroup",
    "Place",
    "Registry",
    "Resolved",
    "Resource",
    "Schema",
    "SchemaGroup",
    "Version",
    "read_commit",
    "read_contents",
    "read_folder",
]
