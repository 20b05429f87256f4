"""Repositories that are made to hurt."""
