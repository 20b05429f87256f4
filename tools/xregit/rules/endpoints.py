"""What endpoints carry, and what their clients have to know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from xregit.catalog.entities import Group
from xregit.catalog.references import contract_of, local_xid
from xregit.catalog.registry import Registry
from xregit.catalog.views import Endpoint
from xregit.diagnostics import Finding, Severity
from xregit.model import canonical
from xregit.model.aliases import CLOUDEVENTS
from xregit.model.datatypes import PLACEHOLDER
from xregit.model.files import SPECVERSION, content
from xregit.model.language import MAPPINGS, NOTHING, AttributeModel
from xregit.model.loader import build_attributes
from xregit.model.protocols import facts
from xregit.model.similarity import fold_words, is_misspelled
from xregit.rules.attributes import inside, items, near, nested_texts, text
from xregit.rules.rule import finding, rule

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
_HELP = "Remove it here and revoke it: it stays in the history of the repository."


@rule("endpoint", Severity.ERROR, "EP-28", "EP-27")
def credential_in_authorization(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint's authorization contains a credential."""
    # Passwords, tokens and keys, however deep they are; a placeholder for one is fine.
    for path, value in nested_texts(endpoint.options.get(AUTHORIZATION), _HINTS):
        name = next(part for part in reversed(path) if isinstance(part, str))
        if is_credential(name, value):
            message = f'"{name}" looks like a credential; every reader of the catalog can see it.'
            yield finding(*path, message=message, help=_HELP, on_key=isinstance(path[-1], str))


