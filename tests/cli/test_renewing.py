"""A document that is copied from an earlier one, where that is right, has the bytes of one that is made anew."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import xregit
from tests.rules.test_again import DAYS, DESCRIBED, EDITS, EXTENDED, EXTENDED_PLACES, FIRST, MESSAGES, edits_of, stated
from tests.source.repositories import Repository, new_repository
from xregit.cli.remembering import Memory
from xregit.cli.renewing import look, write_document
from xregit.cli.running import run
from xregit.document.copying import write_pieces
from xregit.document.loading import load
from xregit.document.serialising import to_bytes
from xregit.errors import CatalogError
from xregit.rules.kept import held_by
from xregit.rules.standing import SHORTLY
from xregit.source import files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import date

    from xregit.cli.renewing import Sight
    from xregit.source.files import Listing, Status

Files = dict[str, str]
Step = tuple[str, list[tuple[str, str | None]], int]

MOST = 2**20
ONE = "messagegroups/filler3/messages/one.yaml"
PROFILES = ("1.0-rc2", "1.0-rc4")
# What compiling looks at more than checking: epochs and times that are stated, versions of bases, ids with colons.
FACTS = ["epoch: 7", "createdat: 2024-01-01T00:00:00Z", "modifiedat: '2024-01-01T00:00:00'"]
COMPILED = edits_of(
    {
        **{
            f"{xid[1:]}.yaml": stated(
                DESCRIBED,
                FACTS,
                [f"basemessage: {base}{version}" for base in MESSAGES for version in ("", "/versions/1")],
                [f"dataschemauri: /schemagroups/s/schemas/x{end}" for end in (":Type", "/versions/1", "/versions/1:T")],
            )
            for xid in MESSAGES
        },
        "schemagroups/s/schemas/x:Type/schema.yaml": stated(DESCRIBED, FACTS),
        "schemagroups/s/schemas/x/versions/10.json": st.just("[12345678901234567890123]"),
        "messagegroups/a/messagegroup.yaml": stated(
            FACTS, ["size: 123456789012345678901"], ["envelope: CloudEvents/1.0"]
        ),
        "registry.yaml": stated(FACTS, DESCRIBED),
    }
)
# What becomes of the repository, of what was kept and of the last document; most often nothing.
HAPPENINGS = (
    *("nothing",) * 6,
    *("commit",) * 4,
    *("elsewhere",) * 2,
    *("amend", "rename", "merge", "back", "replace", "cache lost", "cache cut", "cache older"),
    *("document lost", "document cut", "document other", "another day", "not checked"),
)


def steps_of(*edits: st.SearchStrategy[list[tuple[str, str | None]]]) -> st.SearchStrategy[list[Step]]:
    """Return steps of which each is something that happens, and some edits."""
    return st.lists(
        st.tuples(st.sampled_from(HAPPENINGS), st.one_of(*edits), st.integers(0, MOST)), min_size=2, max_size=6
    )


@settings(max_examples=15)
@given(steps_of(EDITS, COMPILED, st.just([])), st.sampled_from(PROFILES), st.booleans())
def test_document_is_that_of_a_first_run(steps: list[Step], profile: str, checked: bool) -> None:
    """After edits, commits and damage, the document is the same as if nothing had been kept, and so is the report."""
    compared_after_each(FIRST, steps, profile, DAYS[0] if checked else None)


@settings(max_examples=10)
@given(
    steps_of(COMPILED, edits_of(EXTENDED_PLACES)),
    st.sampled_from(PROFILES),
    st.booleans(),
)
def test_document_of_a_registry_with_a_model(steps: list[Step], profile: str, checked: bool) -> None:
    """So it is where a registry has types and attributes of its own."""
    compared_after_each({**FIRST, **EXTENDED}, steps, profile, DAYS[0] if checked else None)


def compared_after_each(files: Files, steps: list[Step], profile: str, day: date | None) -> None:
    """Write a document after each of some steps, and compare it with one of which nothing was known."""
    with TemporaryDirectory() as folder, cached_in(Path(folder) / "cache"):
        place = Path(folder)
        repository = new_repository(place / "repository")
        repository.commit("First", **{f"registry/{path}": text for path, text in files.items()})
        compare(repository.root / "registry", place / "document.json", profile, day)
        for what, edits, number in steps:
            note(f"{what}, {edits}")
            apply(repository.root / "registry", edits)
            happen(what, repository, place, number)
            used = PROFILES[profile == PROFILES[0]] if what == "nothing" and number % 8 == 0 else profile
            today = {"another day": DAYS[1], "not checked": None}.get(what, day)
            compare(repository.root / "registry", place / "document.json", used, today)


@contextmanager
def cached_in(folder: Path) -> Iterator[None]:
    """Let runs keep things in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield


