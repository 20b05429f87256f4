"""JSON Schema: whether all values of one schema are values of another, shown by proof or by counterexample."""
