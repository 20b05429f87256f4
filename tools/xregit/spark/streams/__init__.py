"""Streams of messages routed by the catalog: one table per definition, each message in exactly one row, once."""
