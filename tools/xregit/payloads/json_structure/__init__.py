"""JSON Structure: documents judged by its own SDK, payloads by the JSON Schema that says the same."""