def compare(registry: Path, output: Path, profile: str, day: date | None) -> None:
    """Write a document by what was kept, and compare it and the report with those that are made of all files."""
    if not (registry / "registry.yaml").is_file():
        return
    try:
        sight = look(registry, output, day)
        if sight is None:  # the commands go another way
            return
        if day is not None:
            assert sight.report == xregit.check(xregit.read(registry), day)
        if sight.report is None or not sight.report.failed:
            written(sight, registry, output, profile)
    except CatalogError as error:
        said = error.diagnostics
    else:
        return
    with pytest.raises(CatalogError) as found:
        load(registry)
    assert found.value.diagnostics == said


def written(sight: Sight, registry: Path, output: Path, profile: str) -> None:
    """Write a document, and compare it with one that is made of all files."""
    size = write_document(registry, sight, profile, output)
    catalog = xregit.read(registry)
    data = output.read_bytes()
    assert data == to_bytes(xregit.compile(catalog, profile=profile))
    assert size == len(data)
    assert sight.held == held_by(catalog)


def apply(registry: Path, edits: list[tuple[str, str | None]]) -> None:
    """Write and remove files."""
    for path, text in edits:
        file = registry / path
        if text is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif path != "registry.yaml":
            file.unlink(missing_ok=True)


def happen(what: str, repository: Repository, place: Path, number: int) -> None:
    """Let one thing happen to a repository, to the document or to what was kept."""
    match what.split():
        case ["cache", how]:
            for file in [path for path in (place / "cache").rglob("*") if path.is_file()]:
                damage(file, how, number)
        case ["document", how]:
            damage(place / "document.json", how, number)
        case [name] if name in OF_GIT:
            OF_GIT[name](repository)


def damage(file: Path, how: str, number: int) -> None:
    """Remove a file, cut it off, change a byte of it, or put back what an earlier run has written."""
    if how == "lost" or not file.exists():
        file.unlink(missing_ok=True)
        return
    data, before = file.read_bytes(), file.with_name(f"{file.name}.before")
    at = number % (len(data) + 1)
    others = {"cut": data[:at], "other": data[:at] + bytes(byte ^ 1 for byte in data[at : at + 1]) + data[at + 1 :]}
    if how == "older" and before.exists():
        others["older"] = before.read_bytes()
    before.write_bytes(data)
    file.write_bytes(others.get(how, data))


def amend(repository: Repository) -> None:
    """Replace the last commit by another one."""
    repository.git("add", "-A")
    repository.git("commit", "-q", "--amend", "--allow-empty", "-m", "Amended")
    repository.commits += 1


def rename(repository: Repository) -> None:
    """Give one file of a message another name, and one the name that is free."""
    one, two = sorted((repository.root / "registry").glob("messagegroups/*/messages/*.yaml"))[-2:]
    one.rename(one.with_name(f"new{repository.commits}.yaml"))
    repository.commit("Renamed")
    two.rename(one)
    repository.commit("Renamed again")


def merge(repository: Repository) -> None:
    """Let a branch change a file, and merge it."""
    name = f"branch{repository.commits}"
    repository.commit("Before")
    file = max((repository.root / "registry").glob("messagegroups/*/messages/*.yaml"))
    repository.git("checkout", "-q", "-b", name)
    file.write_text(f"description: {name}\n", encoding="utf-8")
    repository.commit("On a branch")
    repository.git("checkout", "-q", "main")
    repository.commit("Meanwhile")
    repository.git("merge", "-q", "--no-ff", "-m", "Merged", name)
    repository.commits += 1


def back(repository: Repository) -> None:
    """Take the last commit back, but not what it did to files."""
    if int(repository.git("rev-list", "--count", "HEAD")) > 1:
        repository.git("reset", "-q", "HEAD~1")


def elsewhere(repository: Repository) -> None:
    """Commit nothing of what has changed, so that a new file is one that no commit has."""
    repository.git("commit", "-q", "--allow-empty", "-m", "Elsewhere")
    repository.commits += 1


