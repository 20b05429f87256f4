"""The static API: files that answer as a server of the registry does, on hosts that serve nothing but files.

Source: HTTP specification, "no-code servers".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from xregit.catalog.entities import Group, Resource
from xregit.catalog.registry import Registry
from xregit.document.compiler import DEFAULT_PROFILE, EntityWriter, document_view
from xregit.document.model_document import full_model, modelsource
from xregit.document.profiles import profile as profile_named
from xregit.document.serializer import Serializer
from xregit.document.version_document import media_type
from xregit.errors import XregitError
from xregit.model.language import ResourceModel
from xregit.source.json_emitter import to_bytes


def offered_capabilities(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each capability its type and the values it may have: a static registry offers just those it has.

    Source: core specification, "Offered Capabilities".
    """
    return {name: _offered_value(value) for name, value in capabilities.items()}


def _offered_value(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {"type": "object", "attributes": offered_capabilities(value)}
    if isinstance(value, bool):
        return {"type": "boolean", "enum": [value]}
    return {"type": "array", "enum": list(value), "item": {"type": "string"}}


JSON = "application/json"
# A page of another site may read the registry.
ORIGIN = "Access-Control-Allow-Origin"
# A document may be HTML or XML with scripts; a browser that is led to it runs none.
POLICY, SANDBOX = "Content-Security-Policy", "sandbox"
# What stays as it is in an address: not what ends a text, a directive or a block of nginx, or begins a variable.
_SAFE = ":/?#[]@!&()*+,=%"
_PATH = re.compile(r"[^:/?#]+://[^/?#]*|[?#].*")
_ENDING = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


def host_files(base: str, documents: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files for hosts by name; ``documents`` maps the paths that don't answer with JSON to what they are.

    The registry may not have been checked, so what would end a line, a text or a word of a notation is taken from both.

    Source: HTTP specification, "no-code servers" and the link ``xregistry-root``.
    """
    address = quote(base, safe=_SAFE)
    kinds = {path: one_line(kind) for path, kind in documents.items()}
    return {name: notation(address, kinds).encode() for name, notation in HOSTS.items()}


def one_line(text: str) -> str:
    """Return a text that ends no line."""
    return _ENDING.sub(" ", text)


def _headers(base: str, documents: Mapping[str, str]) -> str:
    """Return ``_headers``, which Netlify and Cloudflare Pages read; the latter joins what several rules say.

    Therefore a rule for one document first takes away, with ``!``, what the rule for all has given it.
    """
    rules = [f"/*\n  Content-Type: {JSON}\n  {ORIGIN}: *\n  {POLICY}: {SANDBOX}\n  Link: {_link(base)}\n"]
    for path, kind in documents.items():
        rules += [f"/{path}{slash}\n  ! Content-Type\n  Content-Type: {kind}\n" for slash in ("", "/")]
    return "".join(rules)


def _azure(base: str, documents: Mapping[str, str]) -> str:
    """Return ``staticwebapp.config.json`` of Azure Static Web Apps, where the first route that fits counts."""
    kinds = {**{f"/{path}": kind for path, kind in documents.items()}, "/*": JSON}
    routes = [{"route": route, "headers": {"Content-Type": kind}} for route, kind in kinds.items()]
    value = {"globalHeaders": {ORIGIN: "*", POLICY: SANDBOX, "Link": _link(base)}, "routes": routes}
    return json.dumps(value, indent=2) + "\n"


def _nginx(base: str, documents: Mapping[str, str]) -> str:
    """Return a snippet for a ``server`` of nginx: a location for all files, and one for each document."""
    below = _PATH.sub("", base).rstrip("/")
    headers = (
        f"add_header {ORIGIN} * always; add_header {POLICY} {SANDBOX} always; add_header Link '{_link(base)}' always;"
    )
    head = f"# Include this in the server that answers {base}/. Its root holds this folder at the path {below}/.\n"
    rest = f"{headers} try_files $uri/index.html =404; }}\n"
    # The address itself, without a slash: nginx would send its readers on, without the headers.
    places = [f"location = {below} {{ types {{}} default_type {JSON}; {rest}"] if below else []
    places += [
        f"location {below}/ {{ types {{}} default_type {JSON}; {headers} try_files $uri $uri/index.html =404; }}\n"
    ]
    places += [
        f"location = {below}/{path} {{ types {{}} default_type {_quote(kind)}; {rest}"
        for path, kind in documents.items()
    ]
    return head + "".join(places)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _link(base: str) -> str:
    return f"<{base}/>; rel=xregistry-root"


#: Without it, GitHub Pages leaves out what begins with an underscore, as ids may.
NO_JEKYLL = ".nojekyll"
HOSTS: Mapping[str, Callable[[str, Mapping[str, str]], str]] = {
    NO_JEKYLL: lambda _base, _documents: "",
    "_headers": _headers,
    "staticwebapp.config.json": _azure,
    "nginx.conf": _nginx,
}


INDEX = "index.html"
DETAILS = "$details"
INLINE = ("", "base64")
# What a header may be called (RFC 9110, section 5.1).
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def api_files(registry: Registry, baseurl: str, *, profile: str = DEFAULT_PROFILE) -> dict[str, bytes]:
    """Return the bytes of every file by its path; addresses inside begin with ``baseurl``.

    Raises:
        XregitError: an id can't be a file beside the files of its collection.
    """
    return _StaticApi(Serializer(registry, profile_named(profile)), baseurl.rstrip("/")).all()


class _StaticApi:
    """The files of the API so far, and the media types of those that are no JSON."""

    def __init__(self, serializer: Serializer, base: str) -> None:
        self.serializer = serializer
        self.registry = serializer.registry
        self.base = base
        self.entities = EntityWriter(serializer, lambda xid: base + xid, DETAILS)
        self.link = _link(quote(base, safe=_SAFE))
        self.json_header = _header_lines({"content-type": JSON, "link": self.link})
        self.files: dict[str, bytes] = {}
        self.documents: dict[str, str] = {}

    def all(self) -> dict[str, bytes]:
        serializer, model = self.serializer, self.registry.model
        root = self.entities.registry()
        for plural in model.groups:
            groups = self.registry.groups.get(plural, {})
            _add_count(root, plural, f"{self.base}/{plural}", len(groups))
            self.json(f"{plural}/{INDEX}", {gid: self.group(group) for gid, group in groups.items()})
        self.json(INDEX, root)
        self.json("capabilities", serializer.profile.capabilities)
        self.json("capabilitiesoffered", offered_capabilities(serializer.profile.capabilities))
        self.json("model", full_model(model, serializer.profile))
        self.json("modelsource", modelsource(model, serializer.profile))
        self.json("export", document_view(serializer))
        return {**self.files, **host_files(self.base, self.documents)}

    def group(self, group: Group) -> dict[str, Any]:
        value = self.entities.group(group)
        path = group.xid[1:]
        _refuse_id(group.id, group.xid)
        for plural in group.type.resources:
            resources = group.collections.get(plural, {})
            _add_count(value, plural, f"{self.base}{group.xid}/{plural}", len(resources))
            members = {rid: self.resource(resource) for rid, resource in resources.items()}
            self.json(f"{path}/{plural}/{INDEX}", members)
        self.json(f"{path}/{INDEX}", value)
        return value

    def resource(self, resource: Resource) -> dict[str, Any]:
        """Write a resource, its meta entity and its versions; an alias has those of its target under its own name."""
        _refuse_id(resource.id, resource.xid)
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
        _add_count(value, "versions", f"{self.base}{resource.xid}/versions", len(versions))
        self.entity(path, value, source, source.defaultversionid, f"{path}/versions/{source.defaultversionid}")
        return value

    def version(self, source: Resource, vid: str, value: dict[str, Any], path: str) -> dict[str, Any]:
        _refuse_id(vid, f"/{path}/versions/{vid}")
        if source.type.hasdocument:
            for ending in INLINE:
                value.pop(f"{source.type.singular}{ending}", None)
        self.entity(f"{path}/versions/{vid}", value, source, vid, f"{path}/versions/{vid}")
        return value

    def entity(self, path: str, value: Mapping[str, Any], resource: Resource, vid: str, location: str) -> None:
        """Write what answers for a resource or version: its attributes, or its document with the attributes beside.

        ``location`` is the path of the version ``vid``, whose document it is.
        """
        self.json(f"{path}{DETAILS}", value)
        version = resource.versions.get(vid)
        if not resource.type.hasdocument:
            self.files[f"{path}/{INDEX}"] = _without_tags(self.files[f"{path}{DETAILS}"])
            self.files[f"{path}/{INDEX}.hdr"] = self.json_header
        elif version is not None and version.data is not None:
            data, kind = version.data, media_type(version)
            self.files[f"{path}/{INDEX}"] = data
            standard = {
                "content-type": kind,
                "content-length": str(len(data)),
                "content-disposition": str(value[f"{resource.type.singular}id"]),
                "content-location": f"{self.base}/{location}",
                "link": self.link,
            }
            header = _header_lines({**_attribute_headers(value, resource.type), **standard})
            self.files[f"{path}.hdr"] = self.files[f"{path}/{INDEX}.hdr"] = header
            if kind != JSON:
                self.documents[path] = kind

    def source(self, resource: Resource) -> Resource | None:
        """Return the resource whose attributes are served; none for an alias of an alias, or of nothing."""
        if not resource.xref:
            return resource
        target = self.registry.resource(resource.xref)
        return target if target is not None and not target.xref else None

    def json(self, path: str, value: Any) -> None:
        data = to_bytes(value)
        self.files[path] = _without_tags(data) if path.endswith(INDEX) else data
        self.files[f"{path}.hdr"] = self.json_header


def _without_tags(data: bytes) -> bytes:
    """Return JSON in which no text begins a tag: hosts that can't be told media types serve an index as HTML."""
    return data.replace(b"<", b"\\u003c")


def _add_count(owner: dict[str, Any], plural: str, address: str, count: int) -> None:
    owner[f"{plural}url"] = address
    owner[f"{plural}count"] = count


def _refuse_id(name: str, xid: str) -> None:
    """Stop at ids that would be the files of their own collection.

    Raises:
        XregitError: the id is one of these.
    """
    if name == INDEX or name.endswith((".hdr", DETAILS)):
        message = f'"{xid}" can\'t be served as a file: its id is the name of a file beside it; give it another id'
        raise XregitError(message)


def _header_lines(headers: Mapping[str, str]) -> bytes:
    return "".join(f"{name}:{one_line(text)}\n" for name, text in sorted(headers.items())).encode()


def _attribute_headers(value: Mapping[str, Any], kind: ResourceModel) -> dict[str, str]:
    """Return the attributes of a version that headers state beside its document: scalars, and entries of maps.

    Source: HTTP specification, "Serializing Resource Domain-Specific Documents".
    """
    items = dict[str, Any]()
    for name, item in value.items():
        if isinstance(item, Mapping) and name in kind.attributes and kind.attributes[name].type == "map":
            items |= {f"{name}.{key}": text for key, text in item.items()}
        elif name != "contenttype":
            items[name] = item.removesuffix(DETAILS) if name == "self" else item
    return {
        f"xregistry-{name}": _header_text(item)
        for name, item in items.items()
        if isinstance(item, str | int | float) and _TOKEN.fullmatch(name)
    }


def _header_text(value: Any) -> str:
    """Return a value as a header has it: percent-encoded outside printable ASCII (HTTP specification)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "".join(char if " " <= char <= "~" and char not in '"%' else _percent_encode(char) for char in str(value))


def _percent_encode(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode(errors="replace"))
