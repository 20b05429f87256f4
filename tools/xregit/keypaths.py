"""Paths inside values, which are no paths of files: what leads from a value to one of its parts."""

#: Keys of mappings and indexes of lists.
KeyPath = tuple[str | int, ...]

#: Keys of mappings, or names of attributes, alone.
NamePath = tuple[str, ...]
