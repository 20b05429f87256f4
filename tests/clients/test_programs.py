"""The programs on messages' pages, through their languages' compilers with the real libraries, and at work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest

from tests.brokers import kafka, mqtt, nats, servers
from tests.brokers.transport import Carry
from tests.cache import CACHE
from tests.ports import HOST
from tests.waiting import PATIENCE_SECONDS, wait_until
from xregit import Matcher
from xregit.document import load
from xregit.messages.decoder import decode
from xregit.messages.example import example_context
from xregit.pages.code_samples import CodeSample, Place, code_samples
from xregit.pages.commands import readable
from xregit.pages.context import SiteContext
from xregit.pages.examples import programs, wire_examples
from xregit.protocols import Wire, read_wire

NOWHERE = Place("", {}, {})
# What would end a literal, a comment or a template in one of the languages, or is an escape in it.
AWKWARD = '"`\'\\ \\u0022 ${x} {{ x }} */ // <!-- </script> """ %s \u202e\u2028é😀'
SETTINGS = {
    "strict": True, "target": "es2022", "module": "nodenext", "moduleResolution": "nodenext", "types": ["node"],
    "moduleDetection": "force", "skipLibCheck": True, "esModuleInterop": True, "outDir": "out",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """Return a folder for each language with a program for each kind of message of the example, and awkward ones."""
    folder = tmp_path_factory.mktemp("programs")
    for number, made in enumerate((*(made for _, made in of_the_example(root)), *awkward())):
        for each in made:
            write(folder, f"p{number}", each)
    return folder


def of_the_example(root: Path) -> Iterator[tuple[Wire, tuple[CodeSample, ...]]]:
    """Yield one example of each kind with its programs: its protocol, its mode, its fields and its kind of payload."""
    catalog = load(root / "registry")
    site = SiteContext(catalog)
    kinds: set[object] = set()
    for message in catalog.messages:
        values = example_context(site.definition(message), site.message_schema(message).example)
        variants = [item for item in wire_examples(site, message, values) if item.wire and item.wire.protocol]
        for item in variants:
            shape = item.wire.as_json() if item.wire else {}
            kind = (item.protocol, item.mode, "body_base64" in shape, *sorted(shape))
            if kind not in kinds and (made := programs(site, message, values, [item])):
                kinds.add(kind)
                assert item.wire
                yield item.wire, made


def awkward() -> Iterator[tuple[CodeSample, ...]]:
    """Yield programs whose values are awkward, for each protocol."""
    event = {"specversion": "1.0", "id": "1", "type": AWKWARD, "source": "/a", "subject": AWKWARD}
    pairs = [{"name": "x", "value": AWKWARD}]
    for body in ({AWKWARD: [AWKWARD, 1.5, None, True, {}]}, [AWKWARD], AWKWARD):
        for wire in (
            {"protocol": "HTTP", "path": "/a", "headers": pairs, "body": body},
            {"protocol": "KAFKA", "topic": AWKWARD, "key": AWKWARD, "headers": {"x": AWKWARD}, "body": body},
            {"protocol": "KAFKA", "topic": "a", "headers": {f"ce_{name}": text for name, text in event.items()}},
            {"protocol": "MQTT/5.0", "topic_name": AWKWARD, "user_properties": pairs, "body": body},
            {"protocol": "MQTT/3.1.1", "topic_name": AWKWARD, "body": {**event, "data": body}},
            {"protocol": "AMQP/1.0", "properties": {"subject": AWKWARD}, "application-properties": {"x": AWKWARD}},
            {"protocol": "NATS", "subject": "a", "headers": pairs, "body": body},
        ):
            yield code_samples(read_wire(wire), NOWHERE, NOWHERE)


def write(folder: Path, name: str, sample: CodeSample) -> None:
    """Write both programs as their language has files."""
    for kind, text in (("send", sample.send), ("receive", sample.receive)):
        path = {
            "Python": f"python/{name}_{kind}.py",
            "TypeScript": f"typescript/{name}_{kind}.ts",
            "Java": f"java/{name}/{kind.capitalize()}.java",
            "Go": f"go/{name}_{kind}/main.go",
        }[sample.language]
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"{text}\n", encoding="utf-8")


def run(*command: str | Path, at: Path) -> str:
    """Run a program that must end well; return what it printed."""
    process = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, f"{process.stdout}\n{process.stderr}"[-6_000:]
    return process.stdout


