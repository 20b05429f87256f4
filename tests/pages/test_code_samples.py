"""Programs to copy from a message's page: what they hold, and that no text of a catalog leaves its literal."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocols.strategies import wires
from tests.source.values import texts
from xregit.catalog import Registry
from xregit.document import load
from xregit.messages.example import EXAMPLE_ID, example_context
from xregit.pages.code_samples import LANGUAGES, CodeSample, Language, Place, code_samples
from xregit.pages.context import SiteContext
from xregit.pages.examples import programs, wire_examples
from xregit.pages.message_page import message_page
from xregit.protocols import Wire, read_wire

NOWHERE = Place("", {}, {})
LITERAL = re.compile(r'"(?:[^"\\]|\\(?:["\\nrt]|u[0-9a-f]{4}|U[0-9a-f]{8}))*"')
# All literals of a language, as its tokenizer finds them.
BLOCKS = {
    "Python": re.compile(rf'"""(?:[^"\\]|\\.|"(?!""))*"""|{LITERAL.pattern}', re.DOTALL),
    "Java": re.compile(rf'"""(?:[^"\\]|\\.|"(?!""))*"""|{LITERAL.pattern}', re.DOTALL),
    "TypeScript": re.compile(rf"`(?:[^`\\]|\\.)*`|{LITERAL.pattern}", re.DOTALL),
    "Go": re.compile(rf"`[^`]*`|{LITERAL.pattern}"),
}
AWKWARD = texts() | st.sampled_from([
    '"', "\\", '\\"', "\\u0022", "\n", "`", "${x}", "*/ x", "// x", "'''", '"""', "</script>", "\u202e", "\u2028",
    "\x00", "😀", "\\N{DEGREE SIGN}", "%s", "{{ x }}", "{% x %}", '"+x+"', "\\", "\ud800",
])  # fmt: skip
every_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.title)


@pytest.fixture(scope="module")
def example(root: Path) -> Registry:
    """Return the example catalog."""
    return load(root / "registry")


def samples(wire: Wire | dict[str, object], sending: Place = NOWHERE) -> dict[str, CodeSample]:
    """Return the programs of a message by language."""
    message = wire if isinstance(wire, Wire) else read_wire(wire)
    return {each.language: each for each in code_samples(message, sending, sending)}


@every_language
@given(text=AWKWARD)
def test_literal_holds_its_text_and_ends_with_it(language: Language, text: str) -> None:
    """A literal reads back as its text, and nothing in it is invisible; Go has no lone surrogates."""
    literal = language.text(text)
    assert LITERAL.fullmatch(literal)
    assert literal.isprintable()
    read = ast.literal_eval(literal) if "\\U" in literal else json.loads(literal)
    assert read == (re.sub("[\ud800-\udfff]", "\ufffd", text) if language.title == "Go" else text)
    # Java replaces such escapes before it looks for the end of a literal.
    assert not re.search(r"(?<!\\)(?:\\\\)*\\u00(?:0a|0d|22|5c)", literal)


@every_language
@given(value=st.dictionaries(AWKWARD, AWKWARD | st.integers(), min_size=1))
def test_block_of_json_holds_it_and_ends_with_it(language: Language, value: dict[str, object]) -> None:
    """JSON over several lines can't end its literal either."""
    text = json.dumps(value, indent=2)
    literal = language.json_block(text)
    inner = {"Go": literal[1:-1], "TypeScript": literal[1:-1], "Java": literal[4:-3]}.get(language.title, "")
    if LITERAL.fullmatch(literal):
        assert json.loads(literal) == text
    elif language.title == "Python":
        assert ast.literal_eval(literal) == text
    elif language.title == "Go":
        assert inner == text
        assert "`" not in inner
    else:
        assert not re.search(r"(?<!\\)(?:\\\\)*(?:`|\$\{)" if language.title == "TypeScript" else '"""', inner)
        assert re.sub(r"\\(.)", r"\1", inner) == text


