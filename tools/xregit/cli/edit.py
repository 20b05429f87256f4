"""The commands that edit YAML as a person would: ``add``, ``rename`` and ``deprecate``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from os.path import relpath
from pathlib import Path
from string import Template
from textwrap import indent

import click

import xregit
from xregit.catalog import Registry
from xregit.catalog.layout import path_of
from xregit.changes.edits import deprecate as deprecate_entity
from xregit.changes.edits import rename as rename_entity
from xregit.cli.output import note, print_result
from xregit.cli.parameters import unknown_name, with_registry
from xregit.errors import XregitError
from xregit.model import canonical, names
from xregit.model.aliases import find_name
from xregit.model.protocols import facts
from xregit.model.times import moment, timestamp
from xregit.protocols.message_layout import protocol_name
from xregit.source.atomic_write import edit_lock, write, write_and_remove, write_files
from xregit.source.yaml_formatter import format_yaml
from xregit.xid import is_id

USAGES = ("producer", "consumer", "subscriber")


@click.group()
def add() -> None:
    """Write the file of a new message, group, endpoint or schema, with comments.

    A file that is there already is never overwritten. What is written passes "xregit check", with a warning for each
    text to replace.
    """


@add.command("group")
@click.argument("xid")
@with_registry
def add_group(registry: Path, xid: str) -> None:
    """Write the file of a message group, or of a schema group.

    XID is the id of a message group, or a path such as /schemagroups/orders.
    """
    catalog = _load(registry)
    parts = _parts(xid, ("messagegroups",))
    if parts[0] not in {"messagegroups", "schemagroups"}:
        message = f'"{xid}" is not a message group or schema group; write an id, or a path such as /schemagroups/orders'
        raise XregitError(message)
    _write(catalog, parts, {_path(catalog, *parts): _group(*parts)})


@add.command("message")
@click.argument("xid", metavar="GROUP/MESSAGE")
@click.option("--protocol", default="", metavar="NAME", help="Protocol of the message, such as KAFKA or MQTT/5.0.")
@click.option("--schema", default="", metavar="XID", help="Schema of its payload, such as orders/order.placed.")
@with_registry
def add_message(registry: Path, xid: str, protocol: str, schema: str) -> None:
    """Write the file of a message, and that of its group if there is none.

    The message is a CloudEvent if its group says so, as a new group does.
    """
    catalog = _load(registry)
    parts = _parts(xid, ("messagegroups", "messages"))
    group = catalog.entity(f"/{parts[0]}/{parts[1]}")
    values = _values(parts[1], parts[3])
    contenttype, reference = _payload(catalog, schema) if schema else ("", _skeleton("payload.yaml", values))
    lines = [_skeleton("message.yaml", values)]
    if group is None or group.attributes.get("envelope"):
        lines += [_skeleton("envelope.yaml", values), contenttype]
    if protocol:
        name, facts = _protocol(protocol)
        lines.append(f"protocol: {name}\nprotocoloptions:\n{_options(facts['message'], values)}")
    lines.append(reference)
    new = {_path(catalog, *parts): "".join(lines)}
    if group is None and parts[0] != "messagegroups":
        raise unknown_name(parts[1], [item.xid for item in catalog.endpoints], what="endpoint")
    if group is None:
        new[_path(catalog, *parts[:2])] = _group(*parts[:2])
    _write(catalog, parts, new)


@add.command("schema")
@click.argument("xid", metavar="GROUP/SCHEMA")
@click.option("--format", "form", default="JsonSchema", show_default=True, metavar="NAME", help="Its language.")
@with_registry
def add_schema(registry: Path, xid: str, form: str) -> None:
    """Write a schema with its first version, and the file of its group if there is none."""
    catalog = _load(registry)
    language = find_name("format", form)
    if language is None:
        raise unknown_name(form, names("format"), what="schema language", others=f"write {', '.join(names('format'))}")
    parts = _parts(xid, ("schemagroups", "schemas"))
    text = canonical("format", form)
    values = _values(parts[1], parts[3], format=text if "/" in text else language.example)
    path, ending = _path(catalog, *parts), language.extensions[0]
    new = {
        path: _skeleton("schema.yaml", values),
        f"{path.rpartition('/')[0]}/versions/1.{ending}": _skeleton(f"{language.name}.{ending}", values),
    }
    if catalog.entity(f"/{parts[0]}/{parts[1]}") is None:
        new[_path(catalog, *parts[:2])] = _group(*parts[:2])
    _write(catalog, parts, new)


@add.command("endpoint")
@click.argument("xid", metavar="ENDPOINT")
@click.option("--protocol", required=True, metavar="NAME", help="Protocol of the endpoint, such as KAFKA or MQTT/5.0.")
@click.option("--usage", type=click.Choice(USAGES), default="consumer", show_default=True, help="What clients do.")
@click.option(
    "--group", "groups", multiple=True, metavar="XID", help="Message group that the endpoint carries; may be repeated."
)
@with_registry
def add_endpoint(registry: Path, xid: str, protocol: str, usage: str, groups: tuple[str, ...]) -> None:
    """Write the file of an endpoint."""
    catalog = _load(registry)
    parts = _parts(xid, ("endpoints",))
    known = {item.xid: item for item in catalog.messagegroups}
    carried = ["/" + "/".join(_parts(group, ("messagegroups",))) for group in groups]
    for group in carried:
        if group not in known:
            raise unknown_name(group, known, what="group", others=f'"xregit add group {group}" makes it')
    name, facts = _protocol(protocol)
    values = _values("", parts[1], protocol=name, usage=usage)
    values["options"] = _options(facts["endpoint"], values)
    lines = [_skeleton("endpoint.yaml", values)]
    envelopes = {str(known[group].attributes.get("envelope", "")) for group in carried}
    if len(envelopes) == 1:
        lines += [f"envelope: {envelope}\n" for envelope in envelopes if envelope]
    lines.append("messagegroups:\n" if carried else _skeleton("carried.yaml", {}))
    lines += [f"  - {group}\n" for group in carried]
    _write(catalog, parts, {_path(catalog, *parts): "".join(lines)})


def _load(registry: Path) -> Registry:
    """Return the registry of a folder.

    Raises:
        XregitError: it is a document, to which no files can be added.
    """
    if not registry.is_dir():
        raise XregitError(f'"{registry}" is one document; files can be added to a registry folder alone')
    return xregit.load(registry)


def _parts(xid: str, plurals: tuple[str, ...]) -> list[str]:
    """Return the parts of an xid, which may be shortened to its ids.

    Raises:
        XregitError: it has too few or too many, or one that no id can be.
    """
    parts = xid.strip("/").split("/")
    if len(parts) == len(plurals):
        parts = [text for pair in zip(plurals, parts, strict=True) for text in pair]
    shape = "/".join(["", *(f"{plural}/<id>" for plural in plurals)])
    if len(parts) != 2 * len(plurals) or parts[2::2] != list(plurals[1:]):
        raise XregitError(f'"{xid}" is not a valid location; write {"/".join(["<id>"] * len(plurals))}, or {shape}')
    wrong = next((each for each in parts[1::2] if not is_id(each)), None)
    if wrong is not None:
        message = f'"{wrong}" is not a valid id; use letters, digits and . _ ~ : @ - with a letter, digit or _ first'
        raise XregitError(message)
    return parts


def _path(catalog: Registry, *parts: str) -> str:
    """Return the path of an entity's file below the registry's folder.

    Raises:
        XregitError: the model has no such entities.
    """
    path = path_of(catalog.model, "/" + "/".join(parts))
    if not path:
        raise XregitError(f'there is no "{parts[0]}"; the group types are {", ".join(catalog.model.groups)}')
    return path


def _values(group: str, id_: str, **others: str) -> dict[str, str]:
    """Return what skeletons are filled with: names, and ids in the forms that languages and protocols take."""
    words = re.split("[^A-Za-z0-9]+", id_.strip("_"))
    return {
        "group": group,
        "id": id_,
        "token": re.sub(r"[^A-Za-z0-9._-]", "-", id_),
        "name": " ".join(words).capitalize(),
        "word": re.sub("^(?=[0-9])", "_", "".join(word[:1].upper() + word[1:] for word in words)),
        **others,
    }


def _skeleton(name: str, values: Mapping[str, str]) -> str:
    return Template((files("xregit.cli") / "skeletons" / name).read_text(encoding="utf-8")).substitute(values)


def _group(plural: str, id_: str) -> str:
    return _skeleton(f"{plural.removesuffix('s')}.yaml", _values(id_, id_))


def _protocol(text: str) -> tuple[str, Mapping[str, str]]:
    """Return a protocol's name and its skeletons.

    Raises:
        XregitError: it is none that is known.
    """
    known, name = facts("skeleton"), protocol_name(text)
    if name not in known:
        raise unknown_name(text, known, what="protocol", others=f"write {', '.join(known)}")
    return name, known[name]


def _options(skeleton: str, values: Mapping[str, str]) -> str:
    return indent(Template(skeleton).substitute(values), "  ")


def _payload(catalog: Registry, schema: str) -> tuple[str, str]:
    """Return the lines by which a message names its schema, those for the event's media type first.

    Raises:
        XregitError: there is no such schema.
    """
    schema, _, selector = schema.partition(":")
    xid = "/" + "/".join(_parts(schema, ("schemagroups", "schemas")))
    known = {item.xid: item for item in catalog.schemas}
    if xid not in known:
        raise unknown_name(xid, known, what="schema", others=f'"xregit add schema {schema}" makes it')
    form, version = known[xid].format, known[xid].default
    language = find_name("format", form)
    document = version.data if version else None
    if language and language.name == "Protobuf" and not selector and document:
        selector = next((match[1].decode() for match in PROTOBUF_MESSAGE.finditer(document)), "")
    # The data of an event is taken for JSON unless its media type says otherwise.
    own = language is not None and not language.payload
    contenttype = f"  datacontenttype:\n    value: application/{language.name.lower()}\n" if own and language else ""
    reference = f"dataschemauri: {xid}{':' if selector else ''}{selector}\n"
    return contenttype, (f"dataschemaformat: {form}\n" if form else "") + reference


PROTOBUF_MESSAGE = re.compile(rb"^\s*message\s+(\w+)", re.MULTILINE)


def _write(catalog: Registry, parts: list[str], new: Mapping[str, str]) -> None:
    """Write new files, those in YAML in their canonical form.

    Raises:
        XregitError: the entity or one of the files is there already.
    """
    root, xid = catalog.origin.root, f"/{'/'.join(parts)}"
    if catalog.entity(xid) is not None:
        raise XregitError(f'{xid} already exists; "xregit show {xid}" prints it')
    with edit_lock(root):
        for path in new:
            if (root / path).exists():
                raise XregitError(f'"{root / path}" already exists, and is not overwritten')
        data = {path: text.encode() for path, text in new.items()}
    write_files(root, {path: format_yaml(each) if path.endswith(".yaml") else each for path, each in data.items()})
    print_result("\n".join(relpath(root / path) for path in sorted(new)))
    note("Next: replace the placeholder values, then run xregit check.")


@click.command()
@click.argument("xid")
@click.argument("new_id", metavar="NEW-ID")
@with_registry
def rename(registry: Path, xid: str, new_id: str) -> None:
    """Change the id of an entity, and update all references to it.

    What it says stays the same, such as the type of its events: those who send and receive notice nothing.
    """
    with edit_lock(registry):
        catalog = load_registry_of(registry, xid)
        renaming = rename_entity(catalog, xid, new_id)
        write_and_remove(catalog.origin.root, renaming.files, renaming.removals)
    count = renaming.references
    note(f"{xid} is {renaming.xid} now; {count:,} reference{' follows' if count == 1 else 's follow'}.")


@click.command()
@click.argument("xid")
@click.option("--by", metavar="XID", default="", help="Replacement: an xid or a URL.")
@click.option("--effective", metavar="TIME", default="", help="Date of the deprecation, such as 2026-12-31.")
@click.option("--removal", metavar="TIME", default="", help="Date of the removal, such as 2027-12-31.")
@click.option("--docs", metavar="URL", default="", help="URL of a page that explains the move to the replacement.")
@with_registry
def deprecate(registry: Path, xid: str, by: str, effective: str, removal: str, docs: str) -> None:
    """Mark an entity as deprecated.

    Attributes of its deprecation that no option sets stay as they are.
    """
    terms = {"effective": parse_time(effective), "removal": parse_time(removal), "alternative": by, "docs": docs}
    with edit_lock(registry):
        catalog = load_registry_of(registry, xid)
        if by.startswith("/") and catalog.entity(by) is None:
            raise unknown_name(by, (other for other in catalog if other != xid), what="entity")
        path, data = deprecate_entity(catalog, xid, {name: text for name, text in terms.items() if text})
        write(catalog.origin.repository / path, data)
    note(f"Wrote {path}.")


def load_registry_of(registry: Path, xid: str) -> Registry:
    """Return the registry that has an entity.

    Raises:
        XregitError: it has none of that xid.
    """
    catalog = xregit.load(registry)
    if catalog.entity(xid) is None:
        raise unknown_name(xid, catalog, what="entity")
    return catalog


def parse_time(text: str) -> str:
    """Return a time as a registry states it; a day begins at midnight in UTC.

    Raises:
        XregitError: it is no time.
    """
    if not text:
        return ""
    parsed = moment(text)
    if parsed is None:
        raise XregitError(f'"{text}" is not a time; write it as 2026-12-31 or 2026-12-31T12:00:00Z')
    return timestamp(parsed)
