"""A registry to the files of a static xRegistry API: what a server would answer to each GET, one file per address.

Source: HTTP specification, "no-code servers"; the layout is that of the reference server's ``xr download``. Folders
answer with their ``index.html``, which holds JSON, or a schema document byte for byte; ``.hdr`` files tell the
reference server the content types, and `hosting` makes what tells them to common hosts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.collecting import uncollected
from xregit.document.compiling import DEFAULT_PROFILE, document_view
from xregit.document.documents import media_type
from xregit.document.hosting import JSON, host_files, one_line
from xregit.document.identifying import Identifying
from xregit.document.models import full_model, modelsource
from xregit.document.offering import offered
from xregit.document.serialising import to_bytes
from xregit.document.stating import Stating
from xregit.document.tables import profile as profile_of
from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Group, Resource, Version
    from xregit.catalog.registry import Registry

INDEX = "index.html"
DETAILS = "$details"
JSON_HEADER = f"content-type: {JSON}\n".encode()
INLINE = ("", "base64")


def api_files(registry: Registry, baseurl: str, *, profile: str = DEFAULT_PROFILE) -> dict[str, bytes]:
    """Return the bytes of every file by its path; addresses inside begin with ``baseurl``.

    Raises:
        XregitError: an id can't be a file beside the files of its collection.
    """
    with uncollected():
        return _Api(Stating(registry, profile_of(profile)), baseurl.rstrip("/")).all()


class _Api:
    """The files so far."""

    def __init__(self, stating: Stating, base: str) -> None:
        self.stating = stating
        self.registry = stating.registry
        self.base = base
        self.entities = Identifying(stating, lambda xid: base + xid, DETAILS)
        self.files: dict[str, bytes] = {}
        self.documents: dict[str, str] = {}

    def all(self) -> dict[str, bytes]:
        stating, model = self.stating, self.registry.model
        root = self.entities.registry()
        for plural in model.groups:
            groups = self.registry.groups.get(plural, {})
            _counted(root, plural, f"{self.base}/{plural}", len(groups))
            self.json(f"{plural}/{INDEX}", {gid: self.group(group) for gid, group in groups.items()})
        self.json(INDEX, root)
        self.json("capabilities", stating.profile.capabilities)
        self.json("capabilitiesoffered", offered(stating.profile.capabilities))
        self.json("model", full_model(model, stating.profile))
        self.json("modelsource", modelsource(model, stating.profile))
        self.json("export", document_view(stating))
        return {**self.files, **host_files(self.base, self.documents)}

    def group(self, group: Group) -> dict[str, Any]:
        value = self.entities.group(group)
        path = group.xid[1:]
        _refuse(group.id, group.xid)
        for plural in group.type.resources:
            resources = group.collections.get(plural, {})
            _counted(value, plural, f"{self.base}{group.xid}/{plural}", len(resources))
            members = {rid: self.resource(resource) for rid, resource in resources.items()}
            self.json(f"{path}/{plural}/{INDEX}", members)
        self.json(f"{path}/{INDEX}", value)
        return value

    def resource(self, resource: Resource) -> dict[str, Any]:
        """Write a resource, its meta entity and its versions; an alias has those of its target under its own name."""
        _refuse(resource.id, resource.xid)
        path, source = resource.xid[1:], self.source(resource)
        identity = self.entities.resource(resource)
        meta = self.entities.meta(resource, source) if source else self.entities.alias(resource)
        if source and resource.xref:
            meta |= self.entities.alias(resource)
        self.json(f"{path}/meta", meta)
        urls = {"metaurl": f"{self.base}{resource.xid}/meta"}
        if source is None:
            value = {**identity, **urls}
            self.json(f"{path}{DETAILS}", value)
            if not resource.type.hasdocument:
                self.json(f"{path}/{INDEX}", value)
            return value
        versions = {
            vid: self.version(source, vid, value, path) for vid, value in self.entities.versions(resource, source)
        }
        self.json(f"{path}/versions/{INDEX}", versions)
        value = {**versions.get(source.defaultversionid, {}), **identity, **urls}
        _counted(value, "versions", f"{self.base}{resource.xid}/versions", len(versions))
        self.entity(path, value, source, source.versions.get(source.defaultversionid))
        return value

    def version(self, source: Resource, vid: str, value: dict[str, Any], path: str) -> dict[str, Any]:
        _refuse(vid, f"/{path}/versions/{vid}")
        if source.type.hasdocument:
            for ending in INLINE:
                value.pop(f"{source.type.singular}{ending}", None)
        self.entity(f"{path}/versions/{vid}", value, source, source.versions[vid])
        return value

    def entity(self, path: str, value: Mapping[str, Any], resource: Resource, version: Version | None) -> None:
        """Write what answers for a resource or version: its attributes, or its document with the attributes beside."""
        self.json(f"{path}{DETAILS}", value)
        if not resource.type.hasdocument:
            self.files[f"{path}/{INDEX}"] = self.files[f"{path}{DETAILS}"]
            self.files[f"{path}/{INDEX}.hdr"] = JSON_HEADER
        elif version is not None and version.document is not None and version.document.data is not None:
            data, kind = version.document.data, media_type(version)
            self.files[f"{path}/{INDEX}"] = data
            header = _document_header(value, data, kind, resource.type.singular)
            self.files[f"{path}.hdr"] = self.files[f"{path}/{INDEX}.hdr"] = header
            if kind != JSON:
                self.documents[path] = kind

    def source(self, resource: Resource) -> Resource | None:
        """Return the resource whose attributes are shown; an alias of an alias, or of nothing, shows none."""
        if not resource.xref:
            return resource
        target = self.registry.resource(resource.xref)
        return target if target is not None and not target.xref else None

    def json(self, path: str, value: Any) -> None:
        self.files[path] = to_bytes(value)
        self.files[f"{path}.hdr"] = JSON_HEADER


def _counted(owner: dict[str, Any], plural: str, address: str, count: int) -> None:
    owner[f"{plural}url"] = address
    owner[f"{plural}count"] = count


def _refuse(name: str, xid: str) -> None:
    """Stop at ids that would be the files of their own collection.

    Raises:
        XregitError: the id is one of these.
    """
    if name == INDEX or name.endswith((".hdr", DETAILS)):
        message = f'"{xid}" can\'t be served as a file: its id is the name of a file beside it; give it another id'
        raise XregitError(message)


def _document_header(value: Mapping[str, Any], data: bytes, kind: str, singular: str) -> bytes:
    """Return the headers of a document: its type, length and, as far as they are plain, its attributes."""
    plain = {name: item for name, item in value.items() if isinstance(item, str | int | float)}
    lines = {f"xregistry-{name}": _header_text(item) for name, item in plain.items()}
    lines["content-type"] = kind
    lines["content-length"] = str(len(data))
    lines["content-disposition"] = str(value.get(f"{singular}id", ""))
    lines["content-location"] = str(value.get("self", "")).removesuffix(DETAILS)
    return "".join(f"{name}:{one_line(text)}\n" for name, text in sorted(lines.items())).encode()


def _header_text(value: Any) -> str:
    """Return a value as a header has it: percent-encoded outside printable ASCII (HTTP specification)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "".join(char if " " <= char <= "~" and char not in '"%' else _encoded(char) for char in str(value))


def _encoded(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode(errors="replace"))
