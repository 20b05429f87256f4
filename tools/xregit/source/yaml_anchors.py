"""YAML with anchors, aliases, merge keys and tags, as other tools write it: our own files have none."""

from __future__ import annotations

import re
from typing import Any

import yaml

from xregit.source import yaml_loader
from xregit.source.parse_result import Parsed, Problem
from xregit.source.scalars import scalar

try:
    from yaml import CSafeLoader as _Base
except ImportError:  # pyyaml without libyaml
    from yaml import SafeLoader as _Base  # type: ignore[assignment]

_EXPANDED = frozenset({"yaml-alias", "yaml-tag", "yaml-key", "yaml-duplicate-key"})
# What aliases may expand to, in values.
_MAX_VALUES = 1_000_000


class _CoreLoader(_Base):
    """pyyaml's loader, with plain scalars by the core schema of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, Any] = {"<": [("tag:yaml.org,2002:merge", re.compile("^<<$"))]}  # noqa: RUF012 - as pyyaml has it


def _construct_text(_: Any, node: Any) -> Any:
    return node.value if node.style else scalar(node.value)


_CoreLoader.add_constructor("tag:yaml.org,2002:str", _construct_text)


def expand_anchors(data: bytes) -> Parsed:
    """Return the value of a YAML text with its aliases replaced by what they stand for, and what is wrong with it."""
    parsed = yaml_loader.parse(data)
    if not parsed.problems or any(problem.rule not in _EXPANDED for problem in parsed.problems):
        return parsed
    try:
        value = yaml.load(data, _CoreLoader)  # noqa: S506 - it constructs no objects
    except (yaml.YAMLError, ValueError):
        return parsed
    if _count(value) > _MAX_VALUES:
        span = parsed.problems[0].span
        return Parsed(None, (Problem("yaml-alias", "the aliases expand to too much", "write fewer aliases", span),))
    return Parsed(value)


def _count(value: Any) -> int:
    """Return how many values there are once aliases are expanded, up to somewhat over the limit."""
    count, stack = 0, [value]
    while stack and count <= _MAX_VALUES:
        item = stack.pop()
        count += 1
        stack += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return count
