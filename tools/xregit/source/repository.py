"""The Git repository around a folder: its commits, their files, and checkouts of them.

Every command of Git runs here, through GitPython, on the repository that `find` returns, which is handed to Git by
name: nothing in the files decides which one it is. GitPython's own objects (Repo, Tree, Blob) are not used: they look
for a repository by themselves, and can't read SHA-256 ids.
"""

from __future__ import annotations

import os
import posixpath
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError

if TYPE_CHECKING:
    from git import Git

#: What helps where a clone is shallow: by hand, and in a workflow, whose checkout fetches one commit by default.
WHOLE_HISTORY = '"git fetch --unshallow" brings the rest, in a workflow "fetch-depth: 0" for actions/checkout'

# Git sets some of these for its hooks, and they name the repository that runs the hook. With them we would read commits
# of that repository instead of the folder's own, and a checkout would write its index.
_OTHER_REPOSITORY = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE"),
    *("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_ATTR_SOURCE", "GIT_EXTERNAL_DIFF"),
)
# A repository's configuration may name programs; none of them is started.
_CONFIGURATION = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "advice.graftFileDeprecated=false",
)
# In a partial clone, Git fetches missing objects as it goes, by a command that the repository may name. Older releases
# know only the second of these variables. Grafts and replacements give one commit another history in each clone.
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
}

_NOT_INSTALLED = "Git is not installed, or not on PATH"
_NONSENSE = 'unexpected output from git; check which program "git" is'
_BARE = "the Git repository is bare, it has no files to read"
_OTHER_OWNER = "dubious ownership"
_UNKNOWN_EXTENSION = "unknown repository extension"
_SYMBOLIC_LINK = "120000"  # the mode of one
# As a link it lets whoever owns its target waive breaking changes.
_WAIVERS_FILE = "waivers.yaml"
_NO_MERGE_BASE = 1  # the status of "git merge-base" where two commits have none
_NOT_CONFIGURED = 1  # the status of "git config" where nothing is set
_SUBSTITUTES = {
    _SYMBOLIC_LINK: ("symbolic link", "name the folder that it leads to with --registry"),
    "160000": ("submodule", "compare in a clone of its own repository"),
}
_REWRITING = ("working-tree-encoding", "ident")  # attributes by which a checkout differs from what is committed
_GITDIR = "gitdir: "  # how a worktree, or a submodule, names the folder that Git keeps for it
_REF_END = re.compile(r"[~^:]|@\{")  # where the name of a ref ends, and the way from there to a commit begins
_SKIPPED = b"S "  # how "git ls-files -t" marks a file that is not checked out


class RepositoryError(XregitError):
    """There is no repository, or Git can't read it; ``reason`` says why, without the remedy."""

    def __init__(self, reason: str, message: str = "") -> None:
        """Keep the reason; the message is the reason where there is none."""
        self.reason = reason
        super().__init__(message or reason)


class GitFailureError(RepositoryError):
    """Git broke off, refuses to read the repository, or its output is not what was expected."""


def find(folder: Path) -> Path | None:
    """Return the top folder of the repository that a folder is in; bare repositories are not looked for.

    Symbolic links are resolved first: a link and its target can be in different repositories.
    """
    place = folder.resolve()
    return next((each for each in (place, *place.parents) if _is_top(each)), None)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository: its top folder, the folder that its worktrees share in Git, and what runs Git's commands on it."""

    top: Path
    common: Path
    git: Git


