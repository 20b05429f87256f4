"""The placeholders of a template are those that an implementation of RFC 6570 finds in it."""

from __future__ import annotations

from typing import Any

import uritemplate
from hypothesis import given
from hypothesis import strategies as st

from xregit.catalog.properties import texts

NAMES = st.text("abcXYZ019_", min_size=1, max_size=8)
LITERALS = st.text(st.characters(codec="ascii", min_codepoint=33, exclude_characters="{}<>\\^`|\"'%"), max_size=12)
TEMPLATES = st.lists(st.one_of(LITERALS, NAMES.map("{{{}}}".format)), max_size=6).map("".join)


def placeholders(template: str) -> list[str]:
    """Return the names of a template's placeholders, each once."""
    return list(dict.fromkeys(part.placeholder for part in texts(template) if part.placeholder))


@given(TEMPLATES)
def test_placeholders_are_the_variables_of_the_template(template: str) -> None:
    """Names come in the order in which they first stand there, each once."""
    assert placeholders(template) == list(uritemplate.variables(template))


@given(TEMPLATES, st.data())
def test_filling_every_placeholder_is_expanding_the_template(template: str, data: st.DataObject) -> None:
    """No part of a template is left over or lost."""
    values: dict[str, Any] = {name: data.draw(st.text("abc-._~", min_size=1)) for name in placeholders(template)}
    filled = "".join(values.get(part.placeholder, part.text) for part in texts(template))
    assert filled == uritemplate.expand(template, values)
