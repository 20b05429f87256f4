"""Agreement of messages with the envelope and protocol of what holds or carries them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.references import carried_groups, contract_of
from xregit.catalog.registry import Registry
from xregit.catalog.resolver import SELECTORS, group_of
from xregit.catalog.views import Endpoint, Message
from xregit.diagnostics import Finding, Severity
from xregit.model import canonical
from xregit.model.aliases import CLOUDEVENTS
from xregit.model.media_types import without_parameters
from xregit.rules.attributes import mapping, selector_name, text
from xregit.rules.media_types import MODES, modes
from xregit.rules.rule import finding, rule

ENDPOINTS = "endpoints"


def unlike(group: Group, selector: str, value: str) -> bool:
    """Return whether a message's envelope or protocol contradicts that of the group or endpoint which has it.

    In a message group both are the same. Under an endpoint the message's may add the version that the endpoint
    leaves open (endpoint/spec.md, "envelope").
    """
    expected = text(group.attributes, selector)
    if not expected:
        return False
    one, other = canonical(selector, expected).casefold(), canonical(selector, value).casefold()
    return one != other and not (group.type.plural == ENDPOINTS and other.startswith(f"{one}/"))


@rule("message", Severity.ERROR, "MSG-16", "MSG-32", "EP-11", "EP-12", attributes=("envelope",))
def envelope_differs_from_group(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A message has another envelope than its group."""
    return _differs(message, "envelope")


@rule("message", Severity.ERROR, "MSG-20", "EP-20", attributes=("protocol",))
def protocol_differs_from_group(_registry: Registry, message: Message) -> Iterator[Finding]:
    """A message has another protocol than its group."""
    return _differs(message, "protocol")


def _differs(message: Message, selector: str) -> Iterator[Finding]:
    value = message.entity.attributes.get(selector)
    if not isinstance(value, str):
        return
    group = message.group
    if unlike(group, selector, value):
        expected = text(group.attributes, selector)
        text_ = f'The {selector} is {value}, but all messages of "{group.xid}" have {expected}.'
        help_ = f'Remove "{selector}" to use the group\'s, or move the message to a group with that {selector}.'
        yield finding(selector, message=text_, help=help_)


@rule("endpoint", Severity.ERROR, "EP-20", "EP-11", "EP-12")
def messagegroup_unfit_for_endpoint(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """A message group that an endpoint carries has messages of another envelope or protocol."""
    # Each group once, however many of its messages don't fit.
    if not any(text(endpoint.attributes, selector) for selector in SELECTORS):
        return
    references = endpoint.attributes.get("messagegroups")
    for group in carried_groups(registry, endpoint.entity):
        unfit = [(item, why) for item in _messages(group) if (why := _why_unfit(registry, endpoint.entity, item))]
        if unfit:
            (first, why), more = unfit[0], len(unfit) - 1
            rest = f" The same applies to {more} more of the group's messages." if more else ""
            help_ = "Use a separate endpoint for the group, or correct the wrong value."
            index = next((at for at, item in enumerate(references or ()) if _names(item, group)), 0)
            yield finding("messagegroups", index, message=f'The message "{first.xid}" {why}.{rest}', help=help_)


@rule("endpoint", Severity.ERROR, "EP-14", "EP-16", attributes=("envelopeoptions",))
def envelopeoptions_unfit_for_messages(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint has a mode or format of events that its messages can't have."""
    # Each option once, however many messages contradict it.
    options = mapping(endpoint.attributes, "envelopeoptions")
    for name, differs in (("mode", _other_mode), ("format", _other_format)):
        option = text(options, name)
        if not option:
            continue
        unfit = [(xid, why) for xid, message in _events(registry, endpoint) if (why := differs(message, option))]
        if unfit:
            (first, why), more = unfit[0], len(unfit) - 1
            rest = f" The same applies to {more} more of its messages." if more else ""
            text_ = f'The {name} is {option}, but the message "{first}" {why}.{rest}'
            help_ = f'Use a separate endpoint for such messages, or correct the wrong "{name}".'
            yield finding("envelopeoptions", name, message=text_, help=help_)


def _events(registry: Registry, endpoint: Endpoint) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the messages with a CloudEvents envelope that an endpoint carries, as they are in full."""
    for xid, _ in contract_of(registry, endpoint.entity):
        attributes = registry.resolved(xid).attributes
        if selector_name("envelope", attributes) == CLOUDEVENTS:
            yield xid, attributes


def _other_mode(message: Mapping[str, Any], mode: str) -> str:
    possible = modes(message, selector_name("protocol", message))
    return "" if mode in possible or mode not in MODES else f"can only be {', '.join(possible)}"


def _other_format(message: Mapping[str, Any], format_: str) -> str:
    own = text(message, "envelopeoptions", "format")
    return f"has {own}" if own and without_parameters(own) != without_parameters(format_) else ""


def _messages(group: Group) -> list[Resource]:
    return list(group.collections.get("messages", {}).values())


def _why_unfit(registry: Registry, endpoint: Group, message: Resource) -> str:
    # A contradiction between a message and its group is reported at the message already.
    doubtful = registry.doubtful(message.xid) | registry.doubtful(endpoint.xid)
    group = group_of(registry, message) if message.xref else None
    attributes = registry.resolved(message.xid).attributes
    for selector in SELECTORS:
        value = text(attributes, selector)
        reported = selector in doubtful or (group is not None and selector in group.attributes)
        if value and not reported and unlike(endpoint, selector, value):
            return f"has the {selector} {value}, but the endpoint has {text(endpoint.attributes, selector)}"
    return ""


def _names(item: Any, group: Group) -> bool:
    return isinstance(item, str) and item.endswith(group.xid)


@rule("entity", Severity.WARNING, "MSG-23", "EP-18", attributes=("protocol",))
def protocol_without_version(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """A protocol is named without its version."""
    # "MQTT" and "AMQP", which have versions that don't understand each other.
    protocol = entity.attributes.get("protocol")
    if not isinstance(protocol, str) or "/" in protocol or entity.type.singular not in _WITH_PROTOCOL:
        return
    canonical_name = canonical("protocol", protocol)
    if "/" in canonical_name:
        message = f'"{protocol}" does not state the version of the protocol.'
        yield finding("protocol", message=message, help=f'Write "{canonical_name}", which is assumed here.')


@rule("endpoint", Severity.WARNING, "EP-9")
def envelope_without_version(_registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint names an envelope without its version."""
    envelope = endpoint.attributes.get("envelope")
    if isinstance(envelope, str) and "/" not in envelope and "/" in endpoint.envelope:
        message = f'"{envelope}" does not state the version of the envelope.'
        yield finding("envelope", message=message, help=f'Write "{endpoint.envelope}", which is assumed here.')


_WITH_PROTOCOL = frozenset({"message", "messagegroup", "endpoint"})


@rule("endpoint", Severity.INFO, "EP-7")
def endpoint_without_envelope_and_protocol(registry: Registry, endpoint: Endpoint) -> Iterator[Finding]:
    """An endpoint has neither envelope nor protocol."""
    if not any(selector in {*endpoint.attributes, *registry.doubtful(endpoint.xid)} for selector in SELECTORS):
        message = "The endpoint states neither a protocol nor an envelope."
        yield finding(message=message, help='Add "protocol", "envelope" or both.', on_key=True)