@given(wire=wires())
def test_programs_have_the_same_shape_whatever_values_are(wire: Wire) -> None:
    """What a catalog says is in literals alone: without them, other values make the same program."""
    for sample in samples(wire).values():
        if sample.language == "Python":
            ast.parse(sample.send)
            ast.parse(sample.receive)
        for program in (sample.send, sample.receive):
            rest = BLOCKS[sample.language].sub("", program)
            assert '"' not in rest
            assert rest.replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize(
    ("address", "options"),
    [("mqtt://h", {"qos": "high"}), ("wss://h/mqtt", {})],
)
def test_what_no_program_could_do_has_none(address: str, options: dict[str, object]) -> None:
    """Options of a wrong type, which a rule reports, and WebSockets, to which the clients shown do not connect."""
    wire = read_wire({"protocol": "MQTT/5.0", "topic_name": "doors", "body": "a"})
    assert code_samples(wire, NOWHERE, NOWHERE)
    place = Place(address, options, {})
    assert code_samples(wire, place, place) == ()


def test_host_of_numbers_is_in_brackets() -> None:
    """An address of IPv6 is told from its port."""
    wire = read_wire({"protocol": "KAFKA", "topic": "doors", "body": "a"})
    place = Place("kafka://[::1]:9092", {}, {})
    assert all("[::1]:9092" in sample.send for sample in code_samples(wire, place, place))


def test_every_message_on_a_protocol_has_programs(example: Registry) -> None:
    """All that the example catalog sends has them in each language, but for answers and rare properties."""
    site = SiteContext(example)
    without = []
    for message in example.messages:
        values = example_context(site.definition(message), site.message_schema(message).example)
        variants = [item for item in wire_examples(site, message, values) if item.wire and item.wire.protocol]
        made = programs(site, message, values, variants)
        assert [item.language for item in made] in ([], [language.title for language in LANGUAGES])
        without += [message.id] if variants and not made else []
        for each in made[:1]:
            compile(each.send, message.id, "exec")
            compile(each.receive, message.id, "exec")
    assert without == [
        "fleet.update.none", "fleet.update.offered", "luggage.iata.bpm", "luggage.iata.bum",
        "shops.payment.approved", "shops.payment.declined", "shops.stocktake.announced",
    ]  # fmt: skip


def test_event_is_new_each_time() -> None:
    """The SDK sets id and time; where headers carry them, programs make new ones."""
    event = {"specversion": "1.0", "type": "a", "source": "/b", "id": EXAMPLE_ID}
    headers = [{"name": f"ce-{name}", "value": value} for name, value in event.items()]
    for protocol, more in {"HTTP": {}, "NATS": {"subject": "a"}}.items():
        for sample in samples({"protocol": protocol, "headers": headers, **more}).values():
            assert EXAMPLE_ID not in sample.send
            assert re.search(r"CloudEvent|uuid|UUID", sample.send)


def test_place_of_the_endpoint_is_used() -> None:
    """Its address with encryption, and its topic with what it leaves open."""
    place = Place("mqtts://b.example.com", {}, {"topic": "cars/{vin}/doors"})
    made = samples({"protocol": "MQTT/5.0", "topic_name": "cars/1/doors", "qos": 1, "body": "x"}, place)
    assert 'client.connect("b.example.com", 8883)' in made["Python"].send
    assert '"ssl://b.example.com:8883"' in made["Java"].send
    assert all('"cars/+/doors"' in sample.receive for sample in made.values())
    assert all('"cars/1/doors"' in sample.send for sample in made.values())


def test_what_programs_could_not_say_has_none() -> None:
    """A long payload, a field that clients have no name for, and a header that comes twice."""
    assert samples({"protocol": "KAFKA", "topic": "a", "body": "x" * 2_001}) == {}
    assert samples({"protocol": "AMQP/1.0", "message-annotations": {"a": "b"}}) == {}
    assert samples({"protocol": "HTTP", "headers": [{"name": "a", "value": "b"}, {"name": "A", "value": "c"}]}) == {}
    assert samples({"protocol": "HTTP", "status": "204"}) == {}


def test_page_has_the_programs_as_text(example: Registry) -> None:
    """They stand on the message's page, escaped once."""
    message = example["/messagegroups/luggage.handling.kafka/messages/luggage.bag.loaded"]
    html = message_page(SiteContext(example), message).html
    assert '<h2 id="code">Code</h2>' in html
    assert "from confluent_kafka import Producer" in html
    assert "Map&lt;String, Object&gt; settings" in html