@contextmanager
def open_repository(folder: Path) -> Iterator[Repository]:
    """Open the repository that a folder is in; whatever is run on it starts no other program, and fetches nothing.

    Git looks for it once, at its top alone, and checks who owns it. From then on it is handed to Git by name.

    Raises:
        RepositoryError: the folder is in no repository, or Git fails, or its output is not what was expected.
    """
    try:
        import git  # it takes 80 ms, and a check does without Git
    except ImportError as error:  # it looks for Git when it is imported
        raise RepositoryError(_NOT_INSTALLED) from error
    top = find(folder) if folder.exists() else None
    outside = f'"{folder}" is not in a Git repository'
    if top is None:
        raise RepositoryError(outside, f'{outside}; "git init" makes one')

    class OwnGit(git.Git):
        """Git without the variables that name another repository; GitPython can only set and change some."""

        def execute(self, command: Any, *arguments: Any, **options: Any) -> Any:
            unset = [part for name in _OTHER_REPOSITORY if name in os.environ for part in ("-u", name)]
            return super().execute(["env", *unset, *command] if unset else command, *arguments, **options)

    try:
        yield _open(OwnGit(str(top)), top)
    except git.GitCommandError as error:
        raise _error(folder, str(error.stderr), error.status) from error
    except (OSError, ValueError, IndexError) as error:
        raise _error(folder, f"fatal: {getattr(error, 'strerror', '') or _NONSENSE}") from error


def _open(git: Git, top: Path) -> Repository:
    git.update_environment(GIT_CEILING_DIRECTORIES=str(top.parent), **_ENVIRONMENT)
    git.set_persistent_git_options(c=_CONFIGURATION)
    places = git.rev_parse("--absolute-git-dir", "--git-common-dir").split("\n")
    folder, common = (top / place for place in places)
    if folder == top:
        raise RepositoryError(_BARE)
    git.set_persistent_git_options(c=_CONFIGURATION, git_dir=str(folder), work_tree=str(top))
    return Repository(top, common, git)


def resolve_commit(folder: Path, ref: str) -> str:
    """Return the hash of the commit that a branch, tag or other name stands for.

    Raises:
        RepositoryError: the folder is in no repository, or the repository has no such commit.
    """
    with open_repository(folder) as repo:
        return _resolve(repo, folder, ref)


def merge_base(folder: Path, ref: str) -> str:
    """Return the last commit that HEAD and ``ref`` have in common; the commit of ``ref`` if they have none.

    Raises:
        RepositoryError: the folder is in no repository, the repository has no such commit, or a shallow clone hides it.
    """
    with open_repository(folder) as repo:
        commit = _resolve(repo, folder, ref)
        status, base, errors = repo.git.merge_base("HEAD", commit, with_extended_output=True, with_exceptions=False)
        if status and shallow_commits(repo):
            raise RepositoryError(f'this clone is too shallow to know where the branch left "{ref}"; {WHOLE_HISTORY}')
        if status not in {0, _NO_MERGE_BASE}:
            raise _error(folder, errors, status)
        return commit if status else str(base)


def ancestors(folder: Path, ref: str) -> tuple[str, ...]:
    """Return the hashes of a commit and of all before it, the newest first.

    Raises:
        RepositoryError: the folder is in no repository, or the repository has no such commit.
    """
    with open_repository(folder) as repo:
        return tuple(repo.git.rev_list(_resolve(repo, folder, ref)).split())


def list_commits(folder: Path, refs: str) -> tuple[str, ...]:
    """Return the commits of a branch that touched the folder, the oldest first, and the branch's last one in any case.

    ``refs`` names one commit, or two as in ``v1..main``: the commits after the first, up to the second. A merge stands
    for all commits that it brought.

    Raises:
        RepositoryError: the folder is in no repository, or the repository has no such commit.
    """
    before, dots, last = refs.rpartition("..")
    with open_repository(folder) as repo:
        end = _resolve(repo, folder, last or "HEAD")
        start = [f"^{_resolve(repo, folder, before)}"] if dots and before else []
        commits = repo.git.rev_list("--first-parent", "--reverse", end, *start, "--", str(folder.resolve())).split()
    return tuple(dict.fromkeys((*commits, end)))


