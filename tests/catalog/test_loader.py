"""A folder becomes a registry, and what is wrong with its files becomes diagnostics at their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.folders import folder, registry_of
from xregit.catalog import read_folder
from xregit.errors import XregitError
from xregit.rules import check

GROUP = "messagegroups/g/messagegroup.yaml"
MESSAGE = "messagegroups/g/messages/a.yaml"
OTHER = "messagegroups/g/messages/b.yaml"


def problems(root: Path, files: dict[str, str]) -> list[tuple[str, str, int]]:
    """Return what is wrong as (rule, file below the registry, line)."""
    result = registry_of(root, files).problems
    return [(item.rule, item.path.removeprefix("registry/"), item.line) for item in result]


def test_a_file_is_found_by_its_xid(tmp_path: Path) -> None:
    """The path of a file is the xid of what it holds."""
    registry = registry_of(tmp_path, {MESSAGE: "name: A\n"})
    assert registry["/messagegroups/g/messages/a"].name == "A"
    assert set(registry) == {"/messagegroups/g", "/messagegroups/g/messages/a"}
    assert len(registry) == 2


def test_ids_are_looked_up_with_their_case(tmp_path: Path) -> None:
    """An id in another case names nothing."""
    with pytest.raises(KeyError):
        registry_of(tmp_path, {MESSAGE: "name: A\n"})["/messagegroups/G"]


def test_a_percent_encoded_file_name_is_decoded(tmp_path: Path) -> None:
    """Ids may hold characters that file systems refuse."""
    registry = registry_of(tmp_path, {"messagegroups/g/messages/a%3Ab.yaml": "name: A\n"})
    assert registry["/messagegroups/g/messages/a:b"].name == "A"


def test_a_small_group_keeps_its_messages_inline(tmp_path: Path) -> None:
    """Inline messages are located inside their group's file."""
    registry = registry_of(tmp_path, {GROUP: "messages:\n  a: {name: A}\n  b: {name: B}\n"})
    assert [item.name for item in registry.messages] == ["A", "B"]
    entity = registry["/messagegroups/g/messages/b"].entity
    assert registry.origin.span(entity.place, ("name",)).line == 3


@pytest.mark.requirement("MSG-10")
def test_endpoints_hold_messages_of_their_own(tmp_path: Path) -> None:
    """A message belongs to a message group or to an endpoint."""
    registry = registry_of(tmp_path, {"endpoints/e/messages/a.yaml": "name: A\n"})
    assert registry["/endpoints/e/messages/a"].name == "A"


def test_a_schema_has_its_documents_as_versions(tmp_path: Path) -> None:
    """Versions are counted as people do, and the last is the default."""
    files = {f"schemagroups/g/schemas/s/versions/{n}.json": "{}" for n in (1, 2, 10)}
    files["schemagroups/g/schemas/s/schema.yaml"] = "format: JsonSchema/draft-07\n"
    schema = registry_of(tmp_path, files)["/schemagroups/g/schemas/s"]
    assert [version.id for version in schema.versions] == ["1", "2", "10"]
    assert schema.default.id == "10"
    assert schema.default.document.data == b"{}"
    assert schema.versions[0].attributes["format"] == "JsonSchema/draft-07"


@pytest.mark.parametrize("text", ["readonly: true\n", "meta: {readonly: true}\n"])
def test_what_is_of_all_versions_is_of_none(tmp_path: Path, text: str) -> None:
    """Attributes of the meta entity may stand by themselves or in it, and are no attributes of a version."""
    schema = "schemagroups/g/schemas/s/schema.yaml"
    entity = registry_of(tmp_path, {schema: f"format: Avro/1.11.0\n{text}"})["/schemagroups/g/schemas/s"].entity
    assert entity.meta == {"readonly": True}
    assert [dict(version.attributes) for version in entity.versions.values()] == [{"format": "Avro/1.11.0"}]


@pytest.mark.parametrize(
    "text", ["sampleurl: https://d.example/s\n", 'versions: {"1": {sampleurl: "https://d.example/s"}}\n']
)
def test_a_document_may_be_elsewhere(tmp_path: Path, text: str) -> None:
    """A version says so by an attribute named after its type, whatever type that is, beside or among its versions."""
    files = {
        "model.yaml": "groups: {shelfs: {singular: shelf, resources: {samples: {singular: sample}}}}\n",
        "shelfs/a/shelf.yaml": "name: A\n",
        "shelfs/a/samples/s/sample.yaml": text,
    }
    version = registry_of(tmp_path, files)["/shelfs/a/samples/s"].versions["1"]
    assert (version.document.data, version.document.url) == (None, "https://d.example/s")


