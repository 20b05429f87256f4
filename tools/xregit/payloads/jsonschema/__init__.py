"""JSON Schema from draft-04 on, by the jsonschema-rs library: linear patterns, no network, in microseconds."""
