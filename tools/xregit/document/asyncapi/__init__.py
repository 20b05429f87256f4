"""AsyncAPI 3 documents, one for each endpoint of a registry."""

from __future__ import annotations

from xregit.document.asyncapi.exporter import asyncapi_files, export_asyncapi

__all__ = ["asyncapi_files", "export_asyncapi"]