CASES = {
    "an id defined twice": (
        {GROUP: "messages:\n  a: {name: A}\n", MESSAGE: "name: B\n"},
        [("duplicate-id", GROUP, 2)],
    ),
    "two documents of one version": (
        {
            "schemagroups/g/schemas/s/schema.yaml": "format: Avro/1.11.0\n",
            "schemagroups/g/schemas/s/versions/1.avsc": '"string"',
            "schemagroups/g/schemas/s/versions/1.json": '"string"',
        },
        [("duplicate-id", "schemagroups/g/schemas/s/versions/1.json", 0)],
    ),
    "a file of a type that a broken model may define": (
        {"model.yaml": "groups: [\n", "shelfs/a/shelf.yaml": "name: A\n", "shelf.yaml": "name: A\n"},
        [("yaml-syntax", "model.yaml", 1), ("misplaced-file", "shelf.yaml", 0)],
    ),
    "an id that differs from the path": ({MESSAGE: "name: A\nmessageid: b\n"}, [("mismatched-id", MESSAGE, 2)]),
    "a truncated file": ({MESSAGE: 'name: "A\n'}, [("yaml-syntax", MESSAGE, 1)]),
    "a NUL byte": ({MESSAGE: "name: A\0B\n"}, [("yaml-encoding", MESSAGE, 1)]),
    "an empty file": ({MESSAGE: ""}, [("yaml-empty", MESSAGE, 1)]),
    "a list at the top": ({MESSAGE: "- name: A\n"}, [("not-a-mapping", MESSAGE, 1)]),
    "a file of another kind": (
        {"messagegroups/g/notes.yaml": "a: b\n"},
        [("misplaced-file", "messagegroups/g/notes.yaml", 0)],
    ),
    "a wrong extension": (
        {"messagegroups/g/messages/a.yml": "name: A\n"},
        [("misplaced-file", "messagegroups/g/messages/a.yml", 0)],
    ),
    "all files with a wrong extension": (
        {
            "messagegroups/g/messagegroup.yml": "name: G\n",
            "messagegroups/g/messages/a.yml": "name: A\n",
            "schemagroups/g/schemagroup.yml": "name: G\n",
            "schemagroups/g/schemas/s/schema.yml": "format: Avro/1.11.0\n",
            "schemagroups/g/schemas/s/versions/1.avsc": '"string"',
            "xregit.yml": "title: T\n",
        },
        [
            ("misplaced-file", "messagegroups/g/messagegroup.yml", 0),
            ("misplaced-file", "messagegroups/g/messages/a.yml", 0),
            ("misplaced-file", "schemagroups/g/schemagroup.yml", 0),
            ("misplaced-file", "schemagroups/g/schemas/s/schema.yml", 0),
            ("misplaced-file", "xregit.yml", 0),
        ],
    ),
    "the same file with both extensions": (
        {MESSAGE: "name: A\n", MESSAGE.replace(".yaml", ".yml"): "name: B\n"},
        [("misplaced-file", MESSAGE.replace(".yaml", ".yml"), 0)],
    ),
    "a message in JSON": (
        {"messagegroups/g/messages/a.json": '{"name": "A"}\n'},
        [("misplaced-file", "messagegroups/g/messages/a.json", 0)],
    ),
    "an unknown group type": ({"queues/q/queue.yaml": "name: A\n"}, [("misplaced-file", "queues/", 0)]),
    "many files in a folder with nearly the right name": (
        {f"messagegroups/g/mesages/{name}.yaml": "name: A\n" for name in "abc"},
        [("misplaced-file", "messagegroups/g/mesages/", 0)],
    ),
    "many files in folders of a folder": (
        {"drafts/a/b.yaml": "name: A\n", "drafts/c.yml": "name: A\n", "drafts/a/d/e.yaml": "name: A\n"},
        [("misplaced-file", "drafts/", 0)],
    ),
    "a folder among messages": (
        {f"messagegroups/g/messages/old/{name}.yaml": "name: A\n" for name in "ab"},
        [("misplaced-file", "messagegroups/g/messages/old/", 0)],
    ),
    "documents in a folder with nearly the right name": (
        {
            "schemagroups/g/schemas/s/schema.yaml": "format: Avro/1.11.0\n",
            "schemagroups/g/schemas/s/version/1.avsc": '"string"',
            "schemagroups/g/schemas/s/version/2.avsc": '"string"',
        },
        [("misplaced-file", "schemagroups/g/schemas/s/version/", 0)],
    ),
    "a folder among documents": (
        {
            "schemagroups/g/schemas/s/schema.yaml": "format: Avro/1.11.0\n",
            "schemagroups/g/schemas/s/old/1.yaml": "a: b",
        },
        [("misplaced-file", "schemagroups/g/schemas/s/old/", 0)],
    ),
    "a folder below those of documents": (
        {
            "schemagroups/g/schemas/s/schema.yaml": "format: Avro/1.11.0\n",
            "schemagroups/g/schemas/s/versions/1/1.yaml": "a: b",
        },
        [("misplaced-file", "schemagroups/g/schemas/s/versions/1/", 0)],
    ),
    "readable notes beside": ({"messagegroups/g/README.md": "# g\n"}, []),
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("MessageGroups/g/messagegroup.yaml", 'Did you mean "messagegroups"? The group types are '),
        ("messagegroups/g/message/a.yaml", 'Did you mean "messages"? The file of each message group is '),
        ("queues/q/queue.yaml", "the group types are messagegroups, "),
    ],
)
def test_folder_with_nearly_the_right_name_is_told(tmp_path: Path, path: str, expected: str) -> None:
    """A file in a folder that is called wrong comes with the name that was meant, if there is one."""
    assert [item.help for item in registry_of(tmp_path, {path: "name: A\n"}).problems if item.help.startswith(expected)]


