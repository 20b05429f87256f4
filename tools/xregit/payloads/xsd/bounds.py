"""Limits to content models that are gone through: groups within groups may stand for any number of elements."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from xmlschema.validators import XsdComplexType, XsdGroup
from xmlschema.validators.exceptions import XMLSchemaModelDepthError

if TYPE_CHECKING:
    import xmlschema

MAX_PARTICLES = 10_000


def unbounded(schema: xmlschema.XMLSchemaBase) -> Iterator[str]:
    """Say of each complex type of a schema why it can't be gone through, if it can't."""
    for type_ in schema.iter_components(XsdComplexType):
        if not isinstance(type_, XsdComplexType) or not isinstance(content := type_.content, XsdGroup):
            continue
        name = f'the type "{type_.local_name}"' if type_.local_name else "a type"
        try:
            if next(islice(content.iter_elements(), MAX_PARTICLES, None), None) is not None:
                yield f"the groups of {name} stand for more than {MAX_PARTICLES:,} elements"
        except XMLSchemaModelDepthError:
            yield f"the groups of {name} are nested too deep"
