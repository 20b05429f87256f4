"""Two schemas of one language to what changed between them, and whether each reads what the other wrote."""

from xregit.payloads.compatibility.base import Answer, Breach, Compatibility, Verdict, breaches
from xregit.payloads.compatibility.comparison import compare, compare_documents, compatible

__all__ = ["Answer", "Breach", "Compatibility", "Verdict", "breaches", "compare", "compare_documents", "compatible"]
