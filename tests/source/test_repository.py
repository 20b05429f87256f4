"""Git answers for the folder that it is asked about, and starts nothing that the repository names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.source.repositories import Repository, new_repository
from xregit.cli.runner import run
from xregit.errors import XregitError
from xregit.source.commit_log import read
from xregit.source.repository import (
    changed_files,
    count_unchecked_files,
    current_branch,
    find,
    find_former_folders,
    merge_base,
    read_files,
    read_former_folder,
    read_versions,
    reject_links_and_submodules,
    resolve_commit,
    worktree,
)

WAY_OUT = "git fetch --refetch --no-filter"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository with two commits, the last on a branch."""
    result = new_repository(tmp_path / "repository")
    result.commit("One", folder__a="a\n", folder__inside__b="b\n", other="o\n")
    result.git("checkout", "-q", "-b", "branch")
    result.commit("Two", folder__a="A\n")
    return result


def program(place: Path, trace: Path) -> str:
    """Write a program that leaves a trace when it is started, and return its path."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\ntouch '{trace}'\n", encoding="utf-8")
    place.chmod(0o755)
    return str(place)


def test_hook_of_another_repository_changes_no_answer(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Git tells a hook of its repository and index is not what the folder's own are."""
    folder = repository.root / "folder"
    before = (read(folder), merge_base(folder, "main"))
    other = new_repository(tmp_path / "other")
    other.commit("Other", x="x\n")
    index = (other.root / ".git/index").read_bytes()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    assert (read(folder), merge_base(folder, "main")) == before
    (place := tmp_path / "place").mkdir()
    with worktree(folder, "main", place) as inside:
        assert (inside / "a").read_text(encoding="utf-8") == "a\n"
    assert (other.root / ".git/index").read_bytes() == index


def test_nothing_that_the_configuration_names_is_started(repository: Repository, tmp_path: Path) -> None:
    """Neither a hook nor a watcher, filter, pager, or other program runs, whatever is asked of Git."""
    trace = tmp_path / "trace"
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        program(repository.root / ".git/hooks" / name, trace)
    repository.git("checkout", "-q", "main")
    repository.commit("Attributes", **{".gitattributes": "* filter=a=b.c diff=x merge=x ident\n"})
    started = program(tmp_path / "program", trace)
    names = (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass"),
        *("core.alternateRefsCommand", "diff.external", "diff.x.textconv", "diff.x.command", "merge.x.driver"),
        *("filter.a=b.c.smudge", "filter.a=b.c.clean", "filter.a=b.c.process", "gpg.program", "credential.helper"),
        *(
            "pager.log",
            "pager.diff-tree",
            "remote.origin.uploadpack",
            "trailer.x.command",
            "uploadpack.packObjectsHook",
        ),
        *("alias.log", "alias.cat-file", "alias.rev-parse", "interactive.diffFilter", "sequence.editor"),
    )
    config = "".join(f'[{_section(name)}]\n{name.rpartition(".")[2]} = "{started}"\n' for name in names)
    config += '[filter "a=b.c"]\nrequired = true\n[log]\nshowSignature = true\n'
    with (repository.root / ".git/config").open("a", encoding="utf-8") as file:
        file.write(config)
    trace.unlink(missing_ok=True)
    folder = repository.root / "folder"
    (place := tmp_path / "place").mkdir()
    with worktree(folder, "main", place) as inside:
        assert (inside / "a").read_text(encoding="utf-8") == "a\n"
    assert not place.joinpath("repository").exists()
    assert read(folder).head == merge_base(folder, "main")
    assert len(read_files(folder, "main")) == len(changed_files(folder, "branch")) + 1
    assert count_unchecked_files(folder) == 0
    assert not trace.exists()


def _section(name: str) -> str:
    section, _, rest = name.rpartition(".")[0].partition(".")
    return f'{section} "{rest}"' if rest else section