def replaced(repository: Repository) -> None:
    """Let Git take another commit for the last one."""
    old = repository.git("rev-parse", "HEAD")
    amend(repository)
    new = repository.git("rev-parse", "HEAD")
    repository.git("reset", "-q", old)
    repository.git("replace", "-f", old, new)


OF_GIT: dict[str, Callable[[Repository], object]] = {
    "commit": lambda repository: repository.commit("Next"),
    "amend": amend,
    "rename": rename,
    "merge": merge,
    "back": back,
    "elsewhere": elsewhere,
    "replace": replaced,
}


@pytest.mark.parametrize("commit", [False, True])
def test_only_what_changed_is_made(tmp_path: Path, commit: bool) -> None:
    """After an edit, committed or not, the text of one group is made, and that of all others copied."""
    repository = new_repository(tmp_path / "repository")
    repository.commit("First", **{f"registry/{path}": text for path, text in FIRST.items()})
    registry, output = repository.root / "registry", tmp_path / "document.json"
    with cached_in(tmp_path / "cache"):
        compare(registry, output, PROFILES[0], DAYS[0])
        apply(registry, [("messagegroups/filler3/messages/one.yaml", "description: Other.\n")])
        if commit:
            repository.commit("Next")
        sight = look(registry, output, DAYS[0])
        assert sight
        assert sight.source
        assert sight.anew == {"/messagegroups/filler3"}
        assert [group.xid for group in sight.registry.all_groups if group.xid in sight.anew] == [*sight.anew]
        assert len(sight.registry.all_groups) < len(xregit.read(registry).all_groups) / 2
        written(sight, registry, output, PROFILES[0])
        compare(registry, output, PROFILES[0], None)


def test_new_file_has_the_time_of_the_last_commit(tmp_path: Path) -> None:
    """The text of a group with a file that no commit has is made anew after each commit, whatever that is about."""
    repository = new_repository(tmp_path / "repository")
    repository.commit("First", **{f"registry/{path}": text for path, text in FIRST.items()})
    registry, output = repository.root / "registry", tmp_path / "document.json"
    apply(registry, [("messagegroups/filler3/messages/new.yaml", "description: New.\nprotocoloptions: {subject: c}\n")])
    with cached_in(tmp_path / "cache"):
        for _ in range(2):
            compare(registry, output, PROFILES[0], DAYS[0])
            elsewhere(repository)
        sight = look(registry, output, DAYS[0])
        assert sight
        assert sight.anew == {"/messagegroups/filler3"}
        written(sight, registry, output, PROFILES[0])


def test_commit_of_what_was_seen_before(tmp_path: Path) -> None:
    """A commit of files that an earlier run has seen as they are changes the text of their group, and of no other."""
    repository = new_repository(tmp_path / "repository")
    repository.commit("First", **{f"registry/{path}": text for path, text in FIRST.items()})
    registry, output = repository.root / "registry", tmp_path / "document.json"
    apply(
        registry, [("messagegroups/filler3/messages/one.yaml", "description: Other.\nprotocoloptions: {subject: a}\n")]
    )
    with cached_in(tmp_path / "cache"):
        compare(registry, output, PROFILES[0], DAYS[0])
        repository.commit("Next")
        sight = look(registry, output, DAYS[0])
        assert sight
        assert sight.anew == {"/messagegroups/filler3"}
        written(sight, registry, output, PROFILES[0])