def changed_files(folder: Path, ref: str) -> frozenset[str]:
    """Return the files that commits changed since the branch left another, by their paths in the repository.

    It is empty where Git fails, such as for a ``ref`` that it does not know.
    """
    options = ("-r", "-z", "--name-only", "--no-renames", "--no-relative")
    try:
        base = merge_base(folder, ref)
        with open_repository(folder) as repo:
            names = repo.git.diff_tree(*options, base, "HEAD", stdout_as_string=False)
    except RepositoryError:
        return frozenset()
    return frozenset(os.fsdecode(names).split("\0")) - {""}


def read_files(folder: Path, ref: str) -> Mapping[str, bytes]:
    """Return the files that the folder has at a commit, by their paths relative to it.

    A symbolic link to a file in the folder has that file's bytes, unless it is the folder's ``waivers.yaml``; other
    links and submodules are left out.

    Raises:
        RepositoryError: the folder is in no repository, or the repository has no such commit.
    """
    with open_repository(folder) as repo:
        return read_tree(repo, _resolve(repo, folder, ref), _prefix(repo, folder))


def read_tree(repo: Repository, commit: str, prefix: str) -> Mapping[str, bytes]:
    """Return the files below a folder as `read_files` does; ``prefix`` is empty, or the folder's path and a slash."""
    paths = ["--", prefix] if prefix else []
    lines = os.fsdecode(repo.git.ls_tree("-r", "-z", "--full-tree", commit, *paths, stdout_as_string=False))
    entries = [line.partition("\t") for line in lines.split("\0") if line]
    modes = [(path, *entry.split(" ")) for entry, _, path in entries]
    blobs = [(path, mode, blob) for path, mode, kind, blob in modes if kind == "blob"]
    data = zip(blobs, _read_objects(repo, [blob for _, _, blob in blobs]), strict=True)
    files = {path: content for (path, _, _), content in data if content is not None}
    links = {path: os.fsdecode(files.pop(path)) for path, mode, _ in blobs if mode == _SYMBOLIC_LINK}
    targets = {path: posixpath.normpath(f"{posixpath.dirname(path)}/{link}") for path, link in links.items()}
    targets.pop(prefix + _WAIVERS_FILE, None)
    files |= {path: files[target] for path, target in targets.items() if target in files}
    return {path[len(prefix) :]: files[path] for path in sorted(files)}


def read_versions(folder: Path, places: Sequence[tuple[str, str]]) -> Iterator[bytes | None]:
    """Yield the bytes that files had at commits, in the order of the pairs of a commit and a path; None for no file.

    Paths are relative to the repository. It takes one run of Git.

    Raises:
        RepositoryError: the folder is in no repository.
    """
    with open_repository(folder) as repo:
        # Git's protocol has no place for a name with a line's end.
        names = [f"{commit}:{path}" for commit, path in places if "\n" not in path]
        versions = iter(list(_read_objects(repo, names)))
    yield from (None if "\n" in path else next(versions) for _, path in places)


def reject_links_and_submodules(folder: Path) -> None:
    """Refuse a folder that is, or is inside, a symbolic link or a submodule: its files have another history.

    Raises:
        RepositoryError: the path is a symbolic link or submodule, or Git fails.
    """
    place = folder.absolute()  # a link stays one
    top = find(folder)
    for path in [each for each in (place, *place.parents) if each.is_symlink()] + ([top] if top else []):
        outer = find(path.parent)
        mode = _mode(outer, path.parent.resolve() / path.name) if outer else ""
        if mode in _SUBSTITUTES:
            what, advice = _SUBSTITUTES[mode]
            message = f'"{path}" is a {what}, so its history is not the history of its files; {advice}'
            raise RepositoryError(message)


