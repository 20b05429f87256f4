"""Diagnostics → JUnit XML, which CI services show as test results."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from xregit.diagnostics import Severity
from xregit.reports.text import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xregit.diagnostics import Diagnostic

# XML 1.0, production 2: the characters that a document can't hold, not even escaped.
NOT_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one suite for each file and one case for each finding; only errors fail, no finding is one success."""
    errors = _errors(diagnostics)
    root = ET.Element("testsuites", name="xregit check", tests=str(len(diagnostics) or 1), failures=str(errors))
    for path, items in groupby(diagnostics, key=lambda item: item.path):
        _suite(root, path, tuple(items))
    if not diagnostics:
        suite = ET.SubElement(root, "testsuite", name="registry", tests="1", failures="0")
        ET.SubElement(suite, "testcase", name="check", classname="registry")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _suite(root: ET.Element, path: str, items: Sequence[Diagnostic]) -> None:
    suite = ET.SubElement(root, "testsuite", name=_xml(path), tests=str(len(items)), failures=str(_errors(items)))
    for item in items:
        case = ET.SubElement(suite, "testcase", name=_xml(f"{item.rule} {place(item)}"), classname=_xml(item.path))
        text = _xml(f"{place(item)}: {item.message}\n{item.help}".strip())
        if item.severity is Severity.ERROR:
            ET.SubElement(case, "failure", type=item.rule, message=_xml(item.message)).text = text
        else:
            ET.SubElement(case, "system-out").text = f"{item.severity}: {text}"


def _errors(items: Iterable[Diagnostic]) -> int:
    return sum(item.severity is Severity.ERROR for item in items)


def _xml(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
