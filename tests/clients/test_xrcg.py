"""Code and documents that xrcg, the code generator of xRegistry, makes of our documents."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.clients.programs import HOME, generated, imported, ran, xrcg_missing
from tests.document.asyncapi.parser import MODULES, SCRIPT, missing
from tests.waiting import PATIENCE_SECONDS
from xregit.catalog import Registry
from xregit.document import compile_document, import_documents, load, to_bytes
from xregit.source import yaml_loader

pytestmark = [pytest.mark.client, pytest.mark.skipif(bool(xrcg_missing()), reason=xrcg_missing() or "it is here")]

CASES: Any = yaml_loader.parse((Path(__file__).parents[1] / "cases" / "clients.yaml").read_bytes()).value
STYLES = ("producer", "consumer")


def short(registry: Registry, file: Path, *, endpoints: bool = True) -> Path:
    """Write the short form of a registry, base messages merged in."""
    document = compile_document(registry, view="short", resolved=True)
    if not endpoints:
        document.pop("endpoints", None)
    file.write_bytes(to_bytes(document))
    return file


def real(shared: Path, name: str, at: Path) -> Path:
    """Import a real document and write its short form."""
    import_documents([shared / "corpus" / "docs" / name], at / "registry")
    return short(load(at / "registry"), at / "short.json")


@pytest.fixture(scope="module")
def example(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the short form of the example catalog."""
    return short(load(root / "registry"), tmp_path_factory.mktemp("example") / "short.json")


def groups() -> Iterator[Any]:
    """Give each group of the example with each style, and why xrcg fails on it if it does."""
    for case in CASES["kafka"]["example"]:
        for style in STYLES:
            marks = [pytest.mark.xfail(reason=case[style])] if style in case else []
            yield pytest.param(case["group"], style, marks=marks, id=f"{case['group']}-{style}")


def test_xrcg_accepts_the_example_catalog(example: Path, root: Path, tmp_path: Path) -> None:
    """Its own validation finds nothing, whichever way the short form is written."""
    paths = [example]
    for profile in ("1.0-rc2", "1.0-rc4"):
        paths.append(tmp_path / f"{profile}.json")
        document = compile_document(load(root / "registry"), view="short", profile=profile)
        paths[-1].write_bytes(to_bytes(document))
    for path in paths:
        process = ran([HOME / "bin" / "xrcg", "validate", "--definitions", path], path.parent)
        assert process.stdout.startswith("OK"), process.stdout[:1000]


def test_all_groups_of_kafka_are_tried(example: Path) -> None:
    """A group that the example gets for Kafka is tried too."""
    result = json.loads(example.read_bytes())["messagegroups"]
    assert {name for name, group in result.items() if group.get("protocol") == "KAFKA"} == {
        case["group"] for case in CASES["kafka"]["example"]
    }


@pytest.mark.parametrize(("group", "style"), list(groups()))
def test_kafka_code_of_the_example_catalog_imports(example: Path, tmp_path: Path, group: str, style: str) -> None:
    """A Kafka client and the classes of its payloads are generated, byte-compile and can be imported."""
    assert generated(example, ("py", f"kafka{style}"), tmp_path / "out", group=group) == ""
    modules, wrong = imported(tmp_path / "out")
    assert wrong == ""
    assert f"made_kafka_{style}" in modules
    assert any(name.startswith("made_data.") for name in modules)


@pytest.mark.parametrize("name", CASES["kafka"]["keys"])
def test_kafka_keys_are_those_of_the_original(shared: Path, tmp_path: Path, name: str) -> None:
    """A producer generated from our short form sends the keys that one from the original document sends."""
    documents = {"ours": real(shared, name, tmp_path), "original": shared / "corpus" / "docs" / name}
    lines: dict[str, list[str]] = {}
    for source, document in documents.items():
        assert generated(document, ("py", "kafkaproducer"), tmp_path / source) == ""
        (producer,) = (tmp_path / source).glob("*/src/*/producer.py")
        text = producer.read_text(encoding="utf-8").splitlines()
        lines[source] = sorted(line.strip() for line in text if "kafka_key" in line)
    assert lines["ours"] == lines["original"]
    assert any(".format(" in line for line in lines["ours"])


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", CASES["kafka"]["real"])
def test_kafka_code_of_real_documents_imports(shared: Path, tmp_path: Path, name: str, style: str) -> None:
    """The same of documents that others wrote and we imported, of every age."""
    document = real(shared, name, tmp_path)
    assert generated(document, ("py", f"kafka{style}"), tmp_path / "out") == ""
    modules, wrong = imported(tmp_path / "out")
    assert wrong == ""
    assert f"made_kafka_{style}" in modules