def test_repository_in_the_files_is_no_repository(repository: Repository, tmp_path: Path) -> None:
    """What looks like one at the top, or in a folder, decides neither what is compared nor what is run."""
    trace = tmp_path / "trace"
    other = new_repository(tmp_path / "other")
    other.commit("Other", x="x\n")
    watcher = program(tmp_path / "watcher", trace)
    for place in (repository.root, repository.root / "folder"):
        for name in ("objects", "refs"):
            (place / name).mkdir()
            (place / name / "x").write_text("", encoding="utf-8")
        (place / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (place / "config").write_text(
            f'[core]\nrepositoryformatversion = 0\nworktree = {other.root}\nfsmonitor = "{watcher}"\n', encoding="utf-8"
        )
    head = repository.commit("A repository")
    for folder in (repository.root, repository.root / "folder"):
        assert (find(folder), read(folder).head) == (repository.root, head)
        assert merge_base(folder, "main") == repository.git("rev-parse", "main")
    with (repository.root / ".git/config").open("a", encoding="utf-8") as file:
        file.write(f"[core]\nworktree = {other.root}\n")
    assert set(read_files(repository.root / "folder", "main")) == {"a", "inside/b"}
    assert not trace.exists()


def test_name_of_two_refs_is_refused(repository: Repository) -> None:
    """A tag that is called like a branch of the remote would be taken before it."""
    repository.git("update-ref", "refs/remotes/origin/main", "main")
    repository.git("tag", "origin/main", "branch")
    for ref in ("origin/main", "origin/main~0", "origin/main^{commit}"):
        with pytest.raises(XregitError, match="can mean refs/remotes/origin/main and refs/tags/origin/main; write"):
            merge_base(repository.root, ref)
    assert merge_base(repository.root, "refs/remotes/origin/main") == repository.git("rev-parse", "main")
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert merge_base(repository.root, "origin") == repository.git("rev-parse", "main")
    repository.git("tag", "-d", "origin/main")
    repository.git("tag", "origin", "branch")
    with pytest.raises(XregitError, match="can mean refs/remotes/origin/HEAD and refs/tags/origin; write"):
        merge_base(repository.root, "origin")


def test_folder_that_was_moved_is_known_by_its_file(empty: Repository) -> None:
    """A link in its place is not that folder, committed or not; what is still there was not moved."""
    one = empty.commit("one", **{"registry/r.yaml": "1", "registry/a": "a", "other/r.yaml": "x", "r.yaml": "top"})
    assert find_former_folders(empty.root, one, "r.yaml") == ()
    (empty.root / "registry").rename(empty.root / "catalog")
    (empty.root / "registry").symlink_to("catalog")
    assert find_former_folders(empty.root / "catalog", one, "r.yaml") == ("registry/",)
    assert read_former_folder(empty.root, one, "registry/") == {"r.yaml": b"1", "a": b"a"}
    (empty.root / "r.yaml").unlink()
    empty.commit("two")
    assert find_former_folders(empty.root / "catalog", one, "r.yaml") == ("", "registry/")


def test_link_or_submodule_stands_for_no_folder(empty: Repository, tmp_path: Path) -> None:
    """Where it is committed: a link that a user has made, or a clone in a clone, is theirs."""
    inner = new_repository(tmp_path / "inner")
    inner.commit("one", a="1")
    empty.commit("one", **{"catalog/a/b": "1", ".gitignore": "/mine\n/clone\n"})
    for link, target in {"mine": "catalog", "registry": "catalog", "catalog/c": "a"}.items():
        (empty.root / link).symlink_to(target)
    empty.git("clone", "-q", str(inner.root), "clone")
    empty.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "module")
    empty.commit("two")
    for name in ("catalog", "catalog/a", "mine/a", "clone", "none", "."):
        reject_links_and_submodules(empty.root / name)
    for name, what in {"registry": "link", "registry/a": "link", "catalog/c": "link", "module": "submodule"}.items():
        with pytest.raises(XregitError, match=f"is a (symbolic )?{what}, so its history"):
            reject_links_and_submodules(empty.root / name)


def test_history_is_that_of_every_clone(repository: Repository) -> None:
    """Grafts and replacements, which no clone brings along, change no fact."""
    before = read(repository.root)
    repository.git("replace", "--graft", "branch")
    (repository.root / ".git/info/grafts").write_text(f"{before.head}\n", encoding="utf-8")
    assert read(repository.root) == before


def test_partial_clone_fetches_nothing(repository: Repository, tmp_path: Path) -> None:
    """What a partial clone lacks stays away, and is said to be missing; its remote may be a program."""
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.root}", "../partial")
    clone = Repository(tmp_path / "partial")
    trace = tmp_path / "trace"
    clone.git("config", "remote.origin.url", f"ext::{program(tmp_path / 'remote', trace)}")
    clone.git("config", "protocol.ext.allow", "always")
    with pytest.raises(XregitError, match=WAY_OUT):
        read_files(clone.root / "folder", "origin/main")
    assert changed_files(clone.root / "folder", "origin/nowhere") == frozenset()
    assert not trace.exists()


