"""Records do what the standard library's frozen and slotted classes of data do."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields
from dataclasses import replace as replace_as_standard
from functools import cached_property
from typing import Any

import pytest

from xregit.records import distinct, mutable, record, replace

Make = Callable[[type], type]
MANY = 50  # instances: more than are made before an ``__init__`` is compiled


@record
class Line:
    """A record that works out something once."""

    ends: tuple[int, int]

    @cached_property
    def length(self) -> list[int]:
        """How long it is, in a list, so that one can tell which."""
        return [self.ends[1] - self.ends[0]]


@record
class Point:
    """A record that can be pickled, as its module has its name."""

    x: int
    y: int = 0


def standard(cls: type) -> type:
    """Make what records are measured by."""
    return dataclass(frozen=True, slots=True)(cls)


def made(make: Make) -> type:
    """Return a class with a field of each kind."""

    class Place:
        """A place in a file."""

        path: str
        line: int = 1
        names: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False)
        hidden: str = field(default="", repr=False)

        @property
        def shown(self) -> str:
            """The place as people write it."""
            return f"{self.path}:{self.line}"

    return make(Place)


ARGUMENTS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    (("a",), {}),
    (("a", 2, ["n"], "note"), {}),
    (("a",), {"note": "other", "line": 2}),
    ((), {"path": "b", "names": []}),
)


@pytest.mark.parametrize("given", ARGUMENTS)
def test_record_holds_and_shows_what_the_standard_one_does(given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    """Values are taken by place and by name, with their defaults; by the first instances as by later ones."""
    arguments, named = given
    own, standards = made(record), made(standard)
    for _ in range(MANY):
        ours, theirs = own(*arguments, **named), standards(*arguments, **named)
        assert repr(ours) == repr(theirs)
        assert ours.shown == theirs.shown


def test_help_shows_the_types_of_a_record() -> None:
    """What a record is made from has the types that the class states, as the standard one has."""
    ours, theirs = (inspect.signature(made(make)) for make in (record, standard))
    assert [str(each.annotation) for each in ours.parameters.values()] == ["str", "int", "list[str]", "str", "str"]
    assert ours.return_annotation == theirs.return_annotation
    shown = [[repr(each.default) for each in found.parameters.values()] for found in (ours, theirs)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    "given",
    [((), {}), (("a", 1, [], "", "", "more"), {}), (("a",), {"other": 1}), (("a", 1), {"line": 1}), ((), {"line": 1})],
)
def test_record_refuses_arguments_as_the_standard_one_does(given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    """Missing, unknown and repeated values are refused in the same words, by a new class and a much used one."""
    arguments, named = given
    own, standards = made(record), made(standard)
    for _ in range(MANY):
        said = []
        for cls in (own, standards):
            with pytest.raises(TypeError) as caught:
                cls(*arguments, **named)
            said.append(str(caught.value))
        assert said[0] == said[1]
        own("a")


@pytest.mark.parametrize("one", ARGUMENTS)
@pytest.mark.parametrize("other", ARGUMENTS)
def test_records_are_equal_where_standard_ones_are(
    one: tuple[tuple[Any, ...], dict[str, Any]], other: tuple[tuple[Any, ...], dict[str, Any]]
) -> None:
    """What is left out of comparing makes no difference."""
    answers = []
    for make in (record, standard):
        cls = made(make)
        answers.append(cls(*one[0], **one[1]) == cls(*other[0], **other[1]))
    assert answers[0] == answers[1]


def test_records_of_different_classes_are_different() -> None:
    """Equal values don't make them equal."""
    assert made(record)("a") != made(record)("a")


def test_equal_records_have_equal_hashes() -> None:
    """Records can be keys, as long as their values can."""
    assert {Point(1): "one"}[Point(1, 0)] == "one"
    with pytest.raises(TypeError, match="unhashable"):
        hash(made(record)("a"))


def test_distinct_records_are_equal_to_themselves_alone() -> None:
    """What is compared by identity may hold anything."""
    cls = made(distinct)
    one = cls("a")
    assert one == one  # noqa: PLR0124 - that is the question
    assert one != cls("a")
    assert len({one, cls("a")}) == 2


@pytest.mark.parametrize("make", [record, distinct, standard])
def test_record_stays_as_it_is(make: Make) -> None:
    """Nothing of it can be set, removed or added."""
    one = made(make)("a")
    with pytest.raises(FrozenInstanceError):
        one.path = "b"
    with pytest.raises(FrozenInstanceError):
        del one.path
    assert not hasattr(one, "__dict__")


def test_record_takes_part_in_what_the_standard_library_offers() -> None:
    """It can be replaced, copied, pickled, matched and asked for its fields."""
    one = Point(1, 2)
    assert replace(one, y=3) == replace_as_standard(one, y=3) == Point(1, 3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        replace(one, z=3)
    assert [item.name for item in fields(Point)] == ["x", "y"]
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - its own
    match one:
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_what_is_worked_out_is_kept() -> None:
    """It is no part of the record, and is not taken along."""
    one = Line((1, 3))
    assert one.length == [2]
    assert one.length is one.length
    assert one == Line((1, 3))
    assert pickle.loads(pickle.dumps(one)).length == [2]  # noqa: S301 - its own
    with pytest.raises(FrozenInstanceError):
        one.length = [3]


def test_values_may_change() -> None:
    """Where a class says so, as they do in the standard one."""
    ours, theirs = (made(make)("a") for make in (mutable, dataclass(slots=True)))
    for one in (ours, theirs):
        one.line = 2
        assert one.shown == "a:2"
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)
        with pytest.raises(AttributeError):
            one.other = 1
    assert repr(ours) == repr(theirs)
    assert ours == type(ours)("a", 2) != type(ours)("a")


def test_defaults_are_made_for_each_record() -> None:
    """A list that one was made with is not the other's."""
    cls = made(record)
    assert cls("a").names is not cls("a").names


def test_records_are_shown_as_their_base_says() -> None:
    """Several kinds of records can share how they are shown; none of them has room for more than its fields."""

    class Named:
        """What is shown by its name alone."""

        __slots__ = ()

        name: str

        def __repr__(self) -> str:
            """Show the name."""
            return f"<{self.name}>"

    @record
    class Ship(Named):
        """One of them."""

        name: str
        tonnes: int

    assert repr(Ship("Vasa", 1210)) == "<Vasa>"
    assert not hasattr(Ship("Vasa", 1210), "__dict__")
