"""What a job remembers between runs: who it is, and by which catalog it sorted its last batch.

A batch that was begun and not finished is sorted again as it was the first time, even by another catalog's run, so
that tables which have it already and those which don't agree.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from xregit.document import compile_document, read
from xregit.errors import XregitError
from xregit.source.atomic_write import write, write_lock
from xregit.source.json_emitter import to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog import Registry

TABLES = "tables"
JOB, BATCH, CATALOGS, SPARK = "job.json", "batch.json", "catalogs", "spark"
# Where Spark has a file for each batch; one that is not whole yet has a name that begins with a dot.
SPARKS_OWN = ("offsets", "commits")
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Pinned:
    """A batch by its number, the catalog that it is sorted by, and whether all tables have taken it."""

    number: int
    catalog: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The folder of one job's memory; ``application`` names the job to the tables, ``job`` says what it is."""

    folder: Path
    application: str
    job: Mapping[str, str]

    @property
    def spark(self) -> str:
        """Where Spark keeps its own memory of what it has read."""
        return str(self.folder / SPARK)

    @property
    def pinned(self) -> Pinned | None:
        """The last batch that was begun."""
        found = _load(self.folder / BATCH)
        return Pinned(found["number"], found["catalog"], found["done"]) if found else None

    def forget_half_begun(self) -> None:
        """Remove what Spark was killed over before it had one batch whole; it would refuse to begin beside that."""
        for folder in (self.folder / SPARK / name for name in SPARKS_OWN):
            found = list(folder.iterdir()) if folder.is_dir() else []
            if all(each.name.startswith(".") for each in found):
                for each in found:
                    each.unlink()

    def pin(self, pinned: Pinned, document: bytes) -> None:
        """Keep that a batch is sorted by this catalog, before any of it is."""
        path = self._catalog(pinned.catalog)
        if not path.exists():
            write(path, document)
        _save(self.folder / BATCH, {"number": pinned.number, "catalog": pinned.catalog, "done": pinned.done})
        for other in path.parent.iterdir():
            if other != path:
                other.unlink()

    def catalog(self, digest: str) -> Registry:
        """Return the catalog that a batch was pinned to.

        Raises:
            XregitError: it is not there, or damaged.
        """
        return read(self._catalog(digest))

    def _catalog(self, digest: str) -> Path:
        return self.folder / CATALOGS / f"{digest}.json"


@contextmanager
def open_checkpoint(folder: Path, job: Mapping[str, str]) -> Iterator[Checkpoint]:
    """Yield the memory of a job in a folder, which is made where there is none; it may be moved with its tables.

    No other run has it at the same time: two would name the job differently to its tables, and both add the same rows.

    Raises:
        XregitError: the folder holds something else, or the memory of another job, or another run has it.
    """
    place = Path(os.path.realpath(folder))
    with write_lock(folder, place, _make_folder):
        yield _remembered(folder, job)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise _other(folder) from error
    except OSError as error:
        message = f'the folder "{folder}" can\'t be made: {error.strerror}; name another folder with --checkpoint'
        raise XregitError(message) from error


def _remembered(folder: Path, job: Mapping[str, str]) -> Checkpoint:
    known = _load(folder / JOB)
    if known is None:
        # A run that was killed before it had a job leaves a file that has no name of its own yet.
        if any(not each.name.startswith(".") for each in folder.iterdir()):
            raise _other(folder)
        known = {**job, "application": f"xregit {uuid4()}"}
        _save(folder / JOB, known)
    if job[TABLES] == str(folder.parent) and known.get(TABLES) != job[TABLES]:
        known[TABLES] = job[TABLES]  # it was moved together with its tables
        _save(folder / JOB, known)
    for name, value in job.items():
        if known.get(name) != value:
            message = (
                f'the checkpoint {folder} belongs to a job with the {name} "{known.get(name)}", not "{value}"; '
                "name another folder with --checkpoint"
            )
            raise XregitError(message)
    return Checkpoint(folder, str(known.get("application")), job)


def _other(folder: Path) -> XregitError:
    return XregitError(f"{folder} holds something else than a checkpoint of xregit route; name another folder")


def freeze(registry: Registry) -> tuple[str, bytes]:
    """Return a registry as a document to keep, with its digest."""
    document = to_bytes(compile_document(registry))
    return blake2b(document, digest_size=DIGEST_BYTES).hexdigest(), document


def _load(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        message = f"the checkpoint's {path} can't be read: {error}; name another folder with --checkpoint"
        raise XregitError(message) from error
    if not isinstance(found, dict):
        message = f"the checkpoint's {path} is damaged; name another folder with --checkpoint"
        raise XregitError(message)
    return found


def _save(path: Path, value: Mapping[str, Any]) -> None:
    write(path, json.dumps(value).encode())
