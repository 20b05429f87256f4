"""What callers from Python hand over by mistake is refused in a sentence, and not by what fails somewhere inside."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import xregit

if TYPE_CHECKING:
    Call = Callable[[xregit.Registry, Path], object]

MESSAGE = "/messagegroups/luggage.handling/messages/luggage.bag.loaded"
NOW, TODAY = datetime(2026, 5, 22, 10, 30, tzinfo=UTC), date(2026, 5, 22)
NO_REGISTRY = "expected a Registry, but 'registry' is a str; xregit.load\\(path\\) gives one"
NO_PATH = r"a path is a text|no file can be called|is no text here"
WRONG: tuple[Any, ...] = (None, 1, b"registry", [], ...)
NAMELESS = ("a\0b", "\ud800", "x" * 300)


def new_message(message: Any, context: Any = None, **options: Any) -> object:
    """Make a message of whatever is handed over."""
    given: dict[str, Any] = {"now": NOW, "new_id": "1"} | options
    return xregit.new(message, {} if context is None else context, **given)


CALLS: dict[str, tuple[Call, str]] = {
    "check a path": (lambda *_: xregit.check("registry"), NO_REGISTRY),  # type: ignore[arg-type]
    "compile a path": (lambda *_: xregit.compile("registry"), NO_REGISTRY),  # type: ignore[arg-type]
    "export a path": (lambda *_: xregit.export_asyncapi("registry"), NO_REGISTRY),  # type: ignore[arg-type]
    "match by a path": (lambda *_: xregit.Matcher("registry"), NO_REGISTRY),  # type: ignore[arg-type]
    "publish a path": (lambda _, at: xregit.publish("registry", at), NO_REGISTRY),  # type: ignore[arg-type]
    "route by a path": (lambda _, at: xregit.route("registry", at, at), NO_REGISTRY),  # type: ignore[arg-type]
    "compare with a path": (lambda one, _: xregit.diff(one, "registry"), NO_REGISTRY),  # type: ignore[arg-type]
    "review against a path": (
        lambda one, _: xregit.review((), "registry", one, today=TODAY),  # type: ignore[arg-type]
        NO_REGISTRY,
    ),
    "check on a text": (
        lambda one, _: xregit.check(one, today="2026-05-22"),  # type: ignore[arg-type]
        "expected a date, but '2026-05-22' is a str",
    ),
    "match by a number": (
        lambda one, _: xregit.Matcher(one, 7),  # type: ignore[arg-type]
        "expected a str, but 7 is a int; give an endpoint or message group, or its xid",
    ),
    "make a message of an xid": (
        lambda *_: new_message(MESSAGE),
        "expected a Message, but '/messagegroups/.*…? is a str",
    ),
    "make a message of a list": (
        lambda one, _: new_message(one[MESSAGE], []),
        r"expected a Mapping, but \[\] is a list",
    ),
    "make a message by no protocol": (
        lambda one, _: new_message(one[MESSAGE], protocol=None),
        "expected a str, but None is a NoneType; leave it out",
    ),
    "make a message at no time": (
        lambda one, _: new_message(one[MESSAGE], now="noon"),
        '"now" must be a datetime with a time zone, as datetime.now\\(UTC\\) gives one, but is "noon"',
    ),
    "make a message at a time of no zone": (
        lambda one, _: new_message(one[MESSAGE], now=NOW.replace(tzinfo=None)),
        '"now" must be a datetime with a time zone, .* but is "2026-05-22 10:30:00"',
    ),
    "build with no configuration": (
        lambda _, at: xregit.build_site("registry", at / "site", at / "missing.yml"),
        "missing.yml: there is no configuration; name a mkdocs.yml",
    ),
}


@pytest.fixture(scope="module")
def registry(root: Path) -> xregit.Registry:
    """Return the example catalog."""
    return xregit.load(root / "registry")


@pytest.mark.parametrize("what", CALLS)
def test_mistake_is_told(
    what: str, registry: xregit.Registry, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an error for users, that says what is due and how to come by it."""
    monkeypatch.chdir(root)
    call, said = CALLS[what]
    with pytest.raises(xregit.XregitError, match=said):
        call(registry, tmp_path)


@pytest.mark.parametrize("given", [*WRONG, *NAMELESS], ids=ascii)
def test_what_is_no_path_is_told(given: Any, registry: xregit.Registry, tmp_path: Path) -> None:
    """Whatever takes a path says so of what is none, and of names that no file can have."""
    calls: tuple[Callable[[], object], ...] = (
        lambda: xregit.load(given),
        lambda: xregit.read(given),
        lambda: xregit.read_commit(given, "HEAD"),
        lambda: xregit.import_documents([given], tmp_path),
        lambda: xregit.import_documents(given if isinstance(given, str) else [given], tmp_path),
        lambda: xregit.import_documents([tmp_path / "a.json"], given),
        lambda: xregit.build_site(given, tmp_path / "site"),
        lambda: xregit.build_site(tmp_path, given),
        lambda: xregit.publish(registry, given),
        lambda: xregit.tables_at(given),
        lambda: xregit.published_at(given, "HEAD", tmp_path),
    )
    for number, call in enumerate(calls):
        with pytest.raises(xregit.XregitError, match=NO_PATH):
            pytest.fail(f"call {number} gave {call()!r}")


def test_a_time_is_taken_for_its_day(registry: xregit.Registry) -> None:
    """A time is a date too, so a checker of types lets it pass."""
    assert xregit.check(registry, today=NOW) == xregit.check(registry, today=NOW.date())
    assert xregit.review((), registry, registry, today=NOW) == xregit.review((), registry, registry, today=NOW.date())


@pytest.mark.parametrize("given", [*WRONG[:3], (), "/", "nonsense"], ids=ascii)
def test_what_is_no_xid_is_in_no_registry(given: Any, registry: xregit.Registry) -> None:
    """A registry answers as mappings do."""
    assert given not in registry
    assert registry.get(given) is None
    with pytest.raises(KeyError):
        registry[given]


def test_what_a_registry_holds_can_be_a_key(registry: xregit.Registry, root: Path) -> None:
    """What is asked for twice is the same; that of another reading is another, and both are told apart at once."""
    other = xregit.load(root / "registry")
    assert registry != other
    for xid in (*list(registry)[:50], MESSAGE):
        assert {registry[xid]: xid}[registry[xid]] == xid
        assert registry[xid] != other[xid]
    assert len(set(registry.messages)) == len(registry.messages)