@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_reported_once_and_at_its_place(tmp_path: Path, case: str) -> None:
    """Each fault of a file gives exactly one diagnostic."""
    files, expected = CASES[case]
    assert problems(tmp_path, files) == expected


def test_a_wrong_extension_alone_hides_nothing_else(tmp_path: Path) -> None:
    """A message whose file ends in .yml is told its right name, and a reference to it is not told as one to nothing."""
    files = {"messagegroups/g/messages/a.yml": "name: A\n", OTHER: f"basemessage: /{MESSAGE.removesuffix('.yaml')}\n"}
    registry = registry_of(tmp_path, {GROUP: "description: A group.\n", **files})
    assert [item.help for item in registry.problems] == ['Rename it to "a.yaml".']
    assert "basemessage-not-found" not in {item.rule for item in check(registry).diagnostics}


def test_a_registry_file_with_a_wrong_extension_is_told(tmp_path: Path) -> None:
    """A folder whose registry.yaml is called registry.yml needs no new registry."""
    (tmp_path / "registry.yml").write_text("registryid: r\n")
    with pytest.raises(XregitError, match=r"rename its registry\.yml$"):
        read_folder(tmp_path)


def test_a_directory_where_a_file_should_be_is_a_diagnostic(tmp_path: Path) -> None:
    """A folder named like a message's file holds no message."""
    root = folder(tmp_path, {GROUP: "description: A group.\n"})
    (root / "messagegroups/g/messages/a.yaml").mkdir(parents=True)
    (root / "messagegroups/g/messages/a.yaml/b.yaml").write_text("name: B\n")
    assert [item.rule for item in read_folder(root).problems] == ["misplaced-file"]


def test_an_unreadable_file_is_a_diagnostic(nobodys_folder: Path) -> None:
    """A file without read permission is named, and the rest is read."""
    root = folder(nobodys_folder, {MESSAGE: "name: A\n", OTHER: "name: B\n"})
    (root / MESSAGE).chmod(0)
    registry = read_folder(root)
    assert [item.rule for item in registry.problems] == ["file-unreadable"]
    assert registry["/messagegroups/g/messages/b"].name == "B"


def test_a_huge_file_is_refused_without_being_read(tmp_path: Path) -> None:
    """A file of 100 MB is no message."""
    root = folder(tmp_path, {MESSAGE: "name: A\n"})
    with (root / MESSAGE).open("wb") as file:
        file.truncate(100_000_000)
    result = read_folder(root).problems
    assert len(result) == 1
    assert "MiB" in result[0].message