def need(language: str, *tools: str) -> Path:
    """Return where the libraries of a language are; skip the test where they are not."""
    if not (CACHE / f"{language}-libraries" / "complete").exists() or not all(map(shutil.which, tools)):
        pytest.skip(f"the libraries of {language} are not here; .ci/programs installs them")
    return CACHE / f"{language}-libraries"


def typescript(folder: Path) -> Path:
    """Compile a folder of TypeScript; return that of JavaScript."""
    node = need("node", "node")
    (folder / "node_modules").symlink_to(node / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": SETTINGS, "include": ["*.ts"]}))
    run("node", node / "node_modules/typescript/bin/tsc", "-p", ".", at=folder)
    return folder / "out"


def go_build(folder: Path, *arguments: str) -> None:
    """Build what is below a folder, in a module that needs what the libraries do."""
    for name in ("go.mod", "go.sum"):
        shutil.copy(need("go", "go") / name, folder)
    run("go", "build", "-mod=mod", *arguments, at=folder)


def test_python_programs_have_the_right_types(folder: Path) -> None:
    """Mypy knows httpx, paho, CloudEvents and more."""
    # Clients that take headers as lists or maps have types that fit no one use of them.
    options = (
        "--ignore-missing-imports", "--no-strict-optional", "--check-untyped-defs", "--scripts-are-modules",
        "--disable-error-code=arg-type",
    )  # fmt: skip
    run(sys.executable, "-m", "mypy", "--config-file=", *options, *sorted(folder.glob("python/*.py")), at=folder)


def test_typescript_programs_compile(folder: Path) -> None:
    """TypeScript's compiler takes all, in its strict mode."""
    typescript(folder / "typescript")


def test_java_programs_compile(folder: Path, tmp_path: Path) -> None:
    """So does Java's, all at once in packages of their own."""
    java = need("java", "javac")
    sources = sorted((folder / "java").glob("*/*.java"))
    for source in sources:
        source.write_text(f"package {source.parent.name};\n{source.read_text(encoding='utf-8')}", encoding="utf-8")
    run("javac", "-proc:none", "-encoding", "utf-8", "-cp", f"{java}/*", "-d", tmp_path, *sources, at=folder)


def test_go_programs_compile(folder: Path) -> None:
    """And Go's, which refuses imports and names that nothing uses."""
    go_build(folder / "go", "./...")


def compile_all(language: str, folder: Path) -> None:
    """Compile the programs of a language, where that is needed to run them."""
    if language == "TypeScript":
        typescript(folder / "typescript")
    elif language == "Go":
        go_build(folder / "go", "-o", "bin/", "./...")


def command(language: str, folder: Path, name: str, kind: str) -> Sequence[str | Path]:
    """Return the command that runs a program, which sends or receives."""
    match language:
        case "Python":
            return sys.executable, folder / f"python/{name}_{kind}.py"
        case "TypeScript":
            return "node", folder / f"typescript/out/{name}_{kind}.js"
        case "Java":
            return "java", "-cp", f"{need('java', 'javac')}/*", folder / f"java/{name}/{kind.capitalize()}.java"
    return (folder / f"go/bin/{name}_{kind}",)


@pytest.mark.parametrize("mode", ["binary", "structured"])
@pytest.mark.parametrize("language", ["Python", "TypeScript", "Java", "Go"])
def test_what_programs_send_is_the_message(root: Path, tmp_path: Path, language: str, mode: str) -> None:
    """An event by HTTP, whose definition the matcher finds, with a new id; the payload is that of the example."""
    received: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            headers = [{"name": name.lower(), "value": value} for name, value in self.headers.items()]
            received.append({"protocol": "HTTP", "method": "POST", "path": self.path, "headers": headers, "body": body})
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    catalog = load(root / "registry")
    site = SiteContext(catalog)
    message = catalog["/messagegroups/luggage.arrivals/messages/luggage.bag.delayed"]
    values = example_context(site.definition(message), site.message_schema(message).example)
    wire = next(
        item.wire for item in wire_examples(site, message, values) if (item.protocol, item.mode) == ("HTTP", mode)
    )
    assert wire is not None
    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    place = Place(f"http://127.0.0.1:{server.server_port}", {}, {})
    write(tmp_path, "p", next(item for item in code_samples(wire, place, place) if item.language == language))
    compile_all(language, tmp_path)
    run(*command(language, tmp_path, "p", "send"), at=tmp_path)
    server.shutdown()
    server.server_close()
    matcher = Matcher(catalog)
    (sent,), example = (matcher.match(each) for each in received), matcher.match(wire)
    assert sent.matches == example.matches
    assert sent.outcome == "one"
    assert sent.event is not None
    assert example.event is not None
    assert sent.event["id"] != example.event["id"]
    changing = {"id": None, "time": None}
    assert {**sent.event, **changing} == {**example.event, **changing}


PROTON = str(CACHE / "proton")


class Broker(NamedTuple):
    """A broker at an address, with our own client, which sees what programs send."""

    protocol: str
    address: str
    carry: Carry


# Kafka's client for TypeScript has a native part, which npm gets by a script; .ci/programs runs none.
THROUGH_BROKERS = [
    (protocol, language)
    for protocol in ("KAFKA", "MQTT/5.0", "MQTT/3.1.1", "AMQP/1.0", "NATS")
    for language in ("Python", "TypeScript", "Go")
    if (protocol, language) != ("KAFKA", "TypeScript")
]


@pytest.fixture(scope="module")
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Run the broker of a protocol."""
    protocol, folder = request.param, tmp_path_factory.mktemp("broker")
    with ExitStack() as stack:
        if protocol == "KAFKA":
            port = stack.enter_context(servers.kafka(folder, partitions=1))
            carry = stack.enter_context(kafka.carrier(port))
        elif protocol == "NATS":
            port = stack.enter_context(servers.nats(folder))
            carry = stack.enter_context(nats.carrier(port))
        elif protocol == "AMQP/1.0":
            sys.path.append(PROTON)
            pytest.importorskip("proton", reason="Qpid Proton is not here; .ci/programs builds it")
            from tests.brokers import amqp

            port = stack.enter_context(servers.artemis(folder))
            carry = stack.enter_context(amqp.carrier(port, "topic://carried.#"))
        else:
            port = stack.enter_context(servers.mosquitto(folder))
            carry = stack.enter_context(mqtt.carrier(port, protocol))
        scheme = protocol.partition("/")[0].lower()
        yield Broker(protocol, f"{scheme}://{HOST}:{port}", carry)


def body_text(wire: Wire) -> str:
    """Return the longest word of a payload that is a text."""
    return max(re.findall(r"\w+", readable(wire.body or b"") or ""), key=len, default="")


@contextmanager
def running(program: Sequence[str | Path], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until the end of the block, which writes what it prints into a file."""
    with log.open("wb") as output, subprocess.Popen(program, stdout=output, stderr=output) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("broker", "language"), THROUGH_BROKERS, indirect=["broker"])
