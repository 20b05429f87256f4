"""Protobuf: documents read here into descriptors, payloads read and written by the protobuf library."""