def test_files_of_a_branch_are_those_that_its_commits_touched(repository: Repository) -> None:
    """What the other branch changed since then is not among them, nor what is not committed; names are as they are."""
    (repository.root / "other").unlink()
    repository.commit("Three", **{"folder__ä é": "x\n"})
    repository.git("checkout", "-q", "main")
    repository.commit("Meanwhile", folder__inside__b="B\n")
    repository.git("checkout", "-q", "branch")
    repository.git("config", "diff.relative", "true")
    (repository.root / "folder/inside/b").write_text("not committed\n", encoding="utf-8")
    assert changed_files(repository.root / "folder", "main") == {"folder/a", "folder/ä é", "other"}


@pytest.fixture
def empty(tmp_path: Path) -> Repository:
    """Return a repository without commits."""
    return new_repository(tmp_path / "repository")


@pytest.mark.parametrize("ids", ["sha1", "sha256"])
def test_files_are_read_whatever_the_ids(tmp_path: Path, ids: str) -> None:
    """GitPython's own objects can't read repositories with longer ids."""
    repository = new_repository(tmp_path / "repository", ids)
    one = repository.commit("one", folder__a="a\n", folder__inside__b="b\n")
    assert read_files(repository.root / "folder", "main") == {"a": b"a\n", "inside/b": b"b\n"}
    assert list(read_versions(repository.root, [(one, "folder/a"), (one, "none")])) == [b"a\n", None]
    assert merge_base(repository.root, "main") == one


def test_bare_repository_is_found_nowhere(empty: Repository) -> None:
    """A folder that looks like one may come with a clone, and its configuration with it."""
    empty.commit("one", a="1")
    bare = empty.root / "bare"
    empty.git("init", "-q", "--bare", str(bare))
    assert find(bare / "refs") == empty.root
    assert read(bare).head == empty.git("rev-parse", "HEAD")


def test_branch_has_a_name_before_its_first_commit(empty: Repository) -> None:
    """Without a branch, or a repository, there is none."""
    assert current_branch(empty.root) == "main"
    empty.commit("one", a="1")
    empty.git("checkout", "-q", "--detach")
    assert (current_branch(empty.root), current_branch(empty.root.parent)) == ("", "")


def test_files_of_many_commits_come_in_the_order_asked_for(empty: Repository) -> None:
    """A commit without the file gives None; so does a name with a line's end, which Git's protocol has no place for."""
    empty.write({"in\ntwo": "x"})
    one = empty.commit("one", a="1", b="1")
    two = empty.commit("two", a="2")
    asked = [(two, "a"), (one, "c"), (one, "in\ntwo"), (one, "b"), (one, "a")]
    assert list(read_versions(empty.root, asked)) == [b"2", None, None, b"1", b"1"]


def test_a_folder_outside_of_repositories_is_told_with_a_way_out(tmp_path: Path) -> None:
    """Whoever asks for a commit there learns what makes a empty."""
    with pytest.raises(XregitError, match='is not in a Git repository; "git init" makes one'):
        resolve_commit(tmp_path, "HEAD")


def test_the_files_of_a_commit_are_read_as_they_were(empty: Repository) -> None:
    """By branch, tag or hash, relative to the folder; links inside lead to bytes, others to nothing."""
    empty.write({"registry__a": "1\n", "registry__b__c": "", "registry__b__\xe9": "\n\nx", "other": "2"})
    for name, target in {"in": "b/\xe9", "out": "../other", "gone": "x"}.items():
        (empty.root / "registry" / name).symlink_to(target)
    empty.commit("one")
    empty.git("tag", "v1")
    empty.commit("two", registry__a="changed")
    expected = {"a": b"1\n", "b/c": b"", "b/\xe9": b"\n\nx", "in": b"\n\nx"}
    for ref in ("v1", "main~1", "HEAD~1"):
        assert read_files(empty.root / "registry", ref) == expected
    assert read_files(empty.root, "main")["registry/a"] == b"changed"
    (empty.root / "new").mkdir()
    assert read_files(empty.root / "new", "main") == {}


@pytest.mark.parametrize("ref", ["nothing", "--output=x", "", "v1 v2", "HEAD:registry", "@{-1}", "a\nb"])
def test_a_ref_that_is_no_commit_is_an_error(empty: Repository, ref: str) -> None:
    """Whatever a user types, one line says what is missing."""
    empty.commit("one", registry__a="1")
    with pytest.raises(XregitError, match="no commit") as raised:
        read_files(empty.root, ref)
    assert "\n" not in str(raised.value).replace(ref, "")


