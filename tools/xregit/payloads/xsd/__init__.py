"""XML Schema 1.0 and 1.1 by the xmlschema library: no entities, no network, patterns in linear time."""
