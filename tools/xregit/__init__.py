"""xregit: a message catalog that lives in Git. The public Python API; everything is loaded where it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Diagnostic, Severity
from xregit.errors import CatalogError, XregitError

if TYPE_CHECKING:
    from xregit.catalog import (
        ContractEntry,
        Endpoint,
        Message,
        MessageGroup,
        Registry,
        Resolved,
        Schema,
        SchemaGroup,
        Version,
        read_commit,
    )
    from xregit.changes import Change, Impact, diff
    from xregit.changes.review import Review, review
    from xregit.document import ImportReport, import_documents, load, read
    from xregit.document import compile_document as compile  # noqa: A004
    from xregit.document.asyncapi import export_asyncapi
    from xregit.document.learner import LearnReport, Limits, learn
    from xregit.messages.constraints import Failure
    from xregit.messages.encoder import MessageError, new
    from xregit.messages.matcher import Matcher
    from xregit.messages.result import DefinitionMatch, Match, Reason
    from xregit.pages.builder import build_site
    from xregit.protocols import Wire
    from xregit.rules import RULES, Report, Rule, check
    from xregit.spark.publication import (
        Publication,
        PublishedVersions,
        TablePublication,
        publish,
        publish_history,
        published_at,
        tables_at,
    )
    from xregit.spark.streams.job import route
    from xregit.spark.streams.sink import BatchResult

_PLACES = {
    "ContractEntry": "catalog",
    "Endpoint": "catalog",
    "Message": "catalog",
    "MessageGroup": "catalog",
    "Registry": "catalog",
    "Resolved": "catalog",
    "Schema": "catalog",
    "SchemaGroup": "catalog",
    "Version": "catalog",
    "read_commit": "catalog",
    "Change": "changes",
    "Impact": "changes",
    "diff": "changes",
    "Review": "changes.review",
    "review": "changes.review",
    "Diagnostic": "diagnostics",
    "Severity": "diagnostics",
    "ImportReport": "document",
    "compile": "document:compile_document",
    "import_documents": "document",
    "load": "document",
    "read": "document",
    "export_asyncapi": "document.asyncapi",
    "LearnReport": "document.learner",
    "Limits": "document.learner",
    "learn": "document.learner",
    "CatalogError": "errors",
    "XregitError": "errors",
    "Failure": "messages.constraints",
    "MessageError": "messages.encoder",
    "new": "messages.encoder",
    "Matcher": "messages.matcher",
    "DefinitionMatch": "messages.result",
    "Match": "messages.result",
    "Reason": "messages.result",
    "build_site": "pages.builder",
    "Wire": "protocols",
    "RULES": "rules",
    "Report": "rules",
    "Rule": "rules",
    "check": "rules",
    "Publication": "spark.publication",
    "PublishedVersions": "spark.publication",
    "TablePublication": "spark.publication",
    "publish": "spark.publication",
    "publish_history": "spark.publication",
    "published_at": "spark.publication",
    "tables_at": "spark.publication",
    "BatchResult": "spark.streams.sink",
    "route": "spark.streams.job",
}

__all__ = [
    "RULES",
    "BatchResult",
    "CatalogError",
    "Change",
    "ContractEntry",
    "DefinitionMatch",
    "Diagnostic",
    "Endpoint",
    "Failure",
    "Impact",
    "ImportReport",
    "LearnReport",
    "Limits",
    "Match",
    "Matcher",
    "Message",
    "MessageError",
    "MessageGroup",
    "Publication",
    "PublishedVersions",
    "Reason",
    "Registry",
    "Report",
    "Resolved",
    "Review",
    "Rule",
    "Schema",
    "SchemaGroup",
    "Severity",
    "TablePublication",
    "Version",
    "Wire",
    "XregitError",
    "build_site",
    "check",
    "compile",
    "diff",
    "export_asyncapi",
    "import_documents",
    "learn",
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
        XregitError: it needs Spark, which is not installed.
    """
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PLACES[name].partition(":")
    if module.startswith("spark."):
        import_module(f"{__name__}.spark").require_spark()
    value = getattr(import_module(f"{__name__}.{module}"), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names that can be imported, loaded or not, for completion."""
    return sorted({*globals(), *__all__})
