"""Two schemas of one language to what changed between them, and whether each reads what the other wrote."""

from xregit.payloads.compatibility.answers import Answer, Compatibility, Verdict
from xregit.payloads.compatibility.comparing import compare, compatible, related
from xregit.payloads.compatibility.policies import Breach, breaches

__all__ = ["Answer", "Breach", "Compatibility", "Verdict", "breaches", "compare", "compatible", "related"]
