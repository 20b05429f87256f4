"""The singular names of types as they stand in sentences."""

from __future__ import annotations

_WORDS = {"messagegroup": "message group", "schemagroup": "schema group"}


def called(singular: str) -> str:
    """Return what people call an entity of a type, such as ``message group``."""
    return _WORDS.get(singular, singular.replace("_", " "))
