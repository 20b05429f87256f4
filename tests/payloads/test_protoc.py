"""Google's compiler within the process: what it writes and reads stays there, and what it finds is told."""

from __future__ import annotations

import subprocess
from threading import Thread

import pytest

from xregit.payloads import Problem, SchemaError, parse, problems

A = b'syntax = "proto3"; message A { string a = 1; }'
URI = "/schemagroups/g/schemas/s/versions/1"
RIGHT = (
    'syntax = "proto3"; message message { string message = 1; string option = 2; repeated string oneof = 3; }',
    "message A { optional string s = 1 [default = 'a\\tb\\\"']; optional double d = 2 [default = -inf]; }",
    'syntax = "proto3"; package a.b; message C { .a.b.D d = 1; b.D e = 2; message D { D d = 1; } } message D {}',
    'syntax = "proto3"; option java_package = "a"; message A { reserved 2, 4 to 6; reserved "x"; int32 a = 0x10; }',
    'syntax = "proto3"; message A { map<int32, string> some_map_name = 1 [json_name = "other"]; }',
    'syntax = "proto3"; enum E { option allow_alias = true; A = 0; B = 0; C = -1; } message M { E e = 1; }',
    'syntax = "proto3"; import "google/protobuf/struct.proto"; message A { google.protobuf.Struct s = 1; }',
    "message A { oneof x { string a = 1; int32 b = 2; } repeated int32 c = 3 [packed = true, deprecated = true]; }",
)


def problem(document: bytes, **files: bytes) -> Problem:
    """Return the one problem of a document beside others."""
    known = {f"/schemagroups/g/schemas/{name}": content for name, content in files.items()}
    with pytest.raises(SchemaError) as caught:
        parse("Protobuf/3", document, uri=URI, fetch=known.get)
    (result,) = caught.value.problems
    return result


def test_nothing_is_written_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither faults nor warnings, such as that a file without syntax is one of proto2."""
    parse("Protobuf/2", b"message A { optional int32 a = 1; }")
    assert problem(b"message B").kind == "syntax"
    assert capfd.readouterr().err == ""
    subprocess.run(["git", "--nonsense"], check=False)
    assert "nonsense" in capfd.readouterr().err


def test_threads_have_their_own_answers() -> None:
    """The compiler has one standard error; each call reads what it wrote itself."""
    result: dict[int, str] = {}

    def read(number: int) -> None:
        for _ in range(20):
            result[number] = problem(b'syntax = "proto3"; message A { T%d a = 1; }' % number).message

    threads = [Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert result == {number: f'"T{number}" is not defined' for number in range(8)}


def test_imports_of_imports_are_found() -> None:
    """With their comments, which are those of fields."""
    one = b'syntax = "proto3"; import "two.proto"; message One { Two two = 1; }'
    two = b'syntax = "proto3"; message Two {\n  int32 n = 1; // How many.\n}'
    known = {"/schemagroups/g/schemas/one": one, "/schemagroups/g/schemas/two": two}
    document = b'syntax = "proto3"; import "one.proto"; message A { One one = 1; }'
    schema = parse("Protobuf/3", document, uri=URI, fetch=known.get)
    assert schema.fields()[0].fields[0].fields[0].description == "How many."


def test_import_that_is_wrong_is_told_at_the_import() -> None:
    """What is wrong in the other file is said with its place there."""
    result = problem(b'syntax = "proto3";\nimport "one.proto"; message A {}', one=b'syntax = "proto3"; message')
    assert (result.kind, result.line, result.column) == ("reference", 2, 1)
    assert result.message == 'the import "one.proto" is wrong: one.proto:1:27: Expected message name'


def test_files_that_import_each_other_are_refused() -> None:
    """No compiler reads them."""
    document = b'syntax = "proto3"; import "one.proto"; message A {}'
    assert "ecursively imports itself" in problem(document, one=b'syntax = "proto3"; import "one.proto";').message


@pytest.mark.parametrize(
    "name", ["../up.proto", "/up.proto", "a/../up.proto", ".hidden/up.proto", "a\\\\up.proto", "a\\0b"]
)
def test_import_leads_nowhere_else(name: str) -> None:
    """Whatever the registry answers, nothing is written beside the folder that the compiler reads."""
    with pytest.raises(SchemaError) as caught:
        parse("Protobuf/3", f'syntax = "proto3"; import "{name}";'.encode(), uri=URI, fetch=lambda _: A)
    assert {item.kind for item in caught.value.problems} == {"reference"}


def test_each_line_has_one_problem() -> None:
    """What follows from a fault is left out, other faults are not."""
    result = problems("Protobuf/3", b'syntax = "proto3";\nmessage A {\n  X a = 1; X b = 2;\n  Y c = 3;\n}\n')
    assert [(item.line, item.column, item.message) for item in result] == [
        (3, 3, '"X" is not defined'),
        (4, 3, '"Y" is not defined'),
    ]


@pytest.mark.parametrize(
    ("format_", "document", "message", "help_"),
    [
        (
            "Protobuf/3",
            b'// First.\nedition = "2023"; message A {}',
            'the edition is "2023", but the format is Protobuf/3',
            'write "format: Protobuf/2023", or syntax = "proto3";',
        ),
        ("Protobuf/2023", A, 'the syntax is "proto3", but the format is Protobuf/2023', 'or edition = "2023";'),
        ("Protobuf/3", b"\n message A {}", "a file without syntax is proto2, but the format is", 'syntax = "proto3";'),
    ],
)
def test_edition_that_the_format_does_not_state_is_told(
    format_: str, document: bytes, message: str, help_: str
) -> None:
    """Where the document states it, or begins."""
    (result,) = problems(format_, document)
    assert message in result.message
    assert help_ in result.help
    first = document.index(document.lstrip()) if format_ == "Protobuf/3" and document[:1] == b"\n" else None
    assert (result.line, result.column) == ((2, 2) if first else (document.count(b"\n") + 1, 1))


@pytest.mark.parametrize("text", RIGHT)
def test_all_that_the_language_allows_is_read(text: str) -> None:
    """Keywords as names, names from the innermost scope outwards, options, reserved numbers and defaults."""
    assert problems("Protobuf/2" if "proto3" not in text else "Protobuf/3", text.encode()) == ()


def test_many_reserved_numbers_and_names_are_no_fault() -> None:
    """Only what overlaps makes the compiler slow: each message has numbers and names of its own."""
    numbers = ", ".join(f"{number}\tto {number + 1}" for number in range(1_000, 9_000, 2))
    names = ", ".join(f'"name{number}"' for number in range(1_000))
    body = f"reserved {numbers}; reserved {names}; oneof a {{ int32 b = 1; }} enum E {{ reserved {numbers}; F = 0; }}"
    text = f'syntax = "proto3"; message A {{ {body} }} message B {{ {body} }}'
    assert problems("Protobuf/3", text.encode()) == ()


def test_reserved_numbers_that_overlap_are_refused_at_once() -> None:
    """The compiler would name each pair: six seconds for 700 ranges that hold the same numbers."""
    text = f'syntax = "proto3"; message A {{ message B {{ reserved {"7 to max, " * 700} 7; }} int32 a = 1; }}'
    assert "too many numbers" in problem(text.encode()).message


def test_import_that_reserves_too_much_is_refused() -> None:
    """It would take as long as a document that does."""
    large = b'syntax = "proto3"; message B { reserved ' + b"1," * 5_000 + b"1; }"
    assert "too many numbers" in problem(b'syntax = "proto3"; import "one.proto";', one=large).message
