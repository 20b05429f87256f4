"""What ``import xregit`` offers: every name is there, says what it does, and is loaded only where it is used."""

from __future__ import annotations

import builtins
import inspect
import pkgutil
import re
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import xregit

MAX_CHARS = 50_000
PACKAGES = [f"xregit.{package.name}" for package in pkgutil.iter_modules(xregit.__path__) if package.ispkg]


@pytest.mark.parametrize("name", xregit.__all__)
def test_public_name_is_there_and_described(name: str) -> None:
    """Each name can be imported, and what is called says in a sentence what it does and which types it takes."""
    result = getattr(xregit, name)
    assert name in dir(xregit)
    if inspect.isclass(result):
        assert (inspect.getdoc(result) or "").split("\n")[0].endswith(".")
    elif callable(result):
        assert (inspect.getdoc(result) or "").split("\n")[0].endswith(".")
        assert "return" in inspect.get_annotations(result)


# Types that callers have from elsewhere, or write as a value: paths, dates, mappings, sessions, options by keyword.
ELSEWHERE = {"Any", "Callable", "DataFrame", "DeltaTable", "Mapping", "Options", "Path", "Sequence", "SparkSession"}
ELSEWHERE |= {"StreamingQuery"}
ELSEWHERE |= {"Input", "Unpack", "date", "datetime", *dir(builtins)}


@pytest.mark.parametrize("name", [*xregit.__all__, "Matcher.match", "Matcher.each", "Registry.messages"])
def test_types_of_functions_are_public(name: str) -> None:
    """Whoever annotates a variable or catches an error finds the type that a function returns or raises here."""
    function = attrgetter(name)(xregit)
    if inspect.isfunction(function):
        types = " ".join(inspect.get_annotations(function).values())
        errors = re.findall(r"^    (\w+): ", (inspect.getdoc(function) or "").partition("Raises:")[2], re.MULTILINE)
        assert {*re.findall(r"\w+", re.sub(r"'.*?'", "", types)), *errors} <= {*xregit.__all__, *ELSEWHERE}


def test_document_has_the_profile_of_the_settings(tmp_path: Path) -> None:
    """What the command would write is written, unless the caller asks for another profile."""
    (tmp_path / "registry.yaml").write_text("registryid: r\n")
    (tmp_path / "xregit.yaml").write_text("profile: 1.0-rc4\n")
    registry = xregit.load(tmp_path)
    assert xregit.compile(registry) == xregit.compile(registry, profile="1.0-rc4")
    assert xregit.compile(registry) != xregit.compile(registry, profile="1.0-rc2")


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


def test_what_a_notebook_shows_is_short(root: Path) -> None:
    """A registry, and each thing in it, is named in a few lines, without the model and the registry that it is from."""
    registry = xregit.load(root / "registry")
    assert repr(registry).startswith('<Registry "northgate": 26 messagegroups, ')
    carried = "/messagegroups/luggage.handling/messages/luggage.bag.loaded"
    for kind, xid in {
        "MessageGroup": "/messagegroups/luggage.handling",
        "Message": carried,
        "Endpoint": registry.endpoints[0].xid,
        "SchemaGroup": registry.schemagroups[0].xid,
        "Schema": registry.schemas[0].xid,
    }.items():
        assert repr(registry[xid]) == f'<{kind} "{xid}">'
    assert repr(xregit.check(registry)).startswith("<Report error: 0, ")
    assert repr(xregit.Matcher(registry, endpoint=registry.endpoints[0])).startswith("<Matcher of ")
    assert [xid for xid in registry if len(repr(registry[xid])) > MAX_CHARS] == []


def test_guide_runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of the page about Python, one after the other, do what they say."""
    monkeypatch.chdir(root)
    text = (root / "site" / "manual" / "python.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    exec(compile(program, "python.md", "exec"), {})  # noqa: S102 - our own page


def test_page_names_all_that_is_public(root: Path) -> None:
    """The page about Python has a row for every name, and for no other."""
    text = (root / "site" / "manual" / "python.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(xregit.__all__)
