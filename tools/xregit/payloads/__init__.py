"""Payload schema languages: the schema objects that validate, decode, encode and show payloads."""

from xregit.payloads.base import Fetch, PayloadError, Problem, SchemaError
from xregit.payloads.fields import TYPES, Field
from xregit.payloads.languages import PayloadSchema, language, parse, parse_types, problems

__all__ = [
    "TYPES",
    "Fetch",
    "Field",
    "PayloadError",
    "PayloadSchema",
    "Problem",
    "SchemaError",
    "language",
    "parse",
    "parse_types",
    "problems",
]
