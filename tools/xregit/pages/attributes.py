"""Attributes of an entity to the rows of a table: name, type, value, meaning from the model, and who wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.catalog.entities import Group
from xregit.catalog.properties import Text, texts
from xregit.pages.links import reference
from xregit.pages.properties import written
from xregit.pages.prose import plain

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.catalog.resolver import Resolved
    from xregit.model.language import AttributeModel
    from xregit.pages.context import SiteContext
    from xregit.pages.links import Link

MAX_DEPTH = 8
MAX_SEARCHED_CHARS = 200


class Value(NamedTuple):
    """A value ready to be shown: one text, perhaps a link, or members, or items."""

    texts: tuple[Text, ...] = ()
    href: str = ""
    members: tuple[tuple[str, Value], ...] = ()
    items: tuple[Value, ...] = ()


class Row(NamedTuple):
    """One attribute in a table; ``origins`` is empty where the entity itself says it."""

    name: str
    type: str
    value: Value
    description: str = ""
    origins: tuple[Link, ...] = ()


def rows(
    registry: Registry,
    attributes: Mapping[str, Any],
    models: Mapping[str, AttributeModel],
    *,
    without: Iterable[str] = (),
    written_by: Mapping[str, Link] | None = None,
) -> tuple[Row, ...]:
    """Return the rows of a table of attributes; ``written_by`` names who wrote those that the entity did not."""
    hidden = frozenset(without)
    origins = written_by or {}
    return tuple(
        _row(registry, name, value, models, origins.get(name))
        for name, value in attributes.items()
        if name not in hidden
    )


def texts_in(attributes: Mapping[str, Any], without: Iterable[str]) -> tuple[str, ...]:
    """Return the texts among attributes and their labels, for the search to find the entity by."""
    labels = attributes.get("labels")
    stated = [*attributes.items(), *(labels.items() if isinstance(labels, Mapping) else ())]
    hidden = frozenset(without)
    return tuple(text[:MAX_SEARCHED_CHARS] for name, text in stated if isinstance(text, str) and name not in hidden)


def texts_inside(value: object, depth: int = 0) -> Iterator[str]:
    """Give the texts anywhere in a value, such as addresses in a list, in their order."""
    if isinstance(value, str):
        yield value[:MAX_SEARCHED_CHARS]
    elif isinstance(value, Mapping | list | tuple) and depth < MAX_DEPTH:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from texts_inside(item, depth + 1)


def inner(model: AttributeModel | None) -> Mapping[str, AttributeModel]:
    """Return the models of an object's attributes, none for anything else."""
    return model.attributes if model else {}


def shown(registry: Registry, value: object, depth: int = 0) -> Value:
    """Return a value ready to be shown, whatever it is; what nests too deeply is shown as JSON."""
    if isinstance(value, str):
        link = reference(registry, value)
        return Value(texts=(Text(value),), href=link.href) if link.href else Value(texts=_cut(value))
    if isinstance(value, Mapping) and value and depth < MAX_DEPTH:
        return Value(members=tuple((str(name), shown(registry, item, depth + 1)) for name, item in value.items()))
    if isinstance(value, list | tuple) and value and depth < MAX_DEPTH:
        return Value(items=tuple(shown(registry, item, depth + 1) for item in value))
    return Value(texts=(Text(written(value)),))


def _cut(value: str) -> tuple[Text, ...]:
    # A number in braces is a count in a regular expression; a property has no such name either.
    parts = texts(value)
    return (Text(value),) if any(part.placeholder.isdigit() for part in parts) else parts


def origin_link(book: SiteContext, resolved: Resolved, own: str, path: tuple[str, ...]) -> Link | None:
    """Return the link to the message or group that wrote the value at a path, None where it is the entity itself."""
    origin = resolved.origin(path)
    if not origin or origin == own:
        return None
    if isinstance(book.registry.entity(origin), Group):
        return book.link(origin)._replace(note="the group")
    link = message_link(book, origin, own)
    # Messages that bind another to a protocol mostly have its id: then the group tells them apart.
    return link._replace(text=link.text.removesuffix(f"/{own.rsplit('/', 1)[-1]}"), title=origin)


def message_link(book: SiteContext, xid: str, beside: str) -> Link:
    """Return the link to a message, its group named too unless it is that of the message beside, or the id tells it."""
    above, _, own = beside.rpartition("/")
    if xid.rpartition("/")[0] == above or book.registry.resource(xid) is None:
        return book.link(xid)
    _, _, group, _, message = xid.split("/", 4)
    telling = message != own and message.startswith(f"{group}.")
    return book.link(xid, message if telling else f"{group}/{message}")


def _row(
    registry: Registry, name: str, value: object, models: Mapping[str, AttributeModel], origin: Link | None
) -> Row:
    model = models.get(name) or models.get("*")
    return Row(
        name=name,
        type=(model.property or model.type) if model else "",
        value=shown(registry, value),
        description=plain(model.description) if model and model.name == name else "",
        origins=(origin,) if origin else (),
    )
