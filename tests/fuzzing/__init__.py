"""Every reader of foreign bytes, fed with bytes that nobody thought of."""
