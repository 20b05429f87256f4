"""What the guide's page on payload schemas shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from xregit.model.aliases import names
from xregit.payloads import language
from xregit.rules import rule_named

PAGE = Path(__file__).parents[2] / "site" / "manual" / "payloads.md"
DOCUMENT = b'{"type": "record", "name": "Trip", "fields": [{"name": "metres", "type": "long"}]}'
AFTER = DOCUMENT.replace(b"}]", b'}, {"name": "driver", "type": "string"}]')


def test_python_of_the_guide_runs() -> None:
    """The example gives what its remarks say."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    result: dict[str, Any] = {"document": DOCUMENT, "body": b"\x06", "before": DOCUMENT, "after": AFTER}
    exec(program, result)  # noqa: S102 - our own page
    assert result["value"] == {"metres": 3}
    assert result["schema"].validate(b"") != ()
    assert (result["result"].backward, result["result"].forward) == ("no", "yes")
    assert len(result["result"].verdicts) == 1


def test_guide_names_every_language_and_rule() -> None:
    """The table has each language that is understood, and the rules are there under the names it gives."""
    text = PAGE.read_text(encoding="utf-8")
    understood = [name for name in names("format") if language(name)]
    assert len(understood) == 5
    assert all(f"`{name}/" in text for name in understood)
    named = re.findall(r"`([a-z]+(?:-[a-z]+)+)`", text.partition("## Schemas that build")[0])
    assert len(named) == 5
    assert all(rule_named(name) for name in named)
