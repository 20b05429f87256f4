"""Every rule, in reading order: RULES is the one list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.rules import (
    addresses,
    agreement,
    configuration,
    endpoints,
    envelopes,
    identity,
    lifecycle,
    mediatypes,
    payloads,
    protocols,
    references,
    schemas,
    texts,
)

if TYPE_CHECKING:
    from xregit.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *texts.FILES,
    *texts.YAML,
    *texts.JSON,
    *texts.DOCUMENTS,
    *texts.MODEL,
    *texts.IMPORT,
    configuration.unknown_rule,
    identity.malformed_id,
    identity.ids_differ_only_in_case,
    identity.too_many_versions,
    references.basemessage_cycle,
    references.basemessage_not_found,
    references.malformed_xref,
    references.xref_to_another_type,
    references.xref_not_found,
    references.xref_to_alias,
    references.xref_with_other_attributes,
    references.xref_unfit_for_group,
    references.alternative_not_found,
    lifecycle.removal_before_effective,
    agreement.envelope_differs_from_group,
    agreement.protocol_differs_from_group,
    agreement.protocol_without_version,
    agreement.messagegroup_unfit_for_endpoint,
    agreement.endpoint_without_envelope_and_protocol,
    envelopes.id_with_value,
    envelopes.time_with_value,
    envelopes.dataschema_differs_from_dataschemauri,
    envelopes.format_in_binary_mode,
    envelopes.binary_mode_in_mqtt_3,
    protocols.method_and_status,
    protocols.key_and_key_base64,
    protocols.header_under_another_name,
    protocols.unusual_amqp_name,
    protocols.message_id_with_value,
    protocols.malformed_placeholder,
    payloads.dataschema_and_dataschemauri,
    payloads.dataschemaformat_missing,
    payloads.dataschemauri_not_found,
    payloads.dataschemaxid_not_found,
    payloads.dataschemauri_differs_from_dataschemaxid,
    payloads.dataschemaformat_differs_from_schema,
    payloads.schema_object_missing,
    mediatypes.datacontenttype_differs,
    mediatypes.datacontenttype_of_inner_data,
    endpoints.messagegroup_not_found,
    endpoints.messageid_carried_twice,
    endpoints.option_for_another_usage,
    endpoints.willmessage_not_found,
    endpoints.willmessage_unfit_for_mqtt,
    endpoints.credential_in_authorization,
    endpoints.empty_authorization_hint,
    addresses.address_missing,
    addresses.address_of_another_protocol,
    addresses.unlisted_address_scheme,
    addresses.address_with_path,
    addresses.address_with_wildcard,
    addresses.address_without_port,
    schemas.document_missing,
    schemas.two_documents,
    schemas.format_missing,
    schemas.defaultversionid_not_found,
    schemas.ancestor_not_found,
    schemas.ancestor_cycle,
)


def rule_named(name: str) -> Rule | None:
    """Return the rule of that name, or None."""
    return next((item for item in RULES if item.name == name), None)
