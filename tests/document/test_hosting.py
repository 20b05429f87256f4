"""What static hosts are told of each file."""

from __future__ import annotations

import json

from xregit.document.static_api import host_files

DOCUMENTS = {"schemagroups/g/schemas/s": "application/xml"}
FILES = {name: data.decode() for name, data in host_files("https://example.com/api", DOCUMENTS).items()}


def test_headers_take_back_what_holds_for_all() -> None:
    """Cloudflare joins what several rules say, so the rule for a document begins by taking the type away."""
    blocks = FILES["_headers"].split("\n/")
    assert blocks[0].splitlines() == [
        "/*",
        "  Content-Type: application/json",
        "  Access-Control-Allow-Origin: *",
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
        "location /api/",
        "location = /api/schemagroups/g/schemas/s",
    ]


def test_no_address_or_kind_leaves_its_place() -> None:
    """A registry that was not checked adds no header, rule or directive; an address need not be one."""
    kinds = {"a": 'application/xml; charset="utf-8"', "b": "text/plain\n  Set-Cookie: a=b"}
    files = {name: data.decode() for name, data in host_files("http://[::1/a'; return 301 $x;\n}{", kinds).items()}
    assert files["_headers"].count("\n") == 4 + 2 * 6
    nginx = files["nginx.conf"].splitlines()
    assert len(nginx) == 4
    assert all(line.startswith("location ") and line.count("$") == line.count("$uri") for line in nginx[1:])
    assert nginx[1].startswith("location /a%27%3B%20return%20301%20%24x%3B%0A%7D%7B/ {")
    assert 'default_type "application/xml; charset=\\"utf-8\\"";' in nginx[2]
