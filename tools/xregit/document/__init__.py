"""xRegistry documents: a registry to a document or a static API, a document to a registry or to YAML files."""

from __future__ import annotations

from xregit.document.api import api_files
from xregit.document.compiling import compile_document
from xregit.document.importing import ImportReport, import_documents
from xregit.document.loading import load, read
from xregit.document.reading import read_document
from xregit.document.serialising import to_bytes

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