# What a file of one group says of another one: the first file that stands there, the one that is changed then, and the
# group whose text becomes another.
ELSEWHERE = {
    "what derives from a message": (
        (f"{MESSAGES[0][1:]}.yaml", "dataschemauri: /schemagroups/s/schemas/x\n"),
        (f"{MESSAGES[2][1:]}.yaml", f"basemessage: {MESSAGES[0]}\n"),
        "/messagegroups/a",
    ),
    "what a message derives from": (
        (f"{MESSAGES[2][1:]}.yaml", f"basemessage: {MESSAGES[0]}\nenvelope: CloudEvents/1.0\n"),
        (f"{MESSAGES[0][1:]}.yaml", "envelope: CloudEvents/1.0\nenvelopemetadata: {type: {value: y}}\n"),
        "/messagegroups/b",
    ),
    "a version of what a message derives from": (
        (f"{MESSAGES[2][1:]}.yaml", f"basemessage: {MESSAGES[0]}/versions/1\n"),
        (f"{MESSAGES[0][1:]}.yaml", "versionid: '2'\n"),
        "/messagegroups/b",
    ),
    "a version of a schema": (
        (f"{MESSAGES[0][1:]}.yaml", "dataschemauri: /schemagroups/s/schemas/x/versions/2\n"),
        ("schemagroups/s/schemas/x/versions/2.json", "{}"),
        "/messagegroups/a",
    ),
    "the name of a schema": (
        (f"{MESSAGES[0][1:]}.yaml", "dataschemauri: /schemagroups/s/schemas/x:T\n"),
        ("schemagroups/s/schemas/x:T/schema.yaml", "description: Schema.\nformat: JsonSchema/draft-07\n"),
        "/messagegroups/a",
    ),
}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_other_groups_are_made_anew(tmp_path: Path, what: str) -> None:
    """A file that changes what a document says of a group that it is not in has that made anew, too."""
    first, then, other = ELSEWHERE[what]
    with begun(tmp_path, dict([first])) as (registry, output):
        compare(registry, output, PROFILES[0], None)
        _, plural, gid = other.split("/")
        before = json.loads(output.read_bytes())[plural][gid]
        apply(registry, [then])
        sight = look(registry, output, None)
        assert sight
        assert sight.source
        assert other in sight.anew
        written(sight, registry, output, PROFILES[0])
        assert json.loads(output.read_bytes())[plural][gid] != before


def test_edit_is_taken_back(tmp_path: Path) -> None:
    """Of a file that is as it was before an edit, the text is not that of the edit."""
    with begun(tmp_path) as (registry, output):
        for text in ("description: Other.\n", FIRST[ONE], "description: Third.\n", None, FIRST[ONE]):
            compare(registry, output, PROFILES[0], None)
            apply(registry, [(ONE, text)])
        compare(registry, output, PROFILES[0], None)


def test_document_is_not_looked_through_as_long_as_its_status_holds(tmp_path: Path) -> None:
    """Digests of what is copied count only where the system says that the document was touched."""
    with begun(tmp_path) as (registry, output):
        compare(registry, output, PROFILES[0], None)
        memory = Memory(registry)
        known = memory.document(output)
        assert known
        right, wrong = known.spots, {xid: spot._replace(digest="another") for xid, spot in known.spots.items()}
        for touched in (False, True):
            memory.keep_document(output, replace(known, spots=wrong))
            if touched:
                os.utime(output)
            sight = look(registry, output, None)
            assert sight
            assert sight.source
            write_document(registry, sight, PROFILES[0], output)
            known = memory.document(output)
            assert known
            assert known.spots == (right if touched else wrong)
        compare(registry, output, PROFILES[0], None)


def test_document_is_changed_with_its_time_put_back(tmp_path: Path) -> None:
    """A change that leaves size and time of the document as they were does not find its way into the next one."""
    with begun(tmp_path) as (registry, output):
        for _ in range(2):
            compare(registry, output, PROFILES[0], None)
            before = output.stat()
            output.write_bytes(output.read_bytes().replace(b"One", b"Two"))
            os.utime(output, ns=(before.st_atime_ns, before.st_mtime_ns))
            apply(registry, [("messagegroups/a/messages/m.yaml", "description: Other.\n")])


def test_document_is_restored_from_a_copy(tmp_path: Path) -> None:
    """A document with the same bytes is copied from, though it is another file."""
    with begun(tmp_path) as (registry, output):
        compare(registry, output, PROFILES[0], None)
        data = output.read_bytes()
        output.unlink()
        output.write_bytes(data)
        sight = look(registry, output, None)
        assert sight
        assert sight.source
        known = write_pieces(sight.registry, PROFILES[0], output, sight.source.written, sight.anew)
        assert output.read_bytes() == data
        assert not sight.anew
        assert known.spots == sight.source.written.spots


def test_check_between_two_documents(tmp_path: Path) -> None:
    """What a check has seen since is not what the last document was made of."""
    with begun(tmp_path) as (registry, output):
        compare(registry, output, PROFILES[0], DAYS[0])
        apply(registry, [(ONE, FIRST[ONE].replace("One", "Other"))])
        assert look(registry, None, DAYS[1])
        compare(registry, output, PROFILES[0], None)