def expect_committed_bytes(folder: Path) -> None:
    """Raise an error where attributes of Git give a file other bytes in a checkout than it has in a commit.

    The files would be compared with what was never checked out.

    Raises:
        RepositoryError: so it is, or Git fails.
    """
    if find(folder) is None:
        return
    with open_repository(folder) as repo, tempfile.TemporaryFile() as file:
        file.write(repo.git.ls_files("-z", "--", str(folder.resolve()), stdout_as_string=False))
        file.seek(0)
        options = ("-z", "--stdin", *_REWRITING)
        output = os.fsdecode(repo.git.check_attr(*options, istream=file, stdout_as_string=False)).split("\0")
    for path, attribute, value in zip(output[::3], output[1::3], output[2::3], strict=False):
        if value not in {"unspecified", "unset"}:
            message = (
                f'Git\'s attribute "{attribute}" gives "{path}" other bytes than are committed, so it can\'t be '
                "compared; remove it from .gitattributes"
            )
            raise RepositoryError(message)


def is_tracked(path: Path) -> bool:
    """Return whether the repository that a path is in has committed, or will commit, it or files below it.

    Raises:
        RepositoryError: Git fails.
    """
    top = find(path.parent)
    return top is not None and bool(_entries(top, path.resolve()))


def _mode(top: Path, path: Path) -> str:
    """Return the mode that Git tracks a path with; nothing for what it doesn't track, and for folders."""
    modes = {name: entry.split(b" ")[0].decode() for entry, _, name in _entries(top, path)}
    return modes.get(os.fsencode(path.relative_to(top)), "")


def _entries(top: Path, path: Path) -> list[tuple[bytes, bytes, bytes]]:
    with open_repository(top) as repo:
        output = repo.git.ls_files("--stage", "-z", "--", str(path), stdout_as_string=False)
    return [line.partition(b"\t") for line in output.split(b"\0") if line]


def find_former_folders(folder: Path, commit: str, name: str) -> tuple[str, ...]:
    """Return the folders of the repository that had a file of that name at a commit, and have none any more.

    What a symbolic link leads to counts for nothing. The top folder is the empty text; others end in a slash.

    Raises:
        RepositoryError: the folder is in no repository, or the repository has no such commit.
    """
    with open_repository(folder) as repo:
        names = repo.git.ls_tree("-r", "-z", "--full-tree", "--name-only", commit, stdout_as_string=False)
        paths = [path for path in os.fsdecode(names).split("\0") if f"/{path}".endswith(f"/{name}")]
        return tuple(
            path.removesuffix(name)
            for path in paths
            if (repo.top / path).resolve() != repo.top / path or not (repo.top / path).is_file()
        )


def read_former_folder(folder: Path, commit: str, prefix: str) -> Mapping[str, bytes]:
    """Return the files of one of the `find_former_folders`, by their paths relative to it."""
    with open_repository(folder) as repo:
        return read_tree(repo, commit, prefix)


def current_branch(folder: Path) -> str:
    """Return the branch that is checked out, even one without commits; nothing where Git knows none."""
    try:
        with open_repository(folder) as repo:
            return str(repo.git.symbolic_ref("-q", "HEAD")).removeprefix("refs/heads/")
    except RepositoryError:
        return ""


def count_unchecked_files(folder: Path) -> int:
    """Return how many files below a folder a sparse checkout leaves out: Git has them, but they are not on the disk."""
    top = find(folder)
    if top is None or not (_git_folder(top) / "info" / "sparse-checkout").is_file():
        return 0  # every command calls this, and few checkouts are sparse
    try:
        with open_repository(folder) as repo:
            lines = repo.git.ls_files("-t", "-z", "--", str(folder.resolve()), stdout_as_string=False)
    except RepositoryError:
        return 0
    names = (line.removeprefix(_SKIPPED) for line in lines.split(b"\0") if line.startswith(_SKIPPED))
    return sum(not (top / os.fsdecode(name)).exists() for name in names)


# Longer than any line of ours that could be taken for one of Git's.
_MARKER = 60


