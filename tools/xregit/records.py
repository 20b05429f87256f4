"""Decorators that make record classes, as ``dataclass(frozen=True, slots=True)`` does, but in less time.

For each class, the standard library describes all fields, and writes and compiles six methods. With the hundred classes
of a short run that took a fifth of its time. Here all classes share the code that compares, shows and protects;
``__init__`` is compiled for a class of which more than a few instances are made, and the fields are described when
something asks for them, such as ``dataclasses.fields``.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
Fields = dict[str, Field[Any]]
# What only a class without slots has, and where the standard library keeps the description of a data class.
_UNSLOTTED = ("__dict__", "__weakref__")
_DESCRIBING = ("__dataclass_fields__", "__dataclass_params__")
# Compiling an ``__init__`` takes as long as what it saves with some sixty instances.
_FEW = 30


class _Made:
    """Stands in a signature for a default that is made anew for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


class _Late:
    """A descriptor that makes a part of its class when that is first used, and then replaces itself with it."""

    def __init__(self, make: Callable[[type], object]) -> None:
        self.make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, one: object, cls: type | None = None) -> object:
        made: Any = self.make(self.owner)
        setattr(self.owner, self.name, made)
        return made.__get__(one, cls) if callable(made) else made


class _LateInit(_Late):
    """An ``__init__`` that is compiled once a few instances are made without it, or where the class is asked for it."""

    def __init__(self, known: Fields) -> None:
        super().__init__(partial(_initial, known))
        self.known = known
        self.left = _FEW

    def __get__(self, one: object, cls: type | None = None) -> object:
        self.left -= 1
        return partial(self.set, one) if one is not None and self.left >= 0 else super().__get__(one, cls)

    def set(self, one: object, /, *values: object, **named: object) -> None:
        """Set the fields of an instance as the ``__init__`` does."""
        given = {**dict(zip(self.known, values, strict=False)), **named}
        fits = len(given) == len(values) + len(named) and given.keys() <= self.known.keys()
        found = {name: given[name] if name in given else _default(item) for name, item in self.known.items()}
        if not fits or any(value is MISSING for value in found.values()):
            self.owner.__init__(one, *values, **named)  # type: ignore[misc]  # it says what doesn't fit
        for name, value in found.items():
            object.__setattr__(one, name, value)


def replace(one: T, /, **changes: Any) -> T:
    """Return a record like another one, with some other values; the standard library would describe its fields."""
    made: T = one.__replace__(**changes)  # type: ignore[attr-defined]
    return made


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Make the instances of a class immutable; two are equal if their values are."""
    known = _fields(cls)
    values = attrgetter(*(name for name, item in known.items() if item.compare))

    def digest(one: T) -> int:
        return hash(values(one))

    return _slotted(cls, known, __eq__=_equal(known), __hash__=digest, **_PROTECTING)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def distinct(cls: type[T]) -> type[T]:
    """Make the instances of a class immutable; each is equal only to itself."""
    return _slotted(cls, _fields(cls), **_PROTECTING)


@dataclass_transform(field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """Make the instances of a class mutable; two are equal if their values are, and none can be hashed."""
    known = _fields(cls)
    return _slotted(cls, known, __eq__=_equal(known), __hash__=None)


def _refuse_change(one: object, name: str, *_: object) -> NoReturn:
    message = f"the {name!r} of a {type(one).__qualname__} can't be changed"
    raise FrozenInstanceError(message)


_PROTECTING = {"__setattr__": _refuse_change, "__delattr__": _refuse_change}


def _equal(known: Fields) -> Callable[[Any, object], bool]:
    values = attrgetter(*(name for name, item in known.items() if item.compare))

    def equal(one: Any, other: object) -> bool:
        return values(one) == values(other) if other.__class__ is one.__class__ else NotImplemented

    return equal


def _fields(cls: type) -> Fields:
    stated = vars(cls)
    values = {name: stated.get(name, MISSING) for name in cls.__annotations__}
    return {name: value if isinstance(value, Field) else field(default=value) for name, value in values.items()}


def _slotted(cls: type[T], known: Fields, **methods: Callable[..., object] | None) -> type[T]:
    """Return the class with slots for its fields, and with the methods that make, show and pickle its instances.

    An instance has a ``__dict__`` as well if the class has a ``cached_property``, which keeps its value there. One that
    has, or inherits, a ``__repr__`` of its own is shown by that.
    """
    others = ("__dict__",) if any(isinstance(item, cached_property) for item in vars(cls).values()) else ()
    stated = {name: value for name, value in vars(cls).items() if name not in known and name not in _UNSLOTTED}
    described = {name: _Late(partial(_described, known, name)) for name in _DESCRIBING}
    given: dict[str, object] = {
        "__repr__": _shown if cls.__repr__ is object.__repr__ else cls.__repr__,
        **stated,
        "__qualname__": cls.__qualname__,
        "__slots__": (*known, *others),
        "__match_args__": tuple(known),
        "__init__": _LateInit(known),
        "__getstate__": _state,
        "__setstate__": _restored,
        "__replace__": _replacing(known),
    }
    made: type[T] = type(cls.__name__, cls.__bases__, {**given, **described, **methods})
    return made


def _described(known: Fields, name: str, cls: type) -> object:
    """Return the attribute of that name that the standard library gives a data class with these fields."""
    stated = {"__annotations__": cls.__annotations__, "__module__": cls.__module__, "__doc__": cls.__doc__, **known}
    like: type = type(cls.__name__, (), stated)
    return vars(dataclass(init=False, repr=False, eq=False, frozen=True)(like))[name]


def _initial(known: Fields, cls: type) -> Callable[..., None]:
    """Return an ``__init__`` that sets each field to the value given, or to its default."""
    around: dict[str, Any] = {}
    parameters, lines = ["self"], []
    for name, item in known.items():
        value = name
        around[f"set_{name}"] = getattr(cls, name).__set__
        if item.default_factory is not MISSING:
            around[f"make_{name}"] = item.default_factory
            value = f"make_{name}() if {name} is default_{name} else {name}"
        if item.default_factory is not MISSING or item.default is not MISSING:
            around[f"default_{name}"] = _MADE if item.default is MISSING else item.default
            parameters.append(f"{name}=default_{name}")
        else:
            parameters.append(name)
        lines.append(f"  set_{name}(self, {value})")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines), around)  # noqa: S102 - as the library does
    made: Callable[..., None] = around["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {**cls.__annotations__, "return": None}
    return made


def _replacing(known: Fields) -> Callable[..., object]:
    names = [name for name, item in known.items() if item.init]

    def replaced(one: Any, /, **changes: object) -> object:
        return one.__class__(**{name: getattr(one, name) for name in names} | changes)

    return replaced


def _default(item: Field[Any]) -> object:
    return item.default if item.default_factory is MISSING else item.default_factory()


def _shown(one: Any) -> str:
    values = ", ".join(f"{item.name}={getattr(one, item.name)!r}" for item in fields(one) if item.repr)
    return f"{type(one).__qualname__}({values})"


def _state(one: Any) -> list[Any]:
    return [getattr(one, name) for name in one.__match_args__]


def _restored(one: Any, state: list[Any]) -> None:
    for name, value in zip(one.__match_args__, state, strict=True):
        object.__setattr__(one, name, value)
