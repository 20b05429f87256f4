"""Streams of messages sorted by the catalog: one table per definition, each row in exactly one of them, once."""
