"""The folder in which the scripts of ``.ci`` keep the programs of others; it outlives the clone."""

from __future__ import annotations

import os
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "xregit"
