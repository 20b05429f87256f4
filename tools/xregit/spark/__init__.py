"""Tables of the catalog and of messages, with Spark. The public names are loaded where they are first used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.installed import install_command

if TYPE_CHECKING:
    from xregit.spark.streams.router import classify
    from xregit.spark.streams.sink import BatchResult, write_batch

_PLACES = {"classify": "streams.router", "BatchResult": "streams.sink", "write_batch": "streams.sink"}
_PACKAGES = ("pyspark", "deltalake", "pyarrow", "msgspec")

__all__ = ["BatchResult", "classify", "write_batch"]


def require_spark() -> None:
    """Check that the packages of the extra "spark" are installed, which all modules here import.

    Raises:
        XregitError: one of them is missing.
    """
    if any(find_spec(name) is None for name in _PACKAGES):
        message = f"tables need Spark, which is not installed: {install_command('spark')}"
        raise XregitError(message)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used.

    Raises:
        AttributeError: there is no such name.
        XregitError: Spark is not installed.
    """
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    require_spark()
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