def test_outside_a_repository_no_commit_can_be_read(tmp_path: Path) -> None:
    """The folder is named."""
    with pytest.raises(XregitError, match="not in a Git repository"):
        read_files(tmp_path, "HEAD")


def test_the_repository_is_that_of_what_a_link_leads_to(empty: Repository, tmp_path: Path) -> None:
    """A folder of no repository may hold a link into one."""
    one = empty.commit("one", registry__a="1\n")
    link = tmp_path / "link"
    link.symlink_to(empty.root / "registry")
    assert merge_base(link, "main") == one
    assert read_files(link, "main") == {"a": b"1\n"}


def test_the_merge_base_is_where_the_branch_began(empty: Repository) -> None:
    """What others did to main meanwhile is none of the branch's doing."""
    one = empty.commit("one", a="1")
    empty.git("checkout", "-q", "-b", "branch")
    empty.commit("two", b="1")
    empty.git("checkout", "-q", "main")
    empty.commit("three", c="1")
    empty.git("checkout", "-q", "branch")
    assert merge_base(empty.root, "main") == one
    empty.git("checkout", "-q", "--orphan", "other")
    empty.commit("four", d="1")
    assert merge_base(empty.root, "main") == resolve_commit(empty.root, "main")


def test_a_shallow_clone_says_how_to_fetch_what_is_missing(empty: Repository, tmp_path: Path) -> None:
    """Neither an older commit nor the beginning of a branch can be found in it."""
    old = empty.commit("one", a="1")
    empty.git("checkout", "-q", "-b", "branch")
    empty.commit("two", b="1")
    empty.git("checkout", "-q", "main")
    empty.commit("three", c="1")
    url = f"file://{empty.root}"
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=1", "--no-single-branch", url, clone], check=True)
    with pytest.raises(XregitError, match=r"shallow.*git fetch --unshallow.*fetch-depth: 0"):
        resolve_commit(clone, old)
    with pytest.raises(XregitError, match=r"shallow.*git fetch --unshallow.*fetch-depth: 0"):
        merge_base(clone, "origin/branch")


@pytest.fixture
def sparse(tmp_path: Path) -> Repository:
    """Return a repository with a registry of two groups."""
    repository = new_repository(tmp_path / "repository")
    group = "description: A group.\n"
    repository.commit(
        "one",
        **{"registry/registry.yaml": "registryid: x\n", "README.md": "x", "site/a b.md": "x"},
        **{f"registry/messagegroups/{name}/messagegroup.yaml": group for name in ("a", "ü")},
    )
    return repository


def test_files_that_are_not_checked_out_are_counted(sparse: Repository) -> None:
    """Those of the folder alone, and none where all of them are there again."""
    registry = sparse.root / "registry"
    assert count_unchecked_files(registry) == 0
    sparse.git("sparse-checkout", "set", "registry/messagegroups/a")
    assert (
        count_unchecked_files(registry),
        count_unchecked_files(registry / "messagegroups" / "a"),
        count_unchecked_files(sparse.root),
    ) == (1, 0, 2)
    sparse.git("sparse-checkout", "disable")
    assert count_unchecked_files(registry) == 0


def test_each_worktree_has_its_own_files(sparse: Repository, tmp_path: Path) -> None:
    """Git keeps what is sparse in a folder that the worktree names."""
    sparse.git("worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    other = Repository(tmp_path / "other")
    other.git("sparse-checkout", "set", "registry/messagegroups/a")
    assert (count_unchecked_files(other.root / "registry"), count_unchecked_files(sparse.root / "registry")) == (1, 0)


def test_a_folder_in_no_repository_lacks_nothing(tmp_path: Path) -> None:
    """Nobody knows of more files there."""
    assert count_unchecked_files(tmp_path) == 0


def test_commands_say_what_a_checkout_lacks(sparse: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Its files count as removed, which would be taken for what somebody did."""
    sparse.git("sparse-checkout", "set", "registry/messagegroups/a")
    run(["--registry", str(sparse.root / "registry"), "diff", "HEAD"])
    told = capsys.readouterr()
    assert "Note: 1 file of the registry counts as removed, since this checkout is sparse" in told.err
    assert "/messagegroups/ü" in told.out
