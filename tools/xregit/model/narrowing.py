"""What an attribute says of its value beyond the type: enumerated values, a narrower form, where a reference leads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xregit.model import faults
from xregit.model.datatypes import DATATYPES, SYNTAXES

if TYPE_CHECKING:
    from xregit.diagnostics import Finding
    from xregit.model.faults import Key, Path
    from xregit.model.language import AttributeModel


def narrowed_by(attribute: AttributeModel) -> Callable[[Any, Path, Key, list[Finding]], None] | None:
    """Return the test of what an attribute says beyond its type, or nothing if it says no more."""
    listed = frozenset(map(repr, attribute.enum)) if attribute.enum and attribute.strict else None
    syntax, targets = attribute.syntax, kinds_of(attribute)
    if listed is None and not syntax and not targets:
        return None

    def narrowed(value: Any, path: Path, key: Key, findings: list[Finding]) -> None:
        if listed is not None and repr(value) not in listed:
            findings.append(faults.not_listed(attribute, value, path, key))
        elif syntax and not SYNTAXES[syntax].test(value):
            findings.append(faults.wrong(attribute, value, path, key, SYNTAXES[syntax].about))
        elif targets and not _leads_to(value, targets):
            findings.append(faults.malformed(attribute, value, path, key))

    return narrowed


def kinds_of(attribute: AttributeModel) -> frozenset[str]:
    """Return the types that a reference may lead to, with "/versions" for those of versions."""
    kinds: set[str] = set()
    for target in attribute.targets or ((attribute.target,) if attribute.target else ()):
        plain = target.removesuffix("[/versions]")
        kinds |= {plain, f"{plain}/versions"} if plain != target else {plain}
    return frozenset(kinds)


def kind_of(xid: str) -> str:
    """Return the type of entity that a well-formed xid names, such as ``/messagegroups/messages``."""
    parts = xid.split("/")
    return "/" + "/".join(part for part in parts[1::2] if part)


def _leads_to(value: str, targets: frozenset[str]) -> bool:
    """Tell whether a URI is absolute, a JSON pointer into the document, or an xid of a right type."""
    if value.startswith("/"):
        return DATATYPES["xid"].test(value) and kind_of(value) in targets
    return value.startswith("#/") or SYNTAXES["absolute"].test(value)