def test_programs_send_and_receive_through_brokers(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: Broker, language: str
) -> None:
    """The matcher finds the definition of what one sends, as of the example, and the other prints what it gets."""
    monkeypatch.setenv("PYTHONPATH", PROTON)
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    protocol, address, carry = broker
    matcher = Matcher(load(root / "registry"))
    wires = {f"p{n}": wire for n, (wire, _) in enumerate(of_the_example(root)) if wire.protocol == protocol}
    if language != "Python":
        wires = dict(list(wires.items())[:2])
    fields: dict[str, dict[str, Any]] = {}
    for name, wire in wires.items():
        options = {"AMQP/1.0": {"node": f"topic://carried.{name}"}, "KAFKA": {"topic": name}}.get(protocol, {})
        place = Place(address, options, {"consumergroup": f"{language}.{name}"})
        write(tmp_path, name, next(each for each in code_samples(wire, place, place) if each.language == language))
        fields[name] = {**({"topic": name} if protocol == "KAFKA" else {}), **wire.as_json()}
        carry(fields[name])  # after which there is the topic
    compile_all(language, tmp_path)
    with ExitStack() as stack:
        logs = {name: tmp_path / f"{name}.log" for name in wires}
        readers = {
            name: stack.enter_context(running(command(language, tmp_path, name, "receive"), log))
            for name, log in logs.items()
        }
        for name, wire in wires.items():

            def received(name: str = name, wire: Wire = wire) -> bytes:
                send = command(language, tmp_path, name, "send")
                arrived = matcher.match(carry(fields[name], lambda: run(*send, at=tmp_path)))
                assert arrived.matches == matcher.match(wire).matches, name
                return logs[name].read_bytes()

            wait_until(received, readers[name])  # until it has subscribed, a program gets nothing
            event = decode(wire)[0].event
            printed = logs[name].read_text(encoding="utf-8", errors="replace")
            assert (event["type"] if event else body_text(wire)) in printed, f"{name}: {printed}"
        assert [name for name, reader in readers.items() if reader.poll() is not None] == []