def test_endpoint_for_several_usages_is_divided(tmp_path: Path) -> None:
    """What is made of one endpoint is made anew, all of it, after a change of it."""
    endpoint = "usage: [producer, consumer]\nprotocol: NATS\n"
    with begun(tmp_path, {"endpoints/e/endpoint.yaml": endpoint}) as (registry, output):
        compare(registry, output, "1.0-rc4", None)
        apply(registry, [("endpoints/e/endpoint.yaml", f"description: Other.\n{endpoint}")])
        compare(registry, output, "1.0-rc4", None)


def test_name_that_was_given_away_is_given_again(tmp_path: Path) -> None:
    """A commit of a file may change the history of another one, which had its name while a branch changed it."""
    with begun(tmp_path) as (registry, output):
        repository = Repository(registry.parent, commits=1)
        repository.git("branch", "branch")
        repository.git("mv", f"registry/{ONE}", f"registry/{ONE}.new.yaml")
        repository.commit("Renamed")
        repository.git("checkout", "-q", "branch")
        apply(registry, [(ONE, f"{FIRST[ONE]}name: Branch\n")])
        repository.commit("On a branch")
        repository.git("checkout", "-q", "main")
        repository.git("merge", "-q", "-s", "ours", "branch")
        repository.commits += 1
        compare(registry, output, PROFILES[0], None)
        apply(registry, [(ONE, FIRST[ONE].replace("One", "Again"))])
        repository.commit("Again")
        compare(registry, output, PROFILES[0], None)


def test_replaced_commit(tmp_path: Path) -> None:
    """What Git says of a commit may become another thing without another commit."""
    with begun(tmp_path) as (registry, output):
        compare(registry, output, PROFILES[0], None)
        replaced(Repository(registry.parent, commits=1))
        compare(registry, output, PROFILES[0], None)


@contextmanager
def begun(place: Path, more: Files | None = None) -> Iterator[tuple[Path, Path]]:
    """Give the folder of a registry that is committed and was checked, and where its document is to be."""
    repository = new_repository(place / "repository")
    repository.commit("First", **{f"registry/{path}": text for path, text in {**FIRST, **(more or {})}.items()})
    with cached_in(place / "cache"):
        assert look(repository.root / "registry", None, DAYS[0])
        yield repository.root / "registry", place / "document.json"


def test_commands_say_the_same_whatever_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Build and compile print and write the same after an edit that no size and time tells, once and again, or anew."""
    repository = new_repository(tmp_path / "repository")
    repository.commit("First", **{f"registry/{path}": text for path, text in FIRST.items()})
    monkeypatch.chdir(repository.root)
    file = Path("registry/messagegroups/filler3/messages/one.yaml")
    outputs = []
    sleep(SHORTLY / 1e9)
    for cache in ("cache", "cache", "cache", "fresh"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / cache))
        found = []
        for command in (["build", "--only", "check,document"], ["compile", "-o", "build/registry.json"]):
            assert run(command) == 0
            found.append((*capsys.readouterr(), Path("build/registry.json").read_bytes()))
        outputs.append(found)
        before = file.stat()
        file.write_text(file.read_text().replace("One", "Two"), encoding="utf-8")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert outputs[0] != outputs[1]
    assert outputs[1] == outputs[2] == outputs[3]


@pytest.mark.parametrize("command", [["build", "--only", "check,document"], ["check"]], ids=["build", "check"])
def test_first_run_asks_for_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    """Where nothing is kept, files are looked for once, and each is read once, for the values and for what is kept."""
    repository = new_repository(tmp_path / "repository")
    repository.commit("First", **{f"registry/{path}": text for path, text in FIRST.items()})
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked: list[str] = []
    survey, read = files.surveyed, files.read

    def surveyed(root: Path) -> tuple[Listing, Mapping[str, Status]]:
        asked.append("all")
        return survey(root)

    def once(root: str, path: str, size: int = -1) -> bytes:
        assert size == Path(root, path).stat().st_size
        asked.append(path)
        return read(root, path, size)

    monkeypatch.setattr(files, "surveyed", surveyed)
    monkeypatch.setattr(files, "read", once)
    assert run(command) == 0
    assert Memory(repository.root / "registry").has_findings
    assert sorted(asked) == sorted(["all", *FIRST])
