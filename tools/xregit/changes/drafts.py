"""Which groups are drafts: their definitions promise nothing, so that they may change at will.

A group says so by the label ``stage: draft``. What counts is what it said before the change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

LABEL, DRAFT = "stage", "draft"
_GROUP_PARTS = 3


def is_draft(group: Group) -> bool:
    """Tell whether a group is marked as a draft."""
    labels = group.attributes.get("labels")
    return isinstance(labels, Mapping) and labels.get(LABEL) == DRAFT


def in_draft(registry: Registry, xid: str) -> bool:
    """Tell whether an entity is a draft group, or in one."""
    group = registry.entity("/".join(xid.split("/")[:_GROUP_PARTS]))
    return isinstance(group, Group) and is_draft(group)
