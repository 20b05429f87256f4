"""A registry to AsyncAPI 3 documents, one for each endpoint."""

from __future__ import annotations

from xregit.document.asyncapi.exporter import asyncapi_files, export_asyncapi

__all__ = ["asyncapi_files", "export_asyncapi"]
