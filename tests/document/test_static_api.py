"""The static API: one file for each address that a server would answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.folders import registry_of
from xregit.catalog import Registry
from xregit.document import api_files, compile_document, to_bytes
from xregit.document.static_api import host_files
from xregit.errors import XregitError

BASE = "https://example.com/registry"


@pytest.fixture(scope="module")
def files(small: Registry) -> dict[str, bytes]:
    """Return the files of the small registry."""
    return dict(api_files(small, BASE + "/"))


def answer(files: dict[str, bytes], url: str) -> bytes:
    """Return what a static host answers to an address."""
    path = url.removeprefix(BASE).strip("/")
    index = f"{path}/index.html" if path else "index.html"
    return files[index] if index in files else files[path]


def urls(value: Any) -> Iterator[str]:
    """Give all addresses of this API in a value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from urls(inner)
    elif isinstance(value, str) and value.startswith(BASE):
        yield value


def test_every_address_is_answered(files: dict[str, bytes]) -> None:
    """From the root on, whatever address an answer names is there; what has `self` is found at it."""
    pending, seen = [BASE + "/"], set[str]()
    while pending:
        url = pending.pop()
        if url in seen:
            continue
        seen.add(url)
        value = json.loads(answer(files, url)) if answer(files, url)[:1] == b"{" else {}
        assert value.get("self", url) == url
        pending += urls(value)
    assert len(seen) > 50


def test_no_index_holds_a_tag(tmp_path: Path) -> None:
    """A host that takes an index for a page runs nothing that a text says; what it says is the same."""
    text = "<script>alert(1)</script>"
    message = {"messagegroups/g/messages/m.yaml": f"description: '{text}'", "registry.yaml": "registryid: r"}
    files = dict(api_files(registry_of(tmp_path, message), BASE))
    path = "messagegroups/g/messages/m"
    assert not [name for name, data in files.items() if name.endswith("index.html") and b"<" in data]
    assert (
        json.loads(files[f"{path}/index.html"])["description"]
        == text
        == json.loads(files[f"{path}$details"])["description"]
    )


def test_plain_files(small: Registry, files: dict[str, bytes]) -> None:
    """Export, model, its source and capabilities are there, and each JSON file says what it is."""
    assert files["export"] == to_bytes(compile_document(small))
    assert json.loads(files["capabilities"])["available"]["model"] == {"mutable": False}
    assert json.loads(files["modelsource"]) == compile_document(small)["modelsource"]
    assert json.loads(files["capabilitiesoffered"])["available"]["type"] == "object"
    assert json.loads(files["capabilitiesoffered"])["pagination"] == {"type": "boolean", "enum": [False]}
    model = json.loads(files["model"])
    assert list(model["groups"]["endpoints"]["resources"]) == ["messages"]
    assert "messageid" in model["groups"]["endpoints"]["resources"]["messages"]["attributes"]
    link = b"link:<https://example.com/registry/>; rel=xregistry-root\n"
    assert files["export.hdr"] == files["index.html.hdr"] == b"content-type:application/json\n" + link


def test_attributes_of_the_model_are_named(files: dict[str, bytes]) -> None:
    """Every attribute repeats its name, as the model language has it, at any depth; objects alone have attributes."""
    pending, seen = [json.loads(files["model"])], 0
    while pending:
        value = pending.pop()
        for part in ("attributes", "siblingattributes", "metaattributes", "resourceattributes"):
            for name, attribute in value.get(part, {}).items():
                assert attribute["name"] == name
                assert attribute["type"] == "object" or "attributes" not in attribute
                seen += 1
                pending.append(attribute)
        pending += [value[key] for key in ("item",) if key in value]
        pending += [inner for part in ("groups", "resources", "ifvalues") for inner in value.get(part, {}).values()]
    assert seen > 300


def test_documents_are_served_byte_for_byte(small: Registry, files: dict[str, bytes]) -> None:
    """A schema's address answers with its document, `$details` with its attributes, without the document."""
    path = "schemagroups/hall/schemas/wire"
    document = small.resource(f"/{path}")
    assert document is not None
    stored = document.versions["1"].document
    assert stored is not None
    assert files[f"{path}/index.html"] == stored.data == files[f"{path}/versions/1/index.html"]
    details = json.loads(files[f"{path}$details"])
    assert details["self"] == f"{BASE}/{path}$details"
    assert "schema" not in details
    assert b"content-type:text/plain\n" in files[f"{path}.hdr"]
    assert b"xregistry-format:Protobuf/3\n" in files[f"{path}.hdr"]
    assert f"/{path}\n  ! Content-Type\n  Content-Type: text/plain\n".encode() in files["_headers"]


