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

# The public names that are loaded where they are first used, by their modules.
_NAMES = {
    "catalog": "ContractEntry Endpoint Message MessageGroup Registry Resolved Schema SchemaGroup Version read_commit",
    "changes": "Change Impact diff",
    "changes.review": "Review review",
    "document": "ImportReport compile import_documents load read",
    "document.asyncapi": "export_asyncapi",
    "document.learner": "LearnReport Limits learn",
    "messages.constraints": "Failure",
    "messages.encoder": "MessageError new",
    "messages.matcher": "Matcher",
    "messages.result": "DefinitionMatch Match Reason",
    "pages.builder": "build_site",
    "protocols": "Wire",
    "rules": "RULES Report Rule check",
    "spark.publication": "Publication PublishedVersions TablePublication publish publish_history published_at "
    "tables_at",
    "spark.streams.sink": "BatchResult",
    "spark.streams.job": "route",
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names.split()}
_RENAMED = {"compile": "compile_document"}

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
    module = _PLACES[name]
    if module.startswith("spark."):
        import_module(f"{__name__}.spark").require_spark()
    value = getattr(import_module(f"{__name__}.{module}"), _RENAMED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names that can be imported, loaded or not, for completion."""
    return sorted({*globals(), *__all__})
