"""Xids, such as ``/messagegroups/fleet/messages/position``, and their parts (core specification, xid)."""

from __future__ import annotations

import re
from dataclasses import dataclass

# core/spec.md, "<SINGULAR>id": RFC 3986 unreserved characters, ":" and "@", first a letter, digit or "_".
ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-~:@]{0,127}")
MAX_ID_CHARS = 128


@dataclass(frozen=True, slots=True)
class Xid:
    """The parts of an xid, empty where it has none. ``meta`` says that it names a resource's meta entity."""

    groups: str = ""
    group: str = ""
    resources: str = ""
    resource: str = ""
    version: str = ""
    meta: bool = False

    def __str__(self) -> str:
        """Return the xid's text, ``/`` for the registry itself."""
        parts = [self.groups, self.group, self.resources, self.resource]
        if self.meta:
            parts.append("meta")
        elif self.version:
            parts += ["versions", self.version]
        return "/" + "/".join(part for part in parts if part)

    @classmethod
    def parse(cls, text: str) -> Xid:
        """Return the parts of an xid.

        Raises:
            ValueError: the text isn't an xid of an entity; the message says why.
        """
        if not text.startswith("/"):
            raise ValueError(f'the xid "{text}" does not begin with "/"')
        parts = text[1:].split("/") if len(text) > 1 else []
        if "" in parts:
            raise ValueError(f'the xid "{text}" has an empty part')
        if len(parts) == _META and parts[4] == "meta":
            return cls(parts[0], parts[1], parts[2], parts[3], meta=True)
        if len(parts) == _VERSION and parts[4] == "versions":
            return cls(parts[0], parts[1], parts[2], parts[3], parts[5])
        if len(parts) in {0, 2, 4}:
            groups, group, resources, resource = parts + [""] * (4 - len(parts))
            return cls(groups, group, resources, resource)
        raise ValueError(f'the xid "{text}" names no entity: it has {len(parts)} parts')


_META, _VERSION = 5, 6


def parent(xid: str) -> str:
    """Return the xid of the group of a resource, or of the resource of a version."""
    return xid.rsplit("/", 2)[0]


def is_id(text: str) -> bool:
    """Return whether the text may be an entity's id."""
    return ID.fullmatch(text) is not None
