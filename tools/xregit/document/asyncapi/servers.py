"""An endpoint's addresses and ways to be admitted to AsyncAPI's servers and security schemes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xregit.document.asyncapi.bindings import bindings
from xregit.document.asyncapi.facts import facts, protocol
from xregit.document.asyncapi.naming import is_uri, variables
from xregit.document.asyncapi.options import Options
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog import Endpoint
    from xregit.document.asyncapi.facts import Protocol

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+._-]*)://(?:[^/?#@]*@)?(?P<host>[^/?#]+)(?P<path>.*)", re.DOTALL)


def servers(endpoint: Endpoint, *, with_path: bool) -> dict[str, dict[str, Any]]:
    """Return the servers by name; ``with_path`` says that an address's path is no channel's address."""
    known = protocol(endpoint.protocol)
    addresses = tuple(_addresses(endpoint))
    names = ["server"] if len(addresses) == 1 else [f"server-{number}" for number in range(1, len(addresses) + 1)]
    return {name: _server(endpoint, known, uri, with_path) for name, uri in zip(names, addresses, strict=True)}


def common_path(endpoint: Endpoint) -> str:
    """Return the path that all addresses share, without its first slash; empty where they don't, or there is none."""
    paths = {_parts(uri)[2].removeprefix("/") for uri in _addresses(endpoint)}
    return paths.pop() if len(paths) == 1 else ""


def _addresses(endpoint: Endpoint) -> Iterator[str]:
    stated = endpoint.options.get("endpoints")
    for item in stated if isinstance(stated, list | tuple) else ():
        uri = item.get("uri", item.get("url")) if isinstance(item, Mapping) else item
        if isinstance(uri, str) and uri:
            yield uri


def _parts(uri: str) -> tuple[str, str, str]:
    """Return scheme, host with port, and path of an address; one of another form is all host."""
    found = _ADDRESS.fullmatch(uri)
    return (found["scheme"], found["host"], found["path"]) if found else ("", uri, "")


def _server(endpoint: Endpoint, known: Protocol, uri: str, with_path: bool) -> dict[str, Any]:
    scheme, host, path = _parts(uri)
    spoken = known.schemes.get(scheme.lower(), known.protocol) or scheme.lower() or "unknown"
    server: dict[str, Any] = {"host": host}
    if path and with_path:
        server["pathname"] = path
    server["protocol"] = spoken
    if known.protocolversion:
        server["protocolVersion"] = known.protocolversion
    named = variables(host + (path if with_path else ""))
    if named:
        server["variables"] = {name: {} for name in named}
    security = list(_security(endpoint))
    if security:
        server["security"] = security
    server |= bindings(known, "server", Options(endpoint.options))
    if scheme and scheme.lower() != spoken:
        server["x-scheme"] = scheme
    return server


def _security(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    """Give a security scheme for each way to be admitted that AsyncAPI can express."""
    stated = endpoint.options.get("authorization")
    for item in stated if isinstance(stated, list | tuple) else (stated,):
        scheme = _scheme(endpoint, item) if isinstance(item, Mapping) else None
        if scheme is not None:
            yield scheme


def _scheme(endpoint: Endpoint, item: Mapping[str, Any]) -> dict[str, Any] | None:
    kind = str(item.get("type", ""))
    if kind == "OAuth2":
        return _oauth(item)
    known = facts()["authorization"].get(kind, NOTHING)
    mechanism = facts()["mechanisms"].get(str(item.get("mechanism", "")).upper())
    special = known.get(protocol(endpoint.protocol).protocol)
    found = mechanism or special or known.get("others")
    return dict(found) if found else None


def _oauth(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the OAuth 2.0 scheme; AsyncAPI has no place for one whose authority is not known."""
    authority = item.get("authorityuri")
    if not is_uri(authority):
        return None
    granted = item.get("granttypes")
    flows = [facts()["flows"].get(str(each)) for each in (granted if isinstance(granted, list | tuple) else ())]
    known = [flow for flow in flows if flow]
    return {
        "type": "oauth2",
        "flows": {
            flow["name"]: {**dict.fromkeys(flow["addresses"], authority), "availableScopes": {}} for flow in known
        },
    }