def test_headers_of_a_document_state_its_attributes(tmp_path: Path) -> None:
    """Scalars and entries of maps have a header each; the standard header is used where there is one.

    Source: HTTP specification, "Serializing Resource Domain-Specific Documents".
    """
    path = "schemagroups/g/schemas/s"
    registry = registry_of(
        tmp_path,
        {
            f"{path}/schema.yaml": """
                format: JsonSchema/draft-07
                meta: {defaultversionid: "1"}
                versions:
                  "1":
                    contenttype: application/schema+json
                    labels: {team: baggage, "a b": "no header may be called so"}
                  "2": {}
                """,
            f"{path}/versions/1.json": "{}",
            f"{path}/versions/2.json": "{}",
        },
    )
    files = api_files(registry, BASE)
    lines = dict(line.split(":", 1) for line in files[f"{path}.hdr"].decode().splitlines())
    assert files[f"{path}.hdr"] == files[f"{path}/index.html.hdr"]
    for name in ("epoch", "createdat", "modifiedat"):
        assert lines.pop(f"xregistry-{name}")
    assert lines == {
        "content-disposition": "s",
        "content-length": "2",
        "content-location": f"{BASE}/{path}/versions/1",
        "content-type": "application/schema+json",
        "link": f"<{BASE}/>; rel=xregistry-root",
        "xregistry-ancestor": "1",
        "xregistry-format": "JsonSchema/draft-07",
        "xregistry-isdefault": "true",
        "xregistry-labels.team": "baggage",
        "xregistry-metaurl": f"{BASE}/{path}/meta",
        "xregistry-schemaid": "s",
        "xregistry-self": f"{BASE}/{path}",
        "xregistry-versionid": "1",
        "xregistry-versionscount": "2",
        "xregistry-versionsurl": f"{BASE}/{path}/versions",
        "xregistry-xid": f"/{path}",
    }
    version = files[f"{path}/versions/2.hdr"].decode()
    assert f"content-location:{BASE}/{path}/versions/2\n" in version
    assert "versionsurl" not in version


def test_document_elsewhere_has_details_alone(files: dict[str, bytes]) -> None:
    """A document that is kept elsewhere is named, not copied."""
    path = "schemagroups/hall/schemas/elsewhere"
    assert f"{path}/index.html" not in files
    assert json.loads(files[f"{path}$details"])["schemaurl"] == "https://example.com/bag.xsd"


def test_alias_shows_its_target_under_its_own_name(files: dict[str, bytes]) -> None:
    """An alias answers with the attributes and versions of its target, and says in `meta` that it is one."""
    path = "messagegroups/bags/messages/bag.alias"
    alias = json.loads(files[f"{path}/index.html"])
    assert (alias["messageid"], alias["xid"], alias["protocol"]) == ("bag.alias", f"/{path}", "KAFKA")
    assert json.loads(files[f"{path}/versions/1$details"])["xid"] == f"/{path}/versions/1"
    meta = json.loads(files[f"{path}/meta"])
    assert meta["xref"] == "/messagegroups/bags/messages/bag.seen"
    assert meta["defaultversionid"] == "1"


def test_alias_of_nothing_shows_nothing(tmp_path: Path) -> None:
    """An alias of what isn't there, or of another alias, has an identity and nothing else."""
    messages = "messagegroups/g/messages"
    registry = registry_of(
        tmp_path,
        {
            f"{messages}/a.yaml": "xref: /messagegroups/g/messages/b",
            f"{messages}/b.yaml": "xref: /messagegroups/g/messages/c",
        },
    )
    files = api_files(registry, BASE)
    for name in ("a", "b"):
        assert list(json.loads(files[f"{messages}/{name}/index.html"])) == ["messageid", "self", "xid", "metaurl"]
        assert list(json.loads(files[f"{messages}/{name}/meta"])) == ["messageid", "self", "xid", "xref"]


