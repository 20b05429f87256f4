"""What ``import xregit`` offers: every name is there, says what it does, and is loaded only where it is used."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import pytest

import xregit

PACKAGES = [f"xregit.{package.name}" for package in pkgutil.iter_modules(xregit.__path__) if package.ispkg]


@pytest.mark.parametrize("name", xregit.__all__)
def test_public_name_is_there_and_described(name: str) -> None:
    """Each name can be imported, and what is called says in a sentence what it does and which types it takes."""
    found = getattr(xregit, name)
    assert name in dir(xregit)
    if inspect.isclass(found):
        assert (inspect.getdoc(found) or "").split("\n")[0].endswith(".")
    elif callable(found):
        assert (inspect.getdoc(found) or "").split("\n")[0].endswith(".")
        assert "return" in inspect.get_annotations(found)


def test_other_name_is_an_error() -> None:
    """A name that isn't offered is missing as from any module."""
    with pytest.raises(AttributeError, match="module 'xregit' has no attribute 'nonsense'"):
        xregit.nonsense  # noqa: B018 - looking is what is tested


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_offer_what_they_name(package: str) -> None:
    """Each name that a package lists is there."""
    module = import_module(package)
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None
