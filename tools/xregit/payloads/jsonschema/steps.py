"""Schemas that lead back to themselves, with a limit to the work that one value may make.

Each level of a value may be compared with several branches, each of which compares the next level with all branches
again: the work doubles with every level. A keyword of our own, in every subschema, counts and ends that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xregit.payloads.jsonschema.walking import rebuilt

KEYWORD = "x-xregit-step"
MAX_STEPS = 200_000


@dataclass(slots=True)
class Steps:
    """How many subschemas one value may still be compared with."""

    left: int = MAX_STEPS

    def keywords(self) -> dict[str, Any]:
        """Return the keyword for the library: a class that it makes an object of wherever the keyword stands."""
        steps = self

        class Step:
            def __init__(self, _schema: Any, _value: Any, _path: Any) -> None:
                """Need nothing of the schema around it."""

            def validate(self, _value: Any) -> None:
                """Count one use; the library takes the error for a value that isn't valid, and goes no deeper."""
                steps.left -= 1
                if steps.left < 0:
                    raise ValueError

        return {KEYWORD: Step}


def with_steps(schema: Any) -> Any:
    """Return a schema with the keyword in all subschemas except beside ``$ref``, where old drafts ignore all else."""
    if not isinstance(schema, dict):
        return schema
    return rebuilt(schema if "$ref" in schema else {KEYWORD: True, **schema}, with_steps)
