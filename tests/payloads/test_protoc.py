"""Our reader of .proto files against Google's compiler: the same descriptors, and the same files refused."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import yaml
from google.protobuf import descriptor_pb2

from tests.payloads.test_cases import FOLDER
from tests.payloads.test_real_schemas import of_catalog, published
from xregit.catalog import read_folder
from xregit.payloads import SchemaError
from xregit.payloads.document import Document
from xregit.payloads.protobuf.linking import link

if TYPE_CHECKING:
    from pathlib import Path

MORE = (
    'syntax = "proto3"; message message { string message = 1; string option = 2; repeated string oneof = 3; }',
    "message A { optional string s = 1 [default = 'a\\tb\\\"']; optional double d = 2 [default = -inf]; }",
    'syntax = "proto3"; package a.b; message C { .a.b.D d = 1; b.D e = 2; message D { D d = 1; } } message D {}',
    'syntax = "proto3"; option java_package = "a"; message A { reserved 2, 4 to 6; reserved "x"; int32 a = 0x10; }',
    'syntax = "proto3"; message A { map<int32, string> some_map_name = 1 [json_name = "other"]; }',
    'syntax = "proto3"; enum E { option allow_alias = true; A = 0; B = 0; C = -1; } message M { E e = 1; }',
    'syntax = "proto3"; import "google/protobuf/struct.proto"; message A { google.protobuf.Struct s = 1; }',
    "message A { oneof x { string a = 1; int32 b = 2; } repeated int32 c = 3 [packed = true, deprecated = true]; }",
)
WRONG = (
    'syntax = "proto3"; message A { string a = 1 }',
    'syntax = "proto3"; message A { string a = 1; string a = 2; }',
    'syntax = "proto3"; message A { string a = 1; int32 b = 1; }',
    'syntax = "proto3"; message A { strin a = 1; }',
    'syntax = "proto3"; message A { required string a = 1; }',
    'syntax = "proto3"; message A { map<double, string> a = 1; }',
    'syntax = "proto3"; enum A { B = 1; }',
    'syntax = "proto3"; message A { reserved 1; string a = 1; }',
    "message A { string a = 1; }",
    'syntax = "proto4"; message A {}',
    "message A { optional string a = 19000; }",
    'syntax = "proto3"; message A {} }',
)


def protoc(folder: Path, text: str) -> bytes | None:
    """Return the descriptor that Google's compiler makes of a file, or None."""
    (folder / "document.proto").write_text(text, encoding="utf-8")
    out = folder / "descriptors"
    arguments = [f"-I{folder}", f"--descriptor_set_out={out}", "document.proto"]
    run = subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", *arguments], check=False, capture_output=True, cwd=folder
    )
    return out.read_bytes() if run.returncode == 0 else None


def ours(text: str) -> descriptor_pb2.FileDescriptorProto:
    """Return the descriptor that we make of a file."""
    found = descriptor_pb2.FileDescriptorProto()
    link(Document("Protobuf/3", text.encode())).file.CopyToProto(found)
    return found


def without_remarks(file: descriptor_pb2.FileDescriptorProto) -> descriptor_pb2.FileDescriptorProto:
    """Return a file's descriptor without what bears on no payload: options of the file, the form of JSON names."""
    file.ClearField("options")
    if file.syntax == "proto2":
        file.ClearField("syntax")
    waiting = list(file.message_type)
    while waiting:
        message = waiting.pop()
        waiting += message.nested_type
        for field in message.field:
            if field.json_name == camel(field.name):
                field.ClearField("json_name")
    return file


def camel(name: str) -> str:
    """Return the name of a field in JSON where none is stated."""
    first, *others = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in others)


def judged(text: str, folder: Path) -> None:
    """Hold our descriptor against that of Google's compiler."""
    compiled = protoc(folder, text)
    assert compiled is not None
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(compiled).file
    assert without_remarks(ours(text)) == without_remarks(file)


def documents(root: Path) -> list[str]:
    """Return the .proto files of the example catalog, of the cases and those above."""
    catalog = [data.decode() for _, form, data, _ in of_catalog(read_folder(root / "registry")) if "Protobuf" in form]
    cases = yaml.safe_load((FOLDER / "protobuf.yaml").read_text(encoding="utf-8"))
    return [*dict.fromkeys(catalog), *(case["document"] for case in cases), *MORE]


def test_descriptors_are_those_of_protoc(root: Path, tmp_path: Path) -> None:
    """Both compilers make the same of a file."""
    for text in documents(root):
        judged(text, tmp_path)


def test_published_files_are_read_as_protoc_does(shared: Path, tmp_path: Path) -> None:
    """So they do of published ones, or both refuse them."""
    for _, form, data, _ in published(shared / "corpus" / "docs"):
        if "proto" in form.casefold():
            if protoc(tmp_path, data.decode()) is None:
                with pytest.raises(SchemaError):
                    ours(data.decode())
            else:
                judged(data.decode(), tmp_path)


@pytest.mark.parametrize("text", WRONG)
def test_wrong_files_are_refused_by_both(text: str, tmp_path: Path) -> None:
    """What Google's compiler refuses, ours refuses too."""
    assert protoc(tmp_path, text) is None
    with pytest.raises(SchemaError):
        ours(text)
