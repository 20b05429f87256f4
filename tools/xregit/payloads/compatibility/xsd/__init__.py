"""XML Schema: elements, attributes and texts of one schema held against those of another."""
