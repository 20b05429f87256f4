"""YAML with anchors, aliases, merge keys and tags, as other tools write it: our own files have none."""

from __future__ import annotations

import re
from typing import Any

import yaml

from xregit.source import yaml_loader
from xregit.source.parse_result import MAX_DEPTH, Parsed, Problem
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
    loader = _CoreLoader(data)
    try:
        node = loader.get_single_node()
        count, depth = _extent(node, {})
        if count > _MAX_VALUES or depth > MAX_DEPTH:
            span = parsed.problems[0].span
            return Parsed(None, (Problem("yaml-alias", "the aliases expand to too much", "write fewer aliases", span),))
        return Parsed(loader.construct_document(node))
    except (yaml.YAMLError, ValueError):
        return parsed
    finally:
        loader.dispose()


def _extent(node: Any, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return how many values a node stands for once aliases and merge keys are expanded, and how deep they are.

    An anchor stands before its aliases, so this goes no deeper than the text.
    """
    if id(node) not in known:
        known[id(node)] = (_MAX_VALUES + 1, 0)  # that of a node inside itself
        is_mapping = isinstance(node, yaml.MappingNode)
        parts = [part for pair in node.value for part in pair] if is_mapping else node.value
        extents = [_extent(part, known) for part in (() if isinstance(node, yaml.ScalarNode) else parts)]
        depths = (depth for _, depth in extents)
        known[id(node)] = (1 + sum(count for count, _ in extents), 1 + max(depths, default=0))
    return known[id(node)]