def merge_texts(ours: bytes, base: bytes, theirs: bytes) -> tuple[bytes, tuple[int, ...]]:
    """Return ours with what theirs changed since the base, and the lines that both changed, which stay as ours.

    Raises:
        RepositoryError: Git is not installed, or fails.
    """
    try:
        import git  # as in `open_repository`
    except ImportError as error:
        raise RepositoryError(_NOT_INSTALLED) from error
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder, name)) for name in ("ours", "base", "theirs")]
        for name, data in zip(names, (ours, base, theirs), strict=True):
            Path(name).write_bytes(data)
        command = ["git", "merge-file", "-p", f"--marker-size={_MARKER}", *names]
        status, output, errors = git.Git(folder).execute(
            command,
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
        )
    if status < 0 or status >= 128:  # noqa: PLR2004 - fewer are the number of conflicts
        raise _error(Path(names[0]), errors)
    lines: list[bytes] = []
    conflicts: list[int] = []
    side = ""
    for line in output.splitlines(keepends=True):
        mark = line[:_MARKER]
        if mark in (b"<" * _MARKER, b"=" * _MARKER, b">" * _MARKER):
            side = {b"<": "ours", b"=": "theirs", b">": ""}[mark[:1]]
            conflicts += [len(lines) + 1] if side == "ours" else []
        elif side != "theirs":
            lines.append(line)
    return b"".join(lines), tuple(conflicts)


@contextmanager
def worktree(folder: Path, ref: str, place: Path) -> Iterator[Path]:
    """Check a commit out below an empty place, and yield the path of the folder in it; it is removed afterwards.

    Raises:
        RepositoryError: the folder is in no repository, there is no such commit, or Git can't write there.
    """
    with open_repository(folder) as repo:
        commit, prefix = _resolve(repo, folder, ref), _prefix(repo, folder)
        root = place / repo.top.name
        options = ("add", "--detach", "--quiet", str(root), commit)
        environment = _without_filters(repo, folder)
        with repo.git.custom_environment(**environment):
            status, _, errors = repo.git.worktree(*options, with_extended_output=True, with_exceptions=False)
        if status:
            reason = errors.strip().rpartition("\n")[2].removeprefix("fatal: ")
            raise RepositoryError(f'Git can\'t check out "{ref}": {reason}')
    try:
        yield root / prefix
    finally:
        with open_repository(folder) as repo:
            repo.git.worktree("remove", "--force", str(root), with_exceptions=False)


