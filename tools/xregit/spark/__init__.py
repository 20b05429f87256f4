"""The catalog as tables: rows from a registry, typed by the model, written by Spark, committed to Delta tables."""
