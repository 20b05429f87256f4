"""Avro: schemas read strictly here, bytes read and written by fastavro within bounds that are checked first."""