@pytest.mark.parametrize(
    "file",
    [
        "messagegroups/g/messages/index.html.yaml",
        "messagegroups/g/messages/a.hdr.yaml",
        "messagegroups/index.html/messages/a.yaml",
        "schemagroups/g/schemas/s/versions/a.hdr.json",
    ],
)
def test_ids_that_are_files_already_are_refused(tmp_path: Path, file: str) -> None:
    """An id that is the name of another file is one line, be it that of a group, a resource or a version."""
    registry = registry_of(
        tmp_path, {file: "{}", "schemagroups/g/schemas/s/schema.yaml": "format: JsonSchema/draft-07\n"}
    )
    with pytest.raises(XregitError, match="another id"):
        api_files(registry, BASE)


DOCUMENTS = {"schemagroups/g/schemas/s": "application/xml"}


FILES = {name: data.decode() for name, data in host_files("https://example.com/api", DOCUMENTS).items()}


def test_no_folder_is_left_out_by_pages() -> None:
    """GitHub Pages drops what begins with an underscore, unless this file is there."""
    assert FILES[".nojekyll"] == ""


def test_headers_take_back_what_holds_for_all() -> None:
    """Cloudflare joins what several rules say, so the rule for a document begins by taking the type away."""
    blocks = FILES["_headers"].split("\n/")
    assert blocks[0].splitlines() == [
        "/*",
        "  Content-Type: application/json",
        "  Access-Control-Allow-Origin: *",
        "  Content-Security-Policy: sandbox",
        "  Link: <https://example.com/api/>; rel=xregistry-root",
    ]
    document = ["  ! Content-Type", "  Content-Type: application/xml"]
    assert [block.splitlines() for block in blocks[1:]] == [
        ["schemagroups/g/schemas/s", *document],
        ["schemagroups/g/schemas/s/", *document],
    ]


def test_azure_takes_the_first_route_that_fits() -> None:
    """The documents come first, then the route for all others."""
    value = json.loads(FILES["staticwebapp.config.json"])
    assert value["globalHeaders"]["Access-Control-Allow-Origin"] == "*"
    assert [(route["route"], *route["headers"].values()) for route in value["routes"]] == [
        ("/schemagroups/g/schemas/s", "application/xml"),
        ("/*", "application/json"),
    ]


def test_nginx_snippet_has_the_path_of_the_address() -> None:
    """The locations begin with the path at which the API is served."""
    lines = FILES["nginx.conf"].splitlines()
    assert "https://example.com/api/" in lines[0]
    assert lines[0].endswith("Its root holds this folder at the path /api/.")
    assert [line.split("{")[0].strip() for line in lines[1:]] == [
        "location = /api",
        "location /api/",
        "location = /api/schemagroups/g/schemas/s",
    ]


def test_no_script_of_a_document_runs() -> None:
    """A document may be HTML, or XML with scripts in it: every host tells browsers to run none."""
    files = {name: data.decode() for name, data in host_files("https://example.com/api", {"a": "text/html"}).items()}
    assert json.loads(files["staticwebapp.config.json"])["globalHeaders"]["Content-Security-Policy"] == "sandbox"
    assert "/*\n" in files["_headers"]
    assert files["_headers"].count("  Content-Security-Policy: sandbox\n") == 1
    locations = [line for line in files["nginx.conf"].splitlines() if line.startswith("location")]
    assert all("add_header Content-Security-Policy sandbox always;" in line for line in locations)


def test_no_address_or_kind_leaves_its_place() -> None:
    """A registry that was not checked adds no header, rule or directive; an address need not be one."""
    kinds = {"a": 'application/xml; charset="utf-8"', "b": "text/plain\n  Set-Cookie: a=b"}
    files = {name: data.decode() for name, data in host_files("http://[::1/a'; return 301 $x;\n}{", kinds).items()}
    assert files["_headers"].count("\n") == 5 + 2 * 6
    nginx = files["nginx.conf"].splitlines()
    assert len(nginx) == 5
    assert all(line.startswith("location ") and line.count("$") == line.count("$uri") for line in nginx[1:])
    assert nginx[2].startswith("location /a%27%3B%20return%20301%20%24x%3B%0A%7D%7B/ {")
    assert 'default_type "application/xml; charset=\\"utf-8\\"";' in nginx[3]
