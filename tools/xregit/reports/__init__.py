"""Diagnostics as text for people and machines: one function for each format, all pure."""
