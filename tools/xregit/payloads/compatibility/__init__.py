"""Two schemas of one language to what changed between them, and whether each reads what the other wrote."""

from xregit.payloads.compatibility.comparison import compare, compare_documents, compatible
from xregit.payloads.compatibility.verdicts import Answer, Breach, Compatibility, Verdict, breaches

__all__ = ["Answer", "Breach", "Compatibility", "Verdict", "breaches", "compare", "compare_documents", "compatible"]