@rule("endpoint", Severity.ERROR, "EP-28")
def credential_in_endpoint(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint contains a credential."""
    # The same in addresses, options and all else that an endpoint states.
    for path, value in nested_texts(endpoint.attributes, (), _PROSE):
        if path[:-1][: len(_HINTS)] != _HINTS and (_is_secret(str(path[-1]), value) or re.search(_LOOKS, value)):
            # The value is not shown: reports are kept and sent around.
            subject = f'"{path[-1]}"' if isinstance(path[-1], str) else f'An item of "{path[-2]}"'
            message = f"{subject} contains a credential; every reader of the catalog can see it."
            yield finding(*path, message=message, help=_HELP)


def is_credential(name: str, value: Any) -> bool:
    """Return whether what stands under a name in an endpoint is a credential, which is not to be shown."""
    return _is_secret(name, value) or (isinstance(value, str) and bool(re.search(_LOOKS, value)))


def _is_secret(name: str, value: Any) -> bool:
    return re.sub("[-_. ]", "", name.lower()) in SECRETS and isinstance(value, str) and bool(value) and "{" not in value


@dataclass(frozen=True, slots=True)
class Client:
    """The facts of one protocol; all are empty for a protocol of which nothing is known.

    ``schemes`` are those of addresses, ``unlisted`` further ones that are in use. The path is a topic behind those in
    ``topics``, and there is none behind those in ``pathless``. An address must name a port where ``port`` has the usual
    one, else it is 0. ``usages`` has the options that are for some usages alone, ``wildcards`` those that name one
    place unless they have one of these signs. ``places`` maps an option to that of messages which names the same, and
    what separates the levels of both.
    """

    schemes: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    pathless: tuple[str, ...] = ()
    port: int = 0
    usages: Mapping[str, frozenset[str]] = field(default_factory=lambda: NOTHING)
    wildcards: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    places: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: NOTHING)


@lru_cache(maxsize=256)
def client(protocol: str) -> Client:
    """Return what is known of a protocol, by its canonical name."""
    values: dict[str, Any] = dict(facts("client").get(protocol, NOTHING))
    usages = {option: frozenset(names) for option, names in values.pop("usages", {}).items()}
    frozen: dict[str, Any] = {key: tuple(item) if isinstance(item, list) else item for key, item in values.items()}
    return Client(**frozen, usages=usages)


@cache
def authorization_attributes() -> Mapping[str, AttributeModel]:
    """Return the attributes that the model has for an entry of ``authorization``, whatever the protocol."""
    attributes = content(SPECVERSION)["endpoints.yaml"]["common"]["authorization"]["item"]["attributes"]
    return build_attributes({name: hint for name, hint in attributes.items() if name != "*"})


MESSAGEGROUPS = "messagegroups"
_LISTS = (("usage",), (MESSAGEGROUPS,), (OPTIONS, "endpoints"), (OPTIONS, "authorization"))
EVERY_USAGE = frozenset({"producer", "consumer", "subscriber"})


@rule("endpoint", Severity.ERROR, "EP-38")
def messagegroup_not_found(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """A message group that an endpoint carries is not in this registry."""
    references = endpoint.attributes.get(MESSAGEGROUPS)
    for index, reference in enumerate(references if isinstance(references, list | tuple) else ()):
        xid = local_xid(reference, registry.settings.baseurl) if isinstance(reference, str) else ""
        _, _, gid = xid.rpartition("/")
        # What doesn't have the form of a message group's xid is reported as a malformed xid.
        exists = gid in registry.groups.get(MESSAGEGROUPS, {}) or registry.unreadable(xid)
        if xid == f"/{MESSAGEGROUPS}/{gid}" and not exists:
            help_ = near(gid, registry.groups.get(MESSAGEGROUPS, {})) or "Add the group, or correct the reference."
            yield finding(MESSAGEGROUPS, index, message=f'There is no message group "{xid}".', help=help_)


@rule("endpoint", Severity.WARNING, "EP-6")
def channel_without_name(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """A channel has no name."""
    # An empty "channel", which is taken for none.
    if endpoint.attributes.get("channel") == "":
        message = '"channel" is empty, so it connects no endpoints.'
        yield finding("channel", message=message, help="Name the channel, or remove the line.")


@rule("group", Severity.WARNING, "EP-6")
def spelled_in_two_ways(registry: Registry, group: Group) -> Iterator[Finding]:
    """Two channels, or two topics of one group, differ only in case, hyphens, underscores or a plural."""
    channel = text(group.attributes, "channel")
    for xid in registry.indexes.by_channel.get(fold_words(channel), ())[:1] if channel else ():
        entity = registry.entity(xid)
        other = text(entity.attributes, "channel") if entity else channel
        if other != channel:
            message = f'The channel is "{channel}" here, but "{other}" on "{xid}".'
            yield finding("channel", message=message, help="Use the same name in both if they are one channel.")
    node = text(group.attributes, OPTIONS, "node")
    for xid, _ in contract_of(registry, group) if node else ():
        to = text(registry.resolved(xid).attributes, OPTIONS, "properties", "to", "value")
        if to != node and fold_words(to) == fold_words(node):
            message = f'The node is "{node}", but "to" of "{xid}" is "{to}".'
            yield finding(OPTIONS, "node", message=message, help="Name the same node in both.")
            break
    topics: dict[str, tuple[str, str]] = {}
    for resource in group.collections.get("messages", {}).values():
        for _, topic in _topics(registry.resolved(resource.xid).attributes):
            spelled = PLACEHOLDER.sub("{}", topic)
            first, other = topics.setdefault(fold_words(spelled), (resource.xid, topic))
            if PLACEHOLDER.sub("{}", other) != spelled:
                message = f'"{resource.id}" is sent to "{topic}", but "{first}" to "{other}".'
                yield finding(
                    "messages", message=message, help="Correct one of them if both mean the same place.", on_key=True
                )


def _topics(attributes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the options of endpoints that name a place to send to, and what a message has for it, perhaps nothing.

    What is no text is an error at the message.
    """
    for name, place in client(canonical("protocol", text(attributes, "protocol"))).places.items():
        own = inside(attributes, OPTIONS, place["message"])
        value = own.get("value") if isinstance(own, MAPPINGS) else own
        if value is None or isinstance(value, str):
            yield name, value or ""


@rule("endpoint", Severity.WARNING, "EP-40", "EP-41")
def messageid_carried_twice(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint carries two messages with the same messageid."""
    # Different messages of one id; an alias and its target are one message.
    carriers: dict[str, tuple[str, str]] = {}
    for xid, via in contract_of(registry, endpoint.entity):
        resource = registry.resource(xid)
        target = resource.xref if resource and resource.xref else xid
        mid = xid.rpartition("/")[2]
        first, first_via = carriers.setdefault(mid, (target, via))
        if first != target:
            message = f'The messageid "{mid}" is carried twice: by "{first_via}" and by "{via}".'
            help_ = "A lookup by id finds both; rename one of them if possible."
            yield finding(MESSAGEGROUPS, message=message, help=help_, on_key=True)


@rule("endpoint", Severity.WARNING, "EP-49", "EP-51", "EP-56", "EP-63", "EP-64", "EP-65", "EP-66")
def option_for_another_usage(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An option is for another usage than the endpoint's."""
    # For example, a consumer group where messages are only produced.
    usages, usage = client(endpoint.protocol).usages, frozenset(endpoint.usage)
    # The model reports values that are no usage.
    if not usages or not usage or not usage <= EVERY_USAGE or len(usage) < _usage_count(endpoint):
        return
    for name in endpoint.options:
        expected = usages.get(name)
        if expected and not expected & usage:
            message = f'"{name}" is for {_plurals(expected)}, but this is an endpoint for {_plurals(usage)}.'
            yield finding(OPTIONS, name, message=message, help="Remove the option, or correct the usage.", on_key=True)


@rule("endpoint", Severity.WARNING, "EP-54", "EP-68")
def wildcard_for_producers(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """The topic or subject of a producer has wildcards."""
    # "+", "#", "*" and ">", with which only those who take messages can name many places.
    for name, signs in client(endpoint.protocol).wildcards.items() if "producer" in endpoint.usage else ():
        value = text(endpoint.options, name)
        sign = next((sign for sign in signs if sign in value), "")
        if sign:
            message = f'Producers can\'t send to "{value}": "{sign}" is a wildcard, which only consumers can use.'
            help_ = f"Write a placeholder such as {{{name}}} instead, or use a separate endpoint for consumers."
            yield finding(OPTIONS, name, message=message, help=help_)


@rule("endpoint", Severity.WARNING, "EP-49", "EP-55")
def topic_unfit_for_messages(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """The topic or subject of a message does not match its endpoint's."""
    # An option that no topic of a carried message fits, once, however many messages it excludes.
    protocol = client(endpoint.protocol)
    for name, place in protocol.places.items():
        value = text(endpoint.options, name)
        signs, separator = protocol.wildcards.get(name, ""), place.get("separator", "")
        unfit: dict[str, str] = {}
        is_faulty = "producer" in endpoint.usage and any(sign in value for sign in signs)
        for xid, _ in contract_of(registry, endpoint.entity) if value and not is_faulty else ():
            attributes = registry.resolved(xid).attributes
            own = inside(attributes, OPTIONS, place["message"])
            topic = own if isinstance(own, str) else text(own, "value")
            is_same_protocol = canonical("protocol", text(attributes, "protocol")) == endpoint.protocol
            # What is wrong with either text is reported as that.
            is_right = _is_plain(topic, separator) and _is_plain(value, separator + signs)
            is_right = is_right and not topic.endswith("/")
            if is_right and is_same_protocol and not _can_be_same(value, topic, separator, signs):
                unfit[xid] = topic
        for xid in list(unfit)[:1]:
            more = f", and {len(unfit) - 1} more" if len(unfit) > 1 else ""
            message = f'"{name}" is "{value}", but "{xid}" has "{unfit[xid]}"{more}.'
            help_ = f'Correct one of them, or remove "{name}" here: each message states its own.'
            yield finding(OPTIONS, name, message=message, help=help_)


def _is_plain(text_: str, others: str) -> bool:
    return bool(text_) and all(character.isalnum() or character in f"._-:{{}}{others}" for character in text_)


def _can_be_same(place: str, topic: str, separator: str, signs: str) -> bool:
    """Return whether one topic can be what two templates mean, the first perhaps with wildcards for one and all levels.

    A placeholder that is the whole text may stand for several levels.
    """
    blank = re.compile(r"\{[^{}]*\}")
    levels = [
        blank.sub("\0", text_).split(separator) if separator else [blank.sub("\0", text_)] for text_ in (place, topic)
    ]
    ones, others = levels
    if ["\0"] in levels:
        return True
    if signs and signs[1] in ones[-1:]:
        ones, others = ones[:-1], others[: len(ones) - 1]
    return len(ones) == len(others) and all(
        one == signs[:1] != "" or _is_same_level(one, other) for one, other in zip(ones, others, strict=True)
    )


def _is_same_level(one: str, other: str) -> bool:
    """Return whether a text can be two templates, as far as what stands before and behind their placeholders tells."""
    if "\0" not in one and "\0" not in other:
        return one == other
    first, second = (
        (one.partition("\0")[0], other.partition("\0")[0]),
        (one.rpartition("\0")[2], other.rpartition("\0")[2]),
    )
    return (first[0].startswith(first[1]) or first[1].startswith(first[0])) and (
        second[0].endswith(second[1]) or second[1].endswith(second[0])
    )


@rule("endpoint", Severity.WARNING, "EP-49", "EP-55")
def topic_missing(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """Neither a message nor its endpoint names the topic or subject."""
    # A message that is bound to the endpoint's protocol, once; base messages leave the topic to others.
    addresses = [text(entry, "uri") or text(entry, "url") for _, entry in items(endpoint.options, "endpoints")]
    if any(address.partition("://")[2].partition("/")[2] for address in addresses):
        return
    for xid, _ in contract_of(registry, endpoint.entity):
        attributes = registry.resolved(xid).attributes
        if canonical("protocol", text(attributes, "protocol")) != endpoint.protocol or registry.indexes.derived.get(
            xid
        ):
            continue
        for name, topic in _topics(attributes):
            if not topic and not text(endpoint.options, name):
                message = f'Neither the endpoint nor "{xid}" names the {name} of the message.'
                help_ = f'Write "{name}" here, or "{client(endpoint.protocol).places[name]["message"]}" in the message.'
                yield finding(OPTIONS, message=message, help=help_, on_key=True)
                return


@rule("endpoint", Severity.WARNING, "EP-38")
def endpoint_without_messages(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint carries no message."""
    # An endpoint without messages or message groups; what can't be read may hold some.
    if endpoint.attributes.get(MESSAGEGROUPS) or endpoint.entity.collections.get("messages") or registry.broken:
        return
    if MESSAGEGROUPS in registry.doubtful(endpoint.xid) or any(
        is_misspelled(n, MESSAGEGROUPS) for n in endpoint.attributes
    ):
        return
    message = "The endpoint carries no messages, so clients don't know what to send or expect."
    yield finding(message=message, help='List the groups of its messages as "messagegroups".', on_key=True)


@rule("endpoint", Severity.ERROR, "EP-60")
def willmessage_not_found(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """The will message is not in this registry."""
    # A "willmessage" that leads nowhere; those in other registries are never looked at.
    xid = _willmessage_xid(registry, endpoint)
    if xid and registry.resource(xid) is None and not registry.unreadable(xid):
        message = f'There is no message "{xid}".'
        yield finding(OPTIONS, "willmessage", message=message, help="Add the message, or correct the reference.")


@rule("endpoint", Severity.ERROR, "EP-60")
def willmessage_unfit_for_mqtt(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """The will message can't be sent by MQTT."""
    # A "willmessage" that is neither a CloudEvent nor an MQTT message.
    xid = _willmessage_xid(registry, endpoint)
    target = registry.resource(xid) if xid else None
    if target is None or target.type.singular != "message" or registry.unreadable(target.xid):
        return
    if "protocol" in registry.doubtful(target.xid):
        return
    attributes = registry.resolved(target.xid).attributes
    envelope = canonical("envelope", text(attributes, "envelope"))
    protocol = canonical("protocol", text(attributes, "protocol"))
    if not protocol.startswith("MQTT") and (protocol or envelope != CLOUDEVENTS):
        message = f'"{target.xid}" is neither an MQTT message nor a CloudEvent of any protocol.'
        help_ = "Refer to an MQTT message, or to a CloudEvent without another protocol."
        yield finding(OPTIONS, "willmessage", message=message, help=help_)


def _willmessage_xid(registry: Registry, endpoint: Endpoint) -> str:
    if not endpoint.protocol.startswith("MQTT"):
        return ""
    return local_xid(text(endpoint.options, "willmessage"), registry.settings.baseurl)


@rule("endpoint", Severity.WARNING, "EP-29")
def unlisted_authorization_type(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """A type of authorization is not in the specification's list."""
    # A "type" that clients don't know, though it may be agreed upon.
    listed = authorization_attributes()["type"].enum
    for index, entry in items(endpoint.options, "authorization"):
        type_ = text(entry, "type")
        if type_ and type_ not in listed:
            message = f'"{type_}" is not a listed type of authorization.'
            help_ = near(type_, listed) or f"The listed types are {', '.join(listed)}."
            yield finding(OPTIONS, "authorization", index, "type", message=message, help=help_)


@rule("endpoint", Severity.ERROR, "EP-25", "EP-26")
def empty_authorization_hint(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An attribute of authorization is empty."""
    # Hints of our own choice without a value; those that the model knows are checked by it.
    for index, entry in items(endpoint.options, "authorization"):
        for name, value in entry.items():
            if name not in authorization_attributes() and value in ("", [], {}):
                message = f'"{name}" is empty, so clients can\'t use it to authenticate.'
                yield finding(
                    OPTIONS, "authorization", index, name, message=message, help="Give it a value, or remove it."
                )


@rule("endpoint", Severity.WARNING, "EP-3", "EP-23", "EP-29", "EP-38")
def listed_twice(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint lists the same thing twice."""
    # Usages, message groups, addresses and ways to be admitted that stand in their list before.
    for path in _LISTS:
        entries = inside(endpoint.attributes, *path)
        positions: dict[str, int] = {}
        for index, item in enumerate(entries if isinstance(entries, (list, tuple)) else ()):
            first = positions.setdefault(repr(item), index)
            if first < index:
                message = f'Entry {index + 1} of "{path[-1]}" is the same as entry {first + 1}.'
                help_ = "Remove one of them, or correct it if something else was meant."
                yield finding(*path, index, message=message, help=help_)


def _usage_count(endpoint: Endpoint) -> int:
    usage = endpoint.attributes.get("usage")
    return len({str(item) for item in usage}) if isinstance(usage, list | tuple) else 1


def _plurals(names: frozenset[str]) -> str:
    return " and ".join(f"{name}s" for name in sorted(names))
