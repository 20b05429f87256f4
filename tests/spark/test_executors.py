"""What executors get: an archive of packages, and functions that need nothing else before it is on their path."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from xregit.errors import XregitError
from xregit.spark.executors import PROVIDED, STAMP, write_archive


@pytest.mark.long
def test_archive_has_native_packages_and_nothing_that_a_spark_has(tmp_path: Path) -> None:
    """Another Python finds xregit and its packages there, with nothing else on its path."""
    path = write_archive(tmp_path / "xregit.tar.gz")
    (tmp_path / "unpacked").mkdir()
    subprocess.run(["tar", "-xf", path, "-C", tmp_path / "unpacked"], check=True)  # Python 3.11.2 has no filter="data"
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["xregit.tar.gz"]
    top = {each.name for each in (tmp_path / "unpacked").iterdir()}
    assert {"xregit", "orjson", "msgspec", "deltalake", "jsonschema_rs"} <= top
    assert not top & PROVIDED
    stamp = json.loads((tmp_path / "unpacked" / STAMP).read_text())
    assert stamp["platform"] == sysconfig.get_platform()
    imports = "import xregit, orjson, jsonschema_rs, deltalake"
    program = f"import sys; sys.path.insert(0, {str(tmp_path / 'unpacked')!r}); {imports}"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def test_archive_in_a_form_that_spark_does_not_unpack_is_refused(tmp_path: Path) -> None:
    """Spark goes by the ending."""
    with pytest.raises(XregitError, match=r"has to end in \.tar\.gz"):
        write_archive(tmp_path / "xregit.whl")
