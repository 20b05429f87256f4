"""One command on the example catalog: document, static API, site and tables, each read back and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from tests.end_to_end.offline.sitecustomize import CODE
from tests.end_to_end.programs import cloned, python, xregit
from xregit.catalog import Group, Registry, read_folder
from xregit.document import compile_document

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

STEPS = ["check", "document", "api", "site", "tables"]


@pytest.fixture(scope="module")
def clone(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a clone in which everything is built."""
    folder = cloned(root, tmp_path_factory.mktemp("whole") / "clone").root
    process = xregit("build", at=folder)
    assert process.returncode == 0, process.stderr
    assert [line.split()[0] for line in process.stdout.splitlines()] == STEPS
    return folder


@pytest.fixture(scope="module")
def registry(clone: Path) -> Registry:
    """Return the registry that was built."""
    return read_folder(clone / "registry")


def rows(clone: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table as Delta's own reader gives them."""
    result: list[dict[str, Any]] = pa.table(DeltaTable(clone / "build/tables" / name).scan()).to_pylist()
    return result


def test_build_leaves_nothing_else_behind(clone: Path) -> None:
    """All output is in the build folder, under the names that the README gives."""
    assert {path.name for path in (clone / "build").iterdir()} == {"registry.json", "api", "site", "tables"}
    assert {path.name for path in clone.iterdir()} == {".git", "build", "registry", "site"}


def test_document_holds_every_entity(clone: Path, registry: Registry) -> None:
    """The document is what the Python API compiles, and the static API begins with the same registry."""
    document = json.loads((clone / "build/registry.json").read_bytes())
    assert document == compile_document(registry)
    for plural, groups in registry.groups.items():
        assert sorted(document[plural]) == sorted(groups)
        for gid, group in groups.items():
            for resources, known in group.collections.items():
                assert sorted(document[plural][gid].get(resources, {})) == sorted(known)
    served = json.loads((clone / "build/api/index.html").read_bytes())
    assert served["registryid"] == document["registryid"]


def test_site_has_a_page_for_every_entity(clone: Path, registry: Registry) -> None:
    """A registry's own group types have pages too; a page names its entity."""
    for xid in registry:
        page = clone / "build/site" / xid[1:] / "index.html"
        assert xid.rsplit("/", 1)[1] in page.read_text(encoding="utf-8").replace("<wbr>", "")
    assert {group.type.plural for group in registry.all_groups} >= {"glossaries", "messagegroups"}


def test_tables_have_a_row_for_every_entity(clone: Path, registry: Registry) -> None:
    """Delta's own reader finds each group and resource in the table of its type, those of own types too."""
    for plural, groups in registry.groups.items():
        assert {row["xid"] for row in rows(clone, plural)} == {group.xid for group in groups.values()}
    by_type: dict[str, set[str]] = {}
    for xid in registry:
        if not isinstance(registry.entity(xid), Group):
            by_type.setdefault(xid.split("/")[3], set()).add(xid)
    assert set(by_type) == {"messages", "schemas", "terms"}
    for plural, xids in by_type.items():
        assert {row["xid"] for row in rows(clone, plural)} == xids


def test_tables_have_what_follows_from_the_catalog(clone: Path, registry: Registry) -> None:
    """Declared properties and contracts are rows of their own, and the publication names the commit."""
    properties = [f"{message.xid}#{item.pointer}" for message in registry.messages for item in message.properties]
    assert sorted(row["xid"] for row in rows(clone, "message_properties")) == sorted(properties)
    carried = {(endpoint.xid, entry.message.xid) for endpoint in registry.endpoints for entry in endpoint.contract}
    assert {(row["endpointxid"], row["messagexid"]) for row in rows(clone, "endpoint_messages")} == carried
    publication = rows(clone, "publications")[-1]
    assert publication["commit"] == registry.origin.history.head
    assert {row["epoch"] for row in rows(clone, "messages")} == {1}


def test_spark_reads_what_delta_reads(clone: Path, spark: SparkSession) -> None:
    """Spark finds as many rows in the files of each table as Delta does."""
    tables = sorted(path.name for path in (clone / "build/tables").iterdir())
    assert len(tables) > 10
    for name in tables:
        files = DeltaTable(clone / "build/tables" / name).file_uris()
        assert spark.read.parquet(*files).count() == len(rows(clone, name))


def test_build_again_changes_nothing(clone: Path) -> None:
    """The same commit gives the same document, and no table a new version."""
    before = (clone / "build/registry.json").read_bytes()
    versions = {path.name: DeltaTable(path).version() for path in (clone / "build/tables").iterdir()}
    process = xregit("build", "--skip", "site", at=clone)
    assert process.stdout.splitlines()[-1].endswith("nothing changed")
    assert (clone / "build/registry.json").read_bytes() == before
    assert {path.name: DeltaTable(path).version() for path in (clone / "build/tables").iterdir()} == versions


@pytest.mark.requirement("EP-35", "MSG-27", "MSG-31")
def test_other_hosts_would_have_been_noticed(tmp_path: Path) -> None:
    """What these tests rest on: a program that turns to another host ends at once."""
    process = python("-c", "import socket; socket.create_connection(('192.0.2.1', 80), 1)", at=tmp_path)
    assert (process.returncode, process.stderr) == (CODE, "offline: 192.0.2.1 was asked\n")
