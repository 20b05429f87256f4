"""Catalogs with one fault each, and what is said of them."""
