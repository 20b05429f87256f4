"""Templates: what they read, what they refuse, and that reading undoes filling."""

from __future__ import annotations

import re

import pytest
import uritemplate
from hypothesis import given
from hypothesis import strategies as st

from xregit.messages.template import Template

AWKWARD = " %/?#+*>.{}&=~é☃\U0001f69a\r\n\t\0\\\"'-_:@a1"
VALUES = st.text(st.sampled_from(AWKWARD), min_size=1, max_size=8)
NAMES = st.sampled_from(["a", "b", "vin", "0", "_x"])
LITERALS = st.text("ab/-.", min_size=1, max_size=4)
PARTS = st.lists(st.one_of(NAMES.map("{{{}}}".format), LITERALS), max_size=6)
KINDS = st.sampled_from(["string", "uritemplate"])


def read(text: str, value: str, kind: str = "string", **known: str) -> dict[str, str] | None:
    """Return what the placeholders of a template stand for, None where it does not fit."""
    context = dict(known)
    return context if Template.parse(text, kind).read(value, context) else None


@pytest.mark.requirement("MSG-64")
@pytest.mark.parametrize(
    ("template", "value", "expected"),
    [
        ("{foo}/bar", "abc/bar", {"foo": "abc"}),
        ("{foo}/bar", "xyz/bar", {"foo": "xyz"}),
        ("{foo}/bar", "/bar", None),
        ("{foo}/bar", "a/b/bar", None),
        ("{foo}/bar", "abc/bar/", None),
        ("fleet/{vin}/position", "fleet/WDB1/position", {"vin": "WDB1"}),
        ("fleet/{vin}/position", "fleet/WDB1/positions", None),
        ("fleet/{vin}", "fleet/", None),
        ("{any}", "all/of it?#", {"any": "all/of it?#"}),
        ("{any}", "", None),
        ("sys-{id}-{part}", "sys-1-2-3", {"id": "1", "part": "2-3"}),
        ("{a}{b}", "xyz", {"a": "x", "b": "yz"}),
        ("{a}.{a}", "x.x", {"a": "x"}),
        ("{a}.{a}", "x.y", None),
        ("constant", "constant", {}),
        ("constant", "Constant", None),
        ("{not a symbol}", "{not a symbol}", {}),
    ],
)
def test_template_reads_whole_values(template: str, value: str, expected: dict[str, str] | None) -> None:
    """A placeholder takes one or more characters other than a slash; one that stands alone takes anything."""
    assert read(template, value) == expected


@pytest.mark.parametrize(
    ("template", "value", "expected"),
    [
        ("https://x/{a}", "https://x/b%2Fc%20d", {"a": "b/c d"}),
        ("https://x/{a}", "https://x/b?c", None),
        ("https://x/{a}", "https://x/b#c", None),
        ("{feed}", "https://x/b?c#d", {"feed": "https://x/b?c#d"}),
        ("x/{a}", "x/%FF", {"a": "%FF"}),
        ("x/{a}", "x/100%", {"a": "100%"}),
    ],
)
def test_uris_are_decoded(template: str, value: str, expected: dict[str, str] | None) -> None:
    """Percent-encoding is undone where it stands for a text; queries and fragments are not part of a placeholder."""
    assert read(template, value, "uritemplate") == expected


@pytest.mark.requirement("MSG-63")
def test_known_placeholder_helps_to_read_the_rest() -> None:
    """What another attribute says of a placeholder decides where its value ends."""
    assert read("{a}-{b}", "1-2-3") == {"a": "1", "b": "2-3"}
    assert read("{a}-{b}", "1-2-3", a="1-2") == {"a": "1-2", "b": "3"}
    assert read("{a}-{b}", "1-2-3", b="3") == {"a": "1-2", "b": "3"}
    assert read("{a}-{b}-{c}", "1-2-3-4-5", b="3-4") == {"a": "1-2", "b": "3-4", "c": "5"}
    assert read("{a}-{b}", "1-2", a="1", b="2") == {"a": "1", "b": "2"}
    assert read("{a}-{b}", "1-2-3", a="4") is None


