"""The catalog: a registry folder read into immutable values, with what follows from them."""

from __future__ import annotations

from xregit.catalog.entities import Document, Group, Place, Resource, Version
from xregit.catalog.loader import read_commit, read_contents, read_folder
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import Resolved
from xregit.catalog.views import ContractEntry, Endpoint, Message, MessageGroup, Schema, SchemaGroup

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
