"""Text files to values and places, values to text files, and what Git knows about them."""
