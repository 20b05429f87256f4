"""A class of named values to one of immutable records: what ``dataclass(frozen=True, slots=True)`` makes, but sooner.

For each class the standard library writes six methods as text and compiles them, which took a sixth of a short run:
it makes a hundred classes. Here ``__init__`` alone is compiled, and what compares, shows and protects is the same code
for all. Everything else is the standard library's, so that ``dataclasses.replace`` and ``fields`` work as ever.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

T = TypeVar("T")


class _Made:
    """What stands for a value that is made anew each time, where a signature is shown."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Make instances of a class immutable, and equal where their values are."""
    made = distinct(cls)
    values = attrgetter(*(item.name for item in _fields(made) if item.compare))

    def equal(one: T, other: object) -> bool:
        return values(one) == values(other) if other.__class__ is one.__class__ else NotImplemented

    def digest(one: T) -> int:
        return hash(values(one))

    return _with(made, __eq__=equal, __hash__=digest)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def distinct(cls: type[T]) -> type[T]:
    """Make instances of a class immutable, and each equal to itself alone."""
    made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    protected = _with(made, __setattr__=_kept, __delattr__=_kept, __repr__=vars(cls).get("__repr__", _shown))
    return _with(protected, __init__=_initial(made), __getstate__=_state, __setstate__=_restored)


def _with(cls: type[T], **methods: Callable[..., object]) -> type[T]:
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls


def _fields(cls: type) -> Collection[Field[Any]]:
    found: dict[str, Field[Any]] = vars(cls)["__dataclass_fields__"]
    return found.values()


def _initial(cls: type) -> Callable[..., None]:
    """Return a function that puts the values of all fields, or their defaults, where they belong."""
    known: dict[str, Any] = {}
    parameters, lines = ["self"], []
    for item in _fields(cls):
        name, value = item.name, item.name
        known[f"set_{name}"] = getattr(cls, name).__set__
        if item.default_factory is not MISSING:
            known[f"make_{name}"] = item.default_factory
            value = f"make_{name}() if {name} is default_{name} else {name}"
        if item.default_factory is not MISSING or item.default is not MISSING:
            known[f"default_{name}"] = _MADE if item.default is MISSING else item.default
            parameters.append(f"{name}=default_{name}")
        else:
            parameters.append(name)
        lines.append(f"  set_{name}(self, {value})")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines), known)  # noqa: S102 - as the library does
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {item.name: item.type for item in _fields(cls)} | {"return": None}
    return made


def _shown(one: object) -> str:
    values = ", ".join(f"{item.name}={getattr(one, item.name)!r}" for item in _fields(type(one)) if item.repr)
    return f"{type(one).__qualname__}({values})"


def _kept(one: object, name: str, *_: object) -> NoReturn:
    message = f"the {name!r} of a {type(one).__qualname__} can't be changed"
    raise FrozenInstanceError(message)


def _state(one: object) -> list[Any]:
    return [getattr(one, item.name) for item in _fields(type(one))]


def _restored(one: object, state: list[Any]) -> None:
    for item, value in zip(_fields(type(one)), state, strict=True):
        object.__setattr__(one, item.name, value)
