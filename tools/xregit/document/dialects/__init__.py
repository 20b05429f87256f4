"""Dialects of xRegistry documents: detection, and conversion to the names of the current release."""
