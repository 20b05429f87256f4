"""The content types of a static API's files to the configuration files of common static hosts.

A plain file server takes ``index.html`` for HTML and files without an ending for anything. Each host is told in its own
notation that everything here is JSON but the documents of resources.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

JSON = "application/json"
# A page of another site may read the registry.
ORIGIN = "Access-Control-Allow-Origin"
# What stays as it is in an address: not what ends a text, a directive or a block of nginx, or begins a variable.
_KEPT = ":/?#[]@!&()*+,=%"
_PATH = re.compile(r"[^:/?#]+://[^/?#]*|[?#].*")
_ENDING = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


def host_files(base: str, documents: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files for hosts by name; ``documents`` maps the paths that don't answer with JSON to what they are.

    The registry may not have been checked, so what would end a line, a text or a word of a notation is taken from both.

    Source: HTTP specification, "no-code servers" and the link ``xregistry-root``.
    """
    address = quote(base, safe=_KEPT)
    kinds = {path: one_line(kind) for path, kind in documents.items()}
    return {name: notation(address, kinds).encode() for name, notation in HOSTS.items()}


def one_line(text: str) -> str:
    """Return a text that ends no line."""
    return _ENDING.sub(" ", text)


def _headers(base: str, documents: Mapping[str, str]) -> str:
    """Return ``_headers``, which Netlify and Cloudflare Pages read; the latter joins what several rules say.

    Therefore a rule for one document first takes away, with ``!``, what the rule for all has given it.
    """
    rules = [f"/*\n  Content-Type: {JSON}\n  {ORIGIN}: *\n  Link: {_link(base)}\n"]
    for path, kind in documents.items():
        rules += [f"/{path}{slash}\n  ! Content-Type\n  Content-Type: {kind}\n" for slash in ("", "/")]
    return "".join(rules)


def _azure(base: str, documents: Mapping[str, str]) -> str:
    """Return ``staticwebapp.config.json`` of Azure Static Web Apps, where the first route that fits counts."""
    kinds = {**{f"/{path}": kind for path, kind in documents.items()}, "/*": JSON}
    routes = [{"route": route, "headers": {"Content-Type": kind}} for route, kind in kinds.items()]
    value = {"globalHeaders": {ORIGIN: "*", "Link": _link(base)}, "routes": routes}
    return json.dumps(value, indent=2) + "\n"


def _nginx(base: str, documents: Mapping[str, str]) -> str:
    """Return a snippet for a ``server`` of nginx: a location for all files, and one for each document."""
    below = _PATH.sub("", base).rstrip("/")
    headers = f"add_header {ORIGIN} * always; add_header Link '{_link(base)}' always;"
    said = f"# Include this in the server that answers {base}/. Its root holds this folder at the path {below}/.\n"
    places = [
        f"location {below}/ {{ types {{}} default_type {JSON}; {headers} try_files $uri $uri/index.html =404; }}\n"
    ]
    rest = f"{headers} try_files $uri/index.html =404; }}\n"
    places += [
        f"location = {below}/{path} {{ types {{}} default_type {_quoted(kind)}; {rest}"
        for path, kind in documents.items()
    ]
    return said + "".join(places)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _link(base: str) -> str:
    return f"<{base}/>; rel=xregistry-root"


HOSTS: Mapping[str, Callable[[str, Mapping[str, str]], str]] = {
    "_headers": _headers,
    "staticwebapp.config.json": _azure,
    "nginx.conf": _nginx,
}
