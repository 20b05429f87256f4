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
    from xregit.messages.making import new
    from xregit.messages.matching import Matcher
    from xregit.pages.building import build_site
    from xregit.rules import RULES, Report, check
    from xregit.spark.asof import publish_history, published_at, tables_at
    from xregit.spark.publishing import publish
    from xregit.spark.streams.routing import route

_PLACES = {
    "Endpoint": "xregit.catalog",
    "Message": "xregit.catalog",
    "MessageGroup": "xregit.catalog",
    "Registry": "xregit.catalog",
    "Schema": "xregit.catalog",
    "SchemaGroup": "xregit.catalog",
    "read_commit": "xregit.catalog",
    "Change": "xregit.changes",
    "diff": "xregit.changes",
    "Review": "xregit.changes.policy",
    "review": "xregit.changes.policy",
    "Diagnostic": "xregit.diagnostics",
    "Severity": "xregit.diagnostics",
    "compile": "xregit.document:compile_document",
    "import_documents": "xregit.document",
    "export_asyncapi": "xregit.document.asyncapi",
    "load": "xregit.document",
    "read": "xregit.document",
    "CatalogError": "xregit.errors",
    "XregitError": "xregit.errors",
    "new": "xregit.messages.making",
    "Matcher": "xregit.messages.matching",
    "build_site": "xregit.pages.building",
    "RULES": "xregit.rules",
    "Report": "xregit.rules",
    "check": "xregit.rules",
    "publish_history": "xregit.spark.asof",
    "published_at": "xregit.spark.asof",
    "tables_at": "xregit.spark.asof",
    "publish": "xregit.spark.publishing",
    "route": "xregit.spark.streams.routing",
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
    """Import a public name when it is first asked for, so that ``import xregit`` stays fast."""
    if name not in _PLACES:
        message = f"module 'xregit' has no attribute {name!r}"
        raise AttributeError(message)
    module, _, attribute = _PLACES[name].partition(":")
    value = getattr(import_module(module), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name all that can be imported, loaded or not, for those who look around."""
    return sorted({*globals(), *__all__})
