"""The cases under ``tests/cases/model``: values of each kind of file, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from xregit.diagnostics import Finding
from xregit.model import builtin, check, normalise
from xregit.model.language import AttributeModel, Model

FOLDER = Path(__file__).parents[1] / "cases" / "model"


def cases(pattern: str = "*.yaml") -> list[Any]:
    """Return the cases as parameters of a test, each with the requirements that it shows."""
    return list(_cases(pattern))


def _cases(pattern: str) -> Iterator[Any]:
    for path in sorted(FOLDER.glob(pattern)):
        for case in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            marks = [pytest.mark.requirement(*case["requirement"].split())] if "requirement" in case else []
            yield pytest.param(case, id=f"{path.stem}: {case['name']}", marks=marks)


def attributes_of(kind: str, model: Model | None = None) -> Mapping[str, AttributeModel]:
    """Return what may stand at the top of a kind of file."""
    model = model or builtin()
    if kind in {"registry", "xregit"}:
        return model.attributes if kind == "registry" else model.settings
    for group in model.groups.values():
        if group.singular == kind:
            return group.attributes
        for resource in group.resources.values():
            if resource.singular == kind:
                return {**resource.resourceattributes, **resource.metaattributes, **resource.attributes}
    raise KeyError(kind)


def found_in(case: Mapping[str, Any]) -> list[Finding]:
    """Return the findings in a case's value, as a file of its kind would be read."""
    attributes = attributes_of(case.get("of", "message"))
    inherited = case.get("inherited", {})
    return check(attributes, normalise(attributes, case["value"], inherited), inherited)


def brief(findings: list[Finding]) -> list[str]:
    """Return the findings as the cases write them: the rule, then the path with dots."""
    return [f"{item.rule} {'.'.join(map(str, item.path))}".rstrip() for item in findings]


def expected_of(case: Mapping[str, Any]) -> list[str]:
    """Return the findings that a case names."""
    return [text.removesuffix('""').rstrip() for text in case.get("finds", [])]
