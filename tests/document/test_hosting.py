"""What static hosts are told of each file."""

from __future__ import annotations

import json

from xregit.document.hosting import host_files

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
