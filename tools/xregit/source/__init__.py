"""Text files: parsing with positions, writing, atomic replacement, and their history in Git."""
