"""Parameters of commands: the registry, entity or commit that the user names or leaves out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from difflib import get_close_matches
from functools import update_wrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Concatenate, NoReturn, ParamSpec, TypeVar

import click

import xregit
from xregit.cli.output import note
from xregit.errors import XregitError
from xregit.source.file_tree import link_on_the_way
from xregit.source.repository import count_unchecked_files, find, worktree

if TYPE_CHECKING:
    from xregit.catalog import Registry


Options = ParamSpec("Options")
Code = TypeVar("Code", int, None)

NEAREST = Path("registry", "registry.yaml")
# An error names at most this many names that are like one that nothing has.
MAX_NAMED = 3


class Ref(click.ParamType[str]):
    """What names a commit: its hash, a branch or a tag."""

    name = "ref"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text; an empty one, as of a variable that was never set, is wrong usage."""
        if not value.strip():
            self.fail("the text is empty; name a commit, branch or tag", param, ctx)
        return value


class Input(click.File):
    """A file to read, or standard input; the error for a text in its place says how to pipe it."""

    def __init__(self) -> None:
        """Read bytes."""
        super().__init__("rb")

    def fail(self, message: str, param: click.Parameter | None = None, ctx: click.Context | None = None) -> NoReturn:
        """Add how to name a file."""
        way = f"name a file, or - for standard input, as in: echo TEXT | {_example_call(param, ctx)}"
        super().fail(f"{message}; {way}", param, ctx)


def file_name(file: BinaryIO) -> str:
    """Return the name of an input, which a program that calls the command may have left out."""
    return str(getattr(file, "name", "<stdin>"))


def _example_call(param: click.Parameter | None, ctx: click.Context | None) -> str:
    """Return the end of a command line that reads standard input."""
    option = param.opts[0] if isinstance(param, click.Option) else ""
    return " ".join(filter(None, (ctx.command_path if ctx else "", "…" if option else "", option, "-")))


def with_registry(command: Callable[Concatenate[Path, Options], Code]) -> Callable[Options, Code]:
    """Give a command the path of its registry before its own options."""

    @click.pass_obj
    def command_with_registry(path: Path | None, /, *args: Options.args, **options: Options.kwargs) -> Code:
        registry = find_registry(path)
        _warn_of_sparse_checkout(registry)
        return command(registry, *args, **options)

    return update_wrapper(command_with_registry, command)


def _warn_of_sparse_checkout(registry: Path) -> None:
    """Note that a sparse checkout lacks files of the registry, which would otherwise count as removed."""
    count = count_unchecked_files(registry) if registry.is_dir() else 0
    if count:
        files = "1 file of the registry counts" if count == 1 else f"{count:,} files of the registry count"
        note(f'Note: {files} as removed, since this checkout is sparse; "git sparse-checkout disable" restores all.')


def find_registry(path: Path | None) -> Path:
    """Return the given path, else the nearest registry folder at or above the working directory.

    Raises:
        XregitError: there is nothing at the given path, or no registry to be found.
    """
    if path is not None and path.exists():
        from xregit.catalog.layout import normalize_registry_path  # slow, and few commands name their registry

        return normalize_registry_path(path)
    if path is not None:
        raise XregitError(f'--registry names "{path}", which does not exist')
    here = Path.cwd()
    for folder in (here, *here.parents):
        # That its file has another ending is told where it is read.
        if (folder / NEAREST).is_file() or (folder / NEAREST).with_suffix(".yml").is_file():
            if folder != here:
                _expect_own(folder / NEAREST.parent)
            nearest = folder / NEAREST.parent
            return nearest.relative_to(here) if nearest.is_relative_to(here) else nearest
    message = (
        f'there is no {NEAREST.as_posix()} in "{here}" or above; '
        'name a registry with --registry, or make one with "xregit init"'
    )
    raise XregitError(message)


