"""Payload schema languages: a schema document to what validates, decodes, encodes and shows payloads."""

from xregit.payloads.base import Fetch, PayloadError, PayloadSchema, Problem, SchemaError
from xregit.payloads.fields import TYPES, Field
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
