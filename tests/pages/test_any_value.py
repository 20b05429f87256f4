"""Whatever a file says, its page is made: what is wrong is the check's business, and a page shows it as it is."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.catalog.folders import registry_of
from tests.pages.links import links_of
from tests.pages.test_prose import only_safe
from xregit.pages import pages

SCALARS = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "{b}", "/a/b", "javascript:x", "<x>"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "name", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = [
    "name", "description", "envelope", "envelopemetadata", "envelopeoptions", "protocol", "protocoloptions",
    "basemessage", "dataschemauri", "dataschemaxid", "dataschema", "dataschemaformat", "datacontenttype", "deprecated",
    "labels", "documentation", "usage", "channel", "messagegroups", "xref", "format", "versions", "meta", "unheard",
]  # fmt: skip
# The scripts of the page that recognises messages.
OWN = {"definitions.js", "../assets/wire.js", "../assets/recognise.js"}
ATTRIBUTES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(ATTRIBUTES, ATTRIBUTES, ATTRIBUTES)
def test_any_value_has_a_page(message: dict[str, Any], endpoint: dict[str, Any], schema: dict[str, Any]) -> None:
    """No value of any attribute keeps a page from being made, or gets a dangerous link into one."""
    with TemporaryDirectory() as folder:
        found = registry_of(
            Path(folder),
            {
                "messagegroups/g/messages/a.yaml": json.dumps(message),
                "endpoints/e/endpoint.yaml": json.dumps({"messagegroups": ["/messagegroups/g"], **endpoint}),
                "schemagroups/s/schemas/x/schema.yaml": json.dumps(schema),
                "schemagroups/s/schemas/x/versions/1.json": "{}",
            },
        )
        for page in pages(found):
            links = links_of(page.html)
            assert set(links.loaded) <= OWN
            assert all(href.startswith(("../", "./", "#")) or only_safe(href) for href in links.linked)
