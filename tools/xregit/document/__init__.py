"""xRegistry documents: a registry to a document or a static API, a document to a registry or to YAML files.

Each name is imported when it is first used: a run that copies most of a document needs hardly any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.lazily import later

if TYPE_CHECKING:
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

_PLACES = {
    "ImportReport": "importing",
    "api_files": "api",
    "compile_document": "compiling",
    "import_documents": "importing",
    "load": "loading",
    "read": "loading",
    "read_document": "reading",
    "to_bytes": "serialising",
}

__getattr__ = later(__name__, _PLACES)
