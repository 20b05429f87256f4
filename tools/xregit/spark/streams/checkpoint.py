"""The checkpoint of a job: its identity, and the catalog by which it routed its last batch.

A batch that was begun and not finished is repeated with the same catalog, even if a run has another one by then, so
that tables which have it already and those which don't agree.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from xregit.document import compile_document, read
from xregit.errors import XregitError
from xregit.model.files import SPECVERSION
from xregit.source.atomic_write import write, write_lock
from xregit.source.json_emitter import to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog import Registry

TABLES = "tables"
JOB, BATCH, CATALOGS, SPARK = "job.json", "batch.json", "catalogs", "spark"
# Where Spark has a file for each batch; one that is incomplete has a name that begins with a dot.
SPARK_LOGS = ("offsets", "commits")
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class PinnedBatch:
    """A batch by its number, the digest of its catalog, and whether it is committed to all tables."""

    number: int
    catalog: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint folder of one job; ``application`` identifies the job to the tables, ``job`` describes it."""

    folder: Path
    application: str
    job: Mapping[str, str]

    @property
    def spark(self) -> str:
        """The folder of Spark's own checkpoint."""
        return str(self.folder / SPARK)

    @property
    def last_batch(self) -> PinnedBatch | None:
        """The last batch that was begun."""
        content = _load(self.folder / BATCH)
        return PinnedBatch(content["number"], content["catalog"], content["done"]) if content else None

    def remove_incomplete_logs(self) -> None:
        """Remove what Spark wrote when it was killed before its first batch; it would refuse to begin beside that."""
        for folder in (self.folder / SPARK / name for name in SPARK_LOGS):
            files = list(folder.iterdir()) if folder.is_dir() else []
            if all(each.name.startswith(".") for each in files):
                for each in files:
                    each.unlink()

    def pin(self, batch: PinnedBatch, document: bytes) -> None:
        """Record the catalog of a batch, before any of it is routed."""
        path = self._catalog_path(batch.catalog)
        if not path.exists():
            write(path, document)
        _save(self.folder / BATCH, asdict(batch))
        for other in path.parent.iterdir():
            if other != path:
                other.unlink()

    def catalog(self, digest: str) -> Registry:
        """Return the catalog that a batch was pinned to.

        Raises:
            XregitError: it is missing, or damaged.
        """
        return read(self._catalog_path(digest))

    def _catalog_path(self, digest: str) -> Path:
        return self.folder / CATALOGS / f"{digest}.json"


@contextmanager
def open_checkpoint(folder: Path, job: Mapping[str, str]) -> Iterator[Checkpoint]:
    """Yield the checkpoint of a job in a folder, which is created if missing; it may be moved with its tables.

    It is locked against other runs: two would identify the job differently to its tables, and both add the same rows.

    Raises:
        XregitError: the folder holds something else, or the checkpoint of another job, or another run has it open.
    """
    place = Path(os.path.realpath(folder))
    with write_lock(folder, place, _make_folder):
        yield _load_checkpoint(folder, job)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise _foreign_folder(folder) from error
    except OSError as error:
        message = f'the folder "{folder}" can\'t be made: {error.strerror}; name another folder with --checkpoint'
        raise XregitError(message) from error


def _load_checkpoint(folder: Path, job: Mapping[str, str]) -> Checkpoint:
    content = _load(folder / JOB)
    if content is None:
        # A run that was killed before it had a job leaves a temporary file, whose name begins with a dot.
        if any(not each.name.startswith(".") for each in folder.iterdir()):
            raise _foreign_folder(folder)
        content = {**job, "application": f"xregit {uuid4()}"}
        _save(folder / JOB, content)
    if job[TABLES] == str(folder.parent) and content.get(TABLES) != job[TABLES]:
        content[TABLES] = job[TABLES]  # it was moved together with its tables
        _save(folder / JOB, content)
    for name, value in job.items():
        if content.get(name) != value:
            message = (
                f'the checkpoint {folder} belongs to a job with the {name} "{content.get(name)}", not "{value}"; '
                "name another folder with --checkpoint"
            )
            raise XregitError(message)
    return Checkpoint(folder, str(content.get("application")), job)


def _foreign_folder(folder: Path) -> XregitError:
    return XregitError(f"{folder} holds something else than a checkpoint of xregit route; name another folder")


def freeze_catalog(registry: Registry) -> tuple[str, bytes]:
    """Return a registry's digest, and the document to keep of it."""
    document = to_bytes(compile_document(registry, profile=SPECVERSION))
    return blake2b(document, digest_size=DIGEST_BYTES).hexdigest(), document


def _load(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        message = f"the checkpoint's {path} can't be read: {error}; name another folder with --checkpoint"
        raise XregitError(message) from error
    if not isinstance(content, dict):
        message = f"the checkpoint's {path} is damaged; name another folder with --checkpoint"
        raise XregitError(message)
    return content


def _save(path: Path, value: Mapping[str, Any]) -> None:
    write(path, json.dumps(value).encode())
