"""What is made while a wheel of xregit is built: its data files as JSON, which commands read sooner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TOOLS = Path(__file__).parent


class DataHook(BuildHookInterface[Any]):
    """Writes JSON beside the data files, and has it come into the wheel; Git does not keep it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files; ``version`` is "standard", or "editable" for an installation that follows the sources."""
        del version
        sys.path.insert(0, str(TOOLS))
        from xregit.document import profiles
        from xregit.model import files
        from xregit.prepared import write_prepared

        for source in (*files.sources().values(), profiles.SOURCE):
            build_data["artifacts"].append(f"/{write_prepared(*source).relative_to(self.root).as_posix()}")