@pytest.mark.requirement("MSG-65")
@given(PARTS, KINDS, st.data())
def test_reading_undoes_filling(parts: list[str], kind: str, data: st.DataObject) -> None:
    """Where a level has one placeholder, what was filled in is what is read, unless a value may not stand there."""
    template = Template.parse("".join(parts), kind)
    context = {name: data.draw(VALUES) for name in template.placeholders}
    text = template.expand(context)
    result: dict[str, str] = {}
    fits = template.read(text, result)
    crossing = kind == "string" and not template.alone and any("/" in value for value in context.values())
    if template.clear and not crossing:
        assert fits
        assert result == context
    known = dict(context)
    assert crossing or (template.read(text, known) and known == context)


@given(PARTS, KINDS, st.text("ab/-.%2F?", max_size=12))
def test_reading_agrees_with_an_expression(parts: list[str], kind: str, value: str) -> None:
    """A text fits if and only if the regular expression of the template matches all of it."""
    template = Template.parse("".join(parts), kind)
    if len(template.placeholders) != len(template.steps):
        return
    held = r"[^/?#]+" if kind == "uritemplate" else "[^/]+"
    steps = (f"({'.+' if template.alone else held}){re.escape(literal)}" for _, literal in template.steps)
    expected = re.fullmatch(re.escape(template.prefix) + "".join(steps), value, re.DOTALL)
    assert template.read(value, {}) == (expected is not None)


@pytest.mark.parametrize(
    ("value", "shown"),
    [("a/b", '"/"'), ("a+", '"+"'), ("#", '"#"'), ("a\0", "a null character"), ("a\n", "a line break")],
)
def test_values_that_change_the_structure_are_refused(value: str, shown: str) -> None:
    """A value may not add a level, a wildcard or a line; the fault names the placeholder and the character."""
    template = Template.parse("fleet/{vin}/x", separators="/", refused="+#\0")
    assert list(template.faults({"vin": value})) == [
        f'the value of "vin" can\'t have {shown} here, where it would change the structure'
    ]
    assert list(template.faults({"vin": "a.b c"})) == []


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_values_are_encoded_as_templates_of_uris_expand(value: str) -> None:
    """A value in a URI template is written as RFC 6570 has it at level 1; `uritemplate` is the other reader of that."""
    assert Template.parse("a/{b}/c", "uritemplate").expand({"b": value}) == uritemplate.expand("a/{b}/c", b=value)


def test_encoded_values_change_no_structure() -> None:
    """What is percent-encoded is no separator any more; dots are not encoded."""
    topic = Template.parse("fleet/{vin}/x", "uritemplate", separators="/", refused="+#\0")
    assert list(topic.faults({"vin": "a/+#\0\n"})) == []
    assert topic.expand({"vin": "a/+#"}) == "fleet/a%2F%2B%23/x"
    subject = Template.parse("fleet.{vin}.x", "uritemplate", separators=".", refused=" \t*>")
    assert len(list(subject.faults({"vin": "a.b"}))) == 1


def test_lone_placeholder_may_bring_levels() -> None:
    """One that is the whole value brings its separators along, but no wildcards."""
    template = Template.parse("{topic}", separators="/", refused="+#\0")
    assert list(template.faults({"topic": "a/b"})) == []
    assert len(list(template.faults({"topic": "a/#"}))) == 1


@pytest.mark.parametrize(("value", "shown"), [("a/b", '"/"'), ("a b", "a space"), ("é", '"é"')])
def test_values_that_the_place_has_no_characters_for_are_refused(value: str, shown: str) -> None:
    """Where only some characters are allowed, the fault names the first other one, and those."""
    template = Template.parse("fleet.{vin}", allowed="A-Za-z0-9._-")
    assert list(template.faults({"vin": value})) == [f'the value of "vin" can\'t have {shown} here, only A-Za-z0-9._-']
    assert list(template.faults({"vin": "a-b_c.7"})) == []
