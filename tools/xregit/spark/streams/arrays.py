"""Values of payloads and attributes to Arrow arrays, a whole column at once where all of its values are plain.

The others are converted one by one. What a column can't hold goes to the rest of its row, as `leaves` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xregit.jsonpointers import escaped
from xregit.spark.schema import TIMESTAMP, arrow_type
from xregit.spark.streams.times import points

if TYPE_CHECKING:
    from collections import defaultdict
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from xregit.spark.streams.leaves import Rest
    from xregit.spark.streams.shapes import Member, Shape

    # By the number of the row.
    Rests = defaultdict[int, Rest]

_NOTHING, _TEXT = type(None), frozenset({str})


def array(shape: Shape, values: Sequence[Any], path: str, rests: Rests) -> pa.Array:
    """Return a column of values, null where one is None; ``path`` leads to them in the payload, as a JSON Pointer."""
    import pyarrow as pa

    if shape.members:
        return _struct(shape, values, path, rests)
    made = _at_once(shape, values)
    if made is not None:
        return made
    found = [None if value is None else shape.convert(value, path, rests[row]) for row, value in enumerate(values)]
    return pa.array(found, arrow_type(shape.form))


def columns(members: Iterable[Member], values: Sequence[Any], path: str, rests: Rests) -> list[pa.Array]:
    """Return a column for each member of records; members that nobody declared, and what is no record, are rest."""
    listed = tuple(members)
    known = frozenset(each.key for each in listed)
    records = list(values)
    for row, value in enumerate(values):
        if value is None or (value.__class__ is dict and known.issuperset(value)):
            continue
        if isinstance(value, Mapping):
            rests[row].update((f"{path}/{escaped(key)}", value[key]) for key in value if key not in known)
        else:
            rests[row][path] = value
            records[row] = None
    return [
        array(
            each.shape,
            [None if value is None else value.get(each.key) for value in records],
            f"{path}/{escaped(each.key)}",
            rests,
        )
        for each in listed
    ]


def _struct(shape: Shape, values: Sequence[Any], path: str, rests: Rests) -> pa.Array:
    import pyarrow as pa

    absent = [not isinstance(value, Mapping) for value in values]
    made = columns(shape.members, values, path, rests)
    return pa.StructArray.from_arrays(made, fields=list(arrow_type(shape.form)), mask=pa.array(absent, pa.bool_()))


def _at_once(shape: Shape, values: Sequence[Any]) -> pa.Array | None:
    """Return a column of values that need no conversion, None if there is doubt about one."""
    import pyarrow as pa

    kinds = set(map(type, values)) - {_NOTHING}
    if shape.form == TIMESTAMP:
        return points(values) if kinds <= _TEXT else None
    if not kinds <= shape.plain:
        return None
    try:
        return pa.array(values, arrow_type(shape.form))
    except (ValueError, TypeError, OverflowError):
        return None
