"""Passwords, keys and tokens in the description of an endpoint, which everybody may read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding, Severity
from xregit.model.language import MAPPINGS
from xregit.rules.rule import found, rule

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Endpoint
    from xregit.keypaths import KeyPath

OPTIONS, AUTHORIZATION = "protocoloptions", "authorization"
_HINTS = (OPTIONS, AUTHORIZATION)
# Names that, with a text of some length beside them, hold a secret and no hint.
SECRETS = frozenset(
    {
        "password", "passwd", "pwd", "secret", "clientsecret", "token", "accesstoken", "bearertoken", "refreshtoken",
        "apikey", "xapikey", "accesskey", "secretkey", "secretaccesskey", "sharedaccesskey", "sharedaccesskeyvalue",
        "accountkey", "privatekey", "connectionstring", "saslpassword", "credential", "credentials",
    }
)  # fmt: skip
# What only a credential looks like, wherever it stands; compiled for the first endpoint, as it takes a millisecond.
_LOOKS = (
    r"(?i)://[^/?#@\s{:]*:[^/?#@\s{]+@"  # a password in an address
    r"|\b(?:SharedAccessKey|AccountKey|SharedAccessSignature|Password|Pwd)=[^;{\s]{4}"  # a connection string
    r"|[?&](?:sig|access_token|api[_-]?key|token|code|password)=[^&{\s]{8}"  # a signed address
    r"|^(?:Bearer|Basic) +[A-Za-z0-9+/=._~-]{8}"  # the value of an Authorization header
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"  # a JSON Web Token
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30}|\bxox[abp]-[A-Za-z0-9-]{10}"  # keys of services
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_PROSE = frozenset({"description", "documentation", "name"})
_HELP = "Remove it here and have it revoked: it stays in the history of the repository."


@rule("endpoint", Severity.ERROR, "An endpoint's hints on authorization hold a credential.", "EP-28", "EP-27")
def credential_in_authorization(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """Report passwords, tokens and keys, however deep they are; a placeholder for one is fine."""
    for path, value in _texts(endpoint.options.get(AUTHORIZATION), _HINTS):
        name = next(part for part in reversed(path) if isinstance(part, str))
        if is_credential(name, value):
            message = f'"{name}" looks like a credential, which everybody who reads the catalog would know.'
            yield found(*path, message=message, help=_HELP, on_key=isinstance(path[-1], str))


@rule("endpoint", Severity.ERROR, "An endpoint's description holds a credential.", "EP-28")
def credential_in_endpoint(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """Report the same in addresses, options and all else that an endpoint states."""
    for path, value in _texts(endpoint.attributes, (), passing=_PROSE):
        if _is_secret(str(path[-1]), value) or re.search(_LOOKS, value):
            # The value is not shown: reports are kept and sent around.
            what = f'"{path[-1]}"' if isinstance(path[-1], str) else f'An item of "{path[-2]}"'
            message = f"{what} holds a credential, which everybody who reads the catalog would know."
            yield found(*path, message=message, help=_HELP)


def is_credential(name: str, value: Any) -> bool:
    """Tell whether what stands under a name in an endpoint is a credential, which is not to be shown."""
    return _is_secret(name, value) or (isinstance(value, str) and bool(re.search(_LOOKS, value)))


def _is_secret(name: str, value: Any) -> bool:
    return re.sub("[-_. ]", "", name.lower()) in SECRETS and isinstance(value, str) and bool(value) and "{" not in value


def _texts(value: Any, path: KeyPath, passing: frozenset[str] = frozenset()) -> Iterator[tuple[KeyPath, str]]:
    """Give the texts inside the value at a path, with their paths, but not those under ``passing`` names or hints."""
    pending: list[tuple[KeyPath, Any]] = [(path, value)]
    while pending:
        here, held = pending.pop()
        if isinstance(held, str):
            yield here, held
        elif here == _HINTS != path:
            continue
        elif isinstance(held, MAPPINGS):
            pending += [((*here, name), item) for name, item in held.items() if name not in passing]
        elif isinstance(held, list | tuple):
            pending += [((*here, index), item) for index, item in enumerate(held)]
