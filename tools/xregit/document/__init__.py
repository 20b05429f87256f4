"""xRegistry documents: a registry becomes a document or a static API, a document becomes a registry or YAML files."""

from __future__ import annotations

from xregit.document.compiler import compile_document
from xregit.document.importer import ImportReport, import_documents
from xregit.document.loader import load, read, read_document
from xregit.document.static_api import api_files
from xregit.source.json_emitter import to_bytes

__all__ = [
    "ImportReport",
    "api_files",
    "compile_document",
    "import_documents",
    "load",
    "read",
    "read_document",
    "to_bytes",
]
