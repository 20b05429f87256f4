"""A registry to bytes and back, for who spreads work over processes."""

from __future__ import annotations

import copyreg
import pickle
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def packed(values: Mapping[str, Any]) -> bytes:
    """Return values as bytes, the models among them too, whose mappings pickle refuses."""
    buffer = BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    # Of this pickler alone: what others do with such mappings is theirs to say.
    pickler.dispatch_table = {**copyreg.dispatch_table, MappingProxyType: _reduced}
    pickler.dump(values)
    return buffer.getvalue()


def unpacked(data: bytes) -> dict[str, Any]:
    """Return the values of such bytes, which are as trustworthy as what they are part of."""
    values: dict[str, Any] = pickle.loads(data)  # noqa: S301 - inside of what is being unpickled
    return values


def _reduced(value: MappingProxyType[Any, Any]) -> tuple[Any, ...]:
    return _unchangeable, (dict(value),)


def _unchangeable(value: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(value)
