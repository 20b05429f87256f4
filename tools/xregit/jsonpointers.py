"""The parts of JSON Pointers (RFC 6901, section 3): names in which ``~`` and ``/`` are escaped."""


def escaped(name: object) -> str:
    """Return a name or index as a part of a pointer."""
    return str(name).replace("~", "~0").replace("/", "~1")


def unescaped(part: str) -> str:
    """Return the name that a part of a pointer stands for."""
    return part.replace("~1", "/").replace("~0", "~")
