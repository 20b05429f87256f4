"""Values for examples, by the format or type that asks for one."""

from __future__ import annotations

# By the names of JSON Schema's "format" keyword; other languages use those that fit.
TEXTS = {
    "date-time": "2026-01-31T09:30:00Z",
    "date": "2026-01-31",
    "time": "09:30:00Z",
    "duration": "PT15M",
    "uuid": "7f1c8d5e-2b0a-4c1e-9d55-0a6f3c2b1e90",
    "uri": "https://example.com/item",
    "iri": "https://example.com/item",
    "uri-reference": "https://example.com/item",
    "iri-reference": "https://example.com/item",
    "uri-template": "https://example.com/{item}",
    "email": "someone@example.com",
    "idn-email": "someone@example.com",
    "hostname": "www.example.com",
    "idn-hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "json-pointer": "/item",
    "relative-json-pointer": "0",
    "regex": "^a$",
    "byte": "Ynl0ZXM=",
    "local-time": "09:30:00",
    "decimal": "1.5",
}
