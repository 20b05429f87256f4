"""Payload schema languages: a schema document to what validates, decodes, encodes and shows payloads."""

from xregit.payloads.languages import language, parse, problems
from xregit.payloads.shapes import TYPES, Fetch, Field, PayloadError, PayloadSchema, Problem, SchemaError

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