def parsed(folder: Path) -> dict[str, list[str]]:
    """Return the errors that the official AsyncAPI parser finds in the documents of a folder, by their names."""
    names = sorted(path.name for path in folder.glob("*.yml"))
    environment = {**os.environ, "NODE_PATH": str(MODULES)}
    process = subprocess.run(
        ["node", str(SCRIPT)],
        input="\n".join(names),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert process.returncode == 0, process.stderr
    result = json.loads(process.stdout)
    return {
        name.removesuffix(".yml"): [item["message"] for item in items if item["severity"] == "error"]
        for name, items in result.items()
    }


def gather(made: Path, into: Path) -> None:
    """Put what was generated beside what was generated before: documents refer to schemas beside them."""
    for path in made.rglob("*"):
        if path.is_file():
            shutil.copy(path, into / path.name)


@pytest.mark.skipif(bool(missing()), reason=missing() or "it is here")
def test_asyncapi_documents_of_the_example_catalog(root: Path, tmp_path: Path) -> None:
    """The official parser accepts the AsyncAPI document of every message group, but where the template is wrong.

    The endpoints are left out: it writes their descriptions without quotes, and gives several addresses wrong names.
    """
    document = short(load(root / "registry"), tmp_path / "short.json", endpoints=False)
    flat = tmp_path / "flat"
    flat.mkdir()
    names = list(json.loads(document.read_bytes())["messagegroups"])
    for name in names:
        assert generated(document, ("asyncapi", "producer"), tmp_path / name, group=name, project=name) == ""
        gather(tmp_path / name, flat)
    result = parsed(flat)
    faulty = {name for listed in CASES["asyncapi"]["example"].values() for name in listed}
    assert result.keys() == set(names)
    assert {name for name, errors in result.items() if errors} == faulty


@pytest.mark.skipif(bool(missing()), reason=missing() or "it is here")
def test_asyncapi_documents_of_real_documents(shared: Path, tmp_path: Path) -> None:
    """It accepts those of imported documents, whose servers are the addresses of their endpoints."""
    flat = tmp_path / "flat"
    flat.mkdir()
    total: set[str | None] = set()
    for number, name in enumerate(CASES["asyncapi"]["real"]):
        (tmp_path / str(number)).mkdir()
        document = real(shared, name, tmp_path / str(number))
        result = tmp_path / str(number) / "out"
        assert generated(document, ("asyncapi", "consumer"), result, project=f"made{number}") == ""
        gather(result, flat)
        endpoints = json.loads(document.read_bytes()).get("endpoints", {}).values()
        consumed = [endpoint for endpoint in endpoints if "consumer" in endpoint["usage"]]
        hosts = {urlsplit(each["uri"]).hostname for endpoint in consumed for each in endpoint.get("endpoints", ())}
        text = (flat / f"made{number}.yml").read_text(encoding="utf-8")
        assert [host for host in hosts if f"host: {host}" not in text] == []
        total |= hosts
    assert total
    assert parsed(flat) == {f"made{number}": [] for number in range(len(CASES["asyncapi"]["real"]))}


@pytest.mark.parametrize("name", CASES["openapi"]["real"])
def test_openapi_documents_of_real_documents(shared: Path, tmp_path: Path, name: str) -> None:
    """A validator of OpenAPI accepts what the template makes of schemas that OpenAPI 3.0 can take."""
    document = real(shared, name, tmp_path)
    assert generated(document, ("openapi", "producer"), tmp_path / "out") == ""
    (result,) = (tmp_path / "out").rglob("*.yml")
    process = ran([HOME / "bin" / "python", "-m", "openapi_spec_validator", result], tmp_path)
    assert process.stdout.strip().endswith("OK"), process.stdout


def test_lines_of_the_guide_make_a_client(root: Path, tmp_path: Path) -> None:
    """What the page about other tools shows of xrcg, in the folder of the example catalog, makes a package."""
    page = (root / "site/manual/other-tools.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^```sh\n([^`]*^xrcg [^`]*)```", page, re.MULTILINE)
    (tmp_path / "registry").symlink_to(root / "registry")
    path = os.pathsep.join((str(Path(sys.executable).parent), str(HOME / "bin"), os.environ["PATH"]))
    process = ran(["env", f"PATH={path}", "sh", "-ec", lines], tmp_path)
    assert "Error" not in process.stdout + process.stderr
    modules, wrong = imported(tmp_path / "luggage")
    assert any("producer" in name for name in modules), modules
    assert wrong == ""
