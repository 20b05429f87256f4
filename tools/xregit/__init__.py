"""xregit: a message catalog that lives in Git. The public Python API; everything is loaded where it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xregit.catalog import Endpoint, Message, MessageGroup, Registry, Schema, SchemaGroup, read_commit
    from xregit.changes import Change, diff
    from xregit.changes.policy import Review, review
    from xregit.diagnostics import Diagnostic, Severity
    from xregit.document import compile_document as compile  # noqa: A004
    from xregit.document import import_documents, load, read
    from xregit.document.asyncapi import export_asyncapi
    from xregit.errors import CatalogError, XregitError
    from xregit.messages.encoder import new
    from xregit.messages.matcher import Matcher
    from xregit.pages.builder import build_site
    from xregit.rules import RULES, Report, check
    from xregit.spark.publication import publish, publish_history, published_at, tables_at
    from xregit.spark.streams.job import route

_PLACES = {
    "Endpoint": "catalog",
    "Message": "catalog",
    "MessageGroup": "catalog",
    "Registry": "catalog",
    "Schema": "catalog",
    "SchemaGroup": "catalog",
    "read_commit": "catalog",
    "Change": "changes",
    "diff": "changes",
    "Review": "changes.policy",
    "review": "changes.policy",
    "Diagnostic": "diagnostics",
    "Severity": "diagnostics",
    "compile": "document:compile_document",
    "import_documents": "document",
    "export_asyncapi": "document.asyncapi",
    "load": "document",
    "read": "document",
    "CatalogError": "errors",
    "XregitError": "errors",
    "new": "messages.encoder",
    "Matcher": "messages.matcher",
    "build_site": "pages.builder",
    "RULES": "rules",
    "Report": "rules",
    "check": "rules",
    "publish_history": "spark.publication",
    "published_at": "spark.publication",
    "tables_at": "spark.publication",
    "publish": "spark.publication",
    "route": "spark.streams.job",
}

__all__ = [
    "RULES",
    "CatalogError",
    "Change",
    "Diagnostic",
    "Endpoint",
    "Matcher",
    "Message",
    "MessageGroup",
    "Registry",
    "Report",
    "Review",
    "Schema",
    "SchemaGroup",
    "Severity",
    "XregitError",
    "build_site",
    "check",
    "compile",
    "diff",
    "export_asyncapi",
    "import_documents",
    "load",
    "new",
    "publish",
    "publish_history",
    "published_at",
    "read",
    "read_commit",
    "review",
    "route",
    "tables_at",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: Spark, MkDocs and the languages' libraries take time to load.

    Raises:
        AttributeError: there is no such name.
    """
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    module, _, attribute = _PLACES[name].partition(":")
    value = getattr(import_module(f"{__name__}.{module}"), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name all that can be imported, loaded or not, for those who look around."""
    return sorted({*globals(), *__all__})