def _expect_own(folder: Path) -> None:
    """Raise an error where a folder that nobody named is another user's: a site's configuration beside it may run code.

    Raises:
        XregitError: so it is.
    """
    if hasattr(os, "geteuid"):
        mine = {os.geteuid(), int(os.environ.get("SUDO_UID") or 0)}
        if folder.stat().st_uid not in mine:
            message = f'"{folder}" is the nearest registry, but it belongs to another user; name it with --registry'
            raise XregitError(message)


def output_folder(
    default: Path | str, text: str = "Folder to write to."
) -> Callable[[Callable[Options, Code]], Callable[Options, Code]]:
    """Give a command the option that names the folder it writes to."""
    kind = click.Path(file_okay=False, path_type=Path)
    return click.option("-o", "--output", type=kind, default=Path(default), show_default=True, help=text)


def refuse_own_file(registry: Path, output: Path) -> None:
    """Stop where an output would replace a file that people have written.

    Raises:
        XregitError: it is one of the registry's YAML files, or leads through a symbolic link.
    """
    _refuse_links(registry, output)
    if output.is_file() and output.suffix == ".yaml" and output.resolve().is_relative_to(registry.resolve()):
        raise XregitError(f'"{output}" is a file of the registry itself; name another one')


def refuse_own_folder(registry: Path, output: Path, *, replaced: bool = False) -> None:
    """Stop where an output would mix with what people have written, or take its place; nothing need be there yet.

    Raises:
        XregitError: the folder is the registry's own, or inside it, or is ``replaced`` as a whole and holds it, or
            leads through a symbolic link.
    """
    root, target = registry.resolve(), output.resolve()
    if registry.is_dir() and target.is_relative_to(root) and not _beside_groups(root, target):
        raise XregitError(f'"{output}" is in the folder of the registry itself, "{registry}"; name another one')
    if replaced and target in root.parents:
        message = f'"{output}" would be replaced as a whole, but it holds the registry "{registry}"; name another one'
        raise XregitError(message)
    _refuse_links(registry, output)


def _refuse_links(registry: Path, output: Path) -> None:
    """Stop where a link of the registry's repository, which may have come with a clone, puts an output elsewhere."""
    folder = registry.resolve()
    link = link_on_the_way(find(folder) or folder.parent, output)
    if link is not None:
        raise XregitError(f'"{link}" is a symbolic link; remove it, or name another place with -o')


def _beside_groups(root: Path, target: Path) -> bool:
    """Return whether a registry at the top of its repository leaves this place, beside its groups, to outputs."""
    parts = target.relative_to(root).parts
    return bool(parts) and (root / ".git").exists() and not any((root / parts[0]).glob("*/*.yaml"))


def unknown_name(name: str, choices: Iterable[str], *, what: str, others: str = "") -> XregitError:
    """Return the error for a name that nothing has, with similar names, else with ``others``.

    An id alone suggests the xids that end in it, a group what it holds, and a part of a name what contains it.
    """
    names = list(choices)
    similar = (
        [each for each in names if name and (each.endswith(f"/{name}") or each.startswith(f"{name}/"))]
        or get_close_matches(name, names, MAX_NAMED)
        or [each for each in names if name and name in each]
    )[:MAX_NAMED]
    hint = f"did you mean {' or '.join(similar)}?" if similar else others
    return XregitError(f'there is no {what} "{name}"{hint and "; "}{hint}')


def today() -> date:
    """Return the date, in UTC as all times of a catalog are."""
    return datetime.now(tz=UTC).date()


def read_at(registry: Path, ref: str | None) -> Registry:
    """Return the registry as it is now, or as it was at a commit.

    Raises:
        XregitError: there is no such commit, or no registry at it.
    """
    return xregit.read(registry) if ref is None else xregit.read_commit(registry, ref)


@contextmanager
def checkout(registry: Path, ref: str | None) -> Iterator[Path]:
    """Yield the path of the registry; for a commit, that in a temporary checkout.

    Raises:
        XregitError: there is no such commit, or no registry at it.
    """
    if ref is None:
        yield registry
        return
    read_at(registry, ref)  # says in one line what is missing
    with TemporaryDirectory(prefix="xregit-") as folder, worktree(registry, ref, Path(folder)) as inside:
        yield inside
