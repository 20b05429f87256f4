"""Payload schema languages: a schema document to what validates, decodes, encodes and shows payloads."""

from xregit.payloads.base import TYPES, Fetch, Field, PayloadError, PayloadSchema, Problem, SchemaError
from xregit.payloads.languages import language, parse, problems

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
    "problems",
]