def _without_filters(repo: Repository, folder: Path) -> Mapping[str, str]:
    """Return the environment in which Git runs no filter that its configuration names, not even that of Git LFS.

    The name of a filter may hold any sign, which ``git -c`` would not take.
    """
    options = ("--null", "--name-only", "--get-regexp", r"^filter\..*\.(smudge|process|required)$")
    status, output, errors = repo.git.config(*options, with_extended_output=True, with_exceptions=False)
    if status not in {0, _NOT_CONFIGURED}:
        raise _error(folder, errors, status)
    count = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    result = {}
    for index, name in enumerate(filter(None, output.split("\0")), count):
        result[f"GIT_CONFIG_KEY_{index}"] = name
        result[f"GIT_CONFIG_VALUE_{index}"] = "false" if name.endswith(".required") else ""
    return {**result, "GIT_CONFIG_COUNT": str(count + len(result) // 2)}


def shallow_commits(repo: Repository) -> frozenset[str]:
    """Return the commits whose parents a shallow clone leaves out; they seem to add every file."""
    shallow = repo.common / "shallow"
    return frozenset(shallow.read_text("ascii").split()) if shallow.is_file() else frozenset()


def _is_top(folder: Path) -> bool:
    entry = folder / ".git"
    return entry.is_file() or os.path.lexists(entry / "HEAD")


def _git_folder(top: Path) -> Path:
    """Return Git's own folder for a worktree."""
    entry = top / ".git"
    if entry.is_dir():
        return entry
    return top / entry.read_text(encoding="utf-8", errors="surrogateescape").strip().removeprefix(_GITDIR)


def _resolve(repo: Repository, folder: Path, ref: str) -> str:
    """Return a commit's hash; GitPython's own `rev_parse` knows fewer names than Git does.

    A name of several refs is refused: whoever may push a tag "origin/main" would choose what a branch is compared with.
    """
    name = _REF_END.split(ref, maxsplit=1)[0]
    places = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
    refs = [place.format(name) for place in places] if name else []
    known = repo.git.for_each_ref("--format=%(refname)", *refs).split() if refs else []
    several = [each for each in known if each in refs]
    if len(several) > 1:
        raise RepositoryError(f'"{ref}" can mean {" and ".join(several)}; write one of them in full')
    options = ("--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    status, commit, errors = repo.git.rev_parse(*options, with_extended_output=True, with_exceptions=False)
    if status == 0:
        return str(commit)
    if status < 0:
        raise _error(folder, errors, status)
    hidden = f"this clone is shallow and may lack it; {WHOLE_HISTORY}"
    advice = hidden if shallow_commits(repo) else "name a branch, tag or commit that it has"
    raise RepositoryError(f'the Git repository of "{folder}" has no commit "{ref}"; {advice}')


def _prefix(repo: Repository, folder: Path) -> str:
    path = folder.resolve().relative_to(repo.top).as_posix()
    return "" if path == "." else f"{path}/"


def _read_objects(repo: Repository, names: Iterable[str]) -> Iterator[bytes | None]:
    """Return the bytes of the objects that names stand for; None for no object."""
    with tempfile.TemporaryFile() as file:
        file.write(os.fsencode("".join(f"{name}\n" for name in names)))
        file.seek(0)
        output = repo.git.cat_file("--batch", istream=file, stdout_as_string=False, strip_newline_in_stdout=False)
    return _split_objects(output)


def _split_objects(output: bytes) -> Iterator[bytes | None]:
    """Yield the objects that ``git cat-file --batch`` printed, each behind a line with its id, kind and size."""
    start = 0
    while start < len(output):
        line_end = output.index(b"\n", start)
        if output.endswith(b" missing", start, line_end):
            yield None
            start = line_end + 1
            continue
        size = int(output[start:line_end].rsplit(b" ", 1)[1])
        yield output[line_end + 1 : line_end + 1 + size]
        start = line_end + size + 2


def _reason(errors: str) -> str:
    """Return why Git can't look into a repository, by what it printed; nothing where it failed for other reasons."""
    if "bad revision" in errors or "does not have any commits" in errors:
        return "the Git repository has no commits yet"
    if _OTHER_OWNER in errors:
        remedy = errors.rpartition("git config ")[2].partition("\n")[0].rstrip("' ")
        return f'the Git repository belongs to another user; "git config {remedy}" lets Git read it'
    if _UNKNOWN_EXTENSION in errors:
        names = " and ".join(errors.partition("found:")[2].rstrip("'").split())
        return f'this version of Git does not support repositories with "{names}"; install a newer one'
    if "not a git repository" in errors:
        return "its .git does not lead to a Git repository"
    if "promisor" in errors:
        return 'this clone is partial, and nothing is fetched; "git fetch --refetch --no-filter" brings what it lacks'
    return ""


def _error(folder: Path, errors: str, status: object = None) -> RepositoryError:
    """Return the error for what Git printed as errors, and the status with which it ended."""
    known = _reason(errors)
    fatal = next((line for line in errors.splitlines() if "fatal: " in line), "").partition("fatal: ")[2]
    end = f"it was ended by signal {-status}" if isinstance(status, int) and status < 0 else "it gave no reason"
    reason = known or f"Git failed: {fatal.removesuffix(chr(39)) or end}"
    is_failure = not known or _OTHER_OWNER in errors or _UNKNOWN_EXTENSION in errors
    return (GitFailureError if is_failure else RepositoryError)(
        reason, f'the Git repository of "{folder}" can\'t be read: {reason}'
    )
