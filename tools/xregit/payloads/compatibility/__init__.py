"""The comparison of two schemas of one language: what changed, and whether each reads what the other wrote."""

from xregit.payloads.compatibility.base import Answer, Breach, Compatibility, Verdict, breaches
from xregit.payloads.compatibility.comparison import compare, compare_documents, compatible

__all__ = ["Answer", "Breach", "Compatibility", "Verdict", "breaches", "compare", "compare_documents", "compatible"]
