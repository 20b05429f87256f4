"""What is made while a wheel of xregit is built: the model's files as JSON, which commands read sooner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TOOLS = Path(__file__).parent


class ModelHook(BuildHookInterface[Any]):
    """Writes JSON beside the model's folders, and has it come into the wheel; Git does not keep it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files; ``version`` is "standard", or "editable" for an installation that follows the sources."""
        del version
        sys.path.insert(0, str(TOOLS))
        from xregit.model.files import folders, write_json

        for folder in folders():
            build_data["artifacts"].append(f"/{write_json(folder).relative_to(self.root).as_posix()}")