@pytest.mark.parametrize(
    ("wrong", "right", "xid"),
    [
        ("messagegroups/%67/messages/b.yaml", "messagegroups/g/messages/b.yaml", "/messagegroups/g/messages/b"),
        ("messagegroups/g/messages/%61.yaml", MESSAGE, "/messagegroups/g/messages/a"),
        ("messagegroups/g/messages/a%3ab.yaml", "messagegroups/g/messages/a%3Ab.yaml", "/messagegroups/g/messages/a:b"),
        ("messagegroups/g/messages/a:b.yaml", "messagegroups/g/messages/a%3Ab.yaml", "/messagegroups/g/messages/a:b"),
        ("endpoints/%65/endpoint.yaml", "endpoints/e/endpoint.yaml", "/endpoints/e"),
        ("schemagroups/s/schemas/%78/schema.yaml", "schemagroups/s/schemas/x/schema.yaml", "/schemagroups/s/schemas/x"),
    ],
)
def test_an_id_has_one_file_name(tmp_path: Path, wrong: str, right: str, xid: str) -> None:
    """A file or folder with another spelling of an id is not read; beside the right one, it is a duplicate."""
    files = {wrong: "description: Wrong.\n"}
    assert [rule for rule, *_ in problems(tmp_path / "one", files)] == ["misplaced-file"]
    registry = registry_of(tmp_path / "both", {**files, right: "description: Right.\n"})
    assert [item.rule for item in registry.problems] == ["duplicate-id"]
    assert registry[xid].description == "Right."


def test_a_version_has_one_file_name(tmp_path: Path) -> None:
    """So have the documents of schemas."""
    schema = "schemagroups/s/schemas/x"
    files = {f"{schema}/schema.yaml": "description: X.\n", f"{schema}/versions/%31.json": "false"}
    assert [rule for rule, *_ in problems(tmp_path / "one", files)] == ["misplaced-file"]
    registry = registry_of(tmp_path / "both", {**files, f"{schema}/versions/1.json": "true"})
    assert [item.rule for item in registry.problems] == ["duplicate-id"]
    (version,) = registry["/schemagroups/s/schemas/x"].versions
    assert version.document.data == b"true"


def test_a_link_is_refused(tmp_path: Path) -> None:
    """Nothing is read that a link leads to, waivers included: their owners would be others than those of the link."""
    root = folder(tmp_path, {MESSAGE: "name: A\n"})
    (tmp_path / "secret.yaml").write_text("name: secret\n")
    (root / "messagegroups/g/messages/b.yaml").symlink_to(tmp_path / "secret.yaml")
    (root / "waivers.yaml").symlink_to(MESSAGE)
    registry = read_folder(root)
    places = ["registry/messagegroups/g/messages/b.yaml", "registry/waivers.yaml"]
    assert [(item.path, item.rule) for item in registry.problems] == [(place, "file-link") for place in places]
    assert registry.waivers == {}
    (message,) = [message for message in registry.messages if message.id == "b"]
    assert dict(message.attributes) == {}


def test_a_folder_without_registry_yaml_is_no_registry(tmp_path: Path) -> None:
    """The error names the folder and the way out."""
    with pytest.raises(XregitError, match=r"no registry\.yaml"):
        read_folder(tmp_path)


def test_an_empty_registry_is_fine(tmp_path: Path) -> None:
    """A registry may hold nothing yet."""
    registry = registry_of(tmp_path, {"registry.yaml": "registryid: empty\n"})
    assert registry.problems == ()
    assert len(registry) == 0


def test_a_model_adds_whole_group_types(tmp_path: Path) -> None:
    """What model.yaml declares is read like what the specification declares."""
    files = {
        "model.yaml": """
            groups:
              teams:
                singular: team
                attributes: {mail: {type: string}}
                resources:
                  members:
                    singular: member
                    hasdocument: false
                    maxversions: 1
                    attributes: {role: {type: string}}
        """,
        "teams/red/team.yaml": "mail: red@example.com\n",
        "teams/red/members/ann.yaml": "role: lead\n",
    }
    registry = registry_of(tmp_path, files)
    assert registry.problems == ()
    assert registry["/teams/red"].attributes == {"mail": "red@example.com"}
    assert registry["/teams/red/members/ann"].attributes == {"role": "lead"}
