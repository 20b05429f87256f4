"""Which messages are known to say the same in two registries, without resolving them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.catalog.folders import registry_of
from xregit.changes.differ import UnchangedMessages

if TYPE_CHECKING:
    from pathlib import Path

GROUP, BASE, BUILT, ALIAS, LOOP, OTHER = "messagegroup", "base", "built", "alias", "loop", "other"
TEXTS = {
    GROUP: "envelope: CloudEvents/1.0\n",
    BASE: "description: A base.\n",
    BUILT: "basemessage: /messagegroups/g/messages/base\n",
    ALIAS: "xref: /messagegroups/g/messages/built\n",
    LOOP: "basemessage: /messagegroups/g/messages/loop\n",
    OTHER: "basemessage: /messagegroups/g/messages/nothing\n",
}
ALL = {BASE, BUILT, ALIAS, OTHER}


@pytest.mark.parametrize(
    ("edited", "text", "unchanged"),
    [
        (BASE, TEXTS[BASE], ALL),
        (GROUP, TEXTS[GROUP] + "description: A group.\n", ALL),
        (GROUP, "protocol: KAFKA\n", set()),
        (BASE, "description: Another base.\n", {OTHER}),
        (BUILT, TEXTS[BUILT] + "name: Built\n", {BASE, OTHER}),
        (ALIAS, "xref: /messagegroups/g/messages/base\n", {BASE, BUILT, OTHER}),
    ],
)
def test_what_is_written_alike_is_known_to_say_the_same(
    edited: str, text: str, unchanged: set[str], tmp_path: Path
) -> None:
    """So must all be that a message builds on; of one that builds on itself, nothing is known."""

    def files(texts: dict[str, str]) -> dict[str, str]:
        return {
            f"messagegroups/g/{name}.yaml" if name == GROUP else f"messagegroups/g/messages/{name}.yaml": value
            for name, value in texts.items()
        }

    before, after = (
        registry_of(tmp_path / name, files(texts))
        for name, texts in {"before": TEXTS, "after": {**TEXTS, edited: text}}.items()
    )
    known = UnchangedMessages(before, after)
    pairs = {new.id: (before.resource(new.xid), new) for new in after.all_resources}
    assert {name for name, (old, new) in pairs.items() if old and known.holds(old, new)} == unchanged
