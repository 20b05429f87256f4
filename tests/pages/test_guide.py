"""What the README and the hand-written pages show as right is right."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from itertools import pairwise
from pathlib import Path

import click
import pytest
import yaml

import xregit
from tests.catalog.folders import registry_of
from xregit.catalog import read_folder
from xregit.cli import commands
from xregit.diagnostics import Severity
from xregit.pages.builder import build_site
from xregit.protocols import read_wire
from xregit.rules import check, rule_named
from xregit.source.yaml_formatter import UnformattableError, format_yaml

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "site" / "manual").glob("*.md")))
RULE_PAGES = sorted((ROOT / "tools" / "xregit" / "rules" / "docs").glob("*.md"))
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
EXAMPLE = re.compile(r"`registry/(\S+\.(?:yaml|json))`[^\n]*\n\n```(?:yaml|json)\n(.*?)```", re.DOTALL)
FENCE = re.compile(r"^```(?P<language>[^\n]*)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
# What ends a command in a shell: a remark, a pipe, a redirection.
END = re.compile(r"\s#\s|[|<>]")
TODAY = date(2026, 6, 1)
FOLDERS = ("tests/", "tools/", ".ci/", ".github/", "site/")


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a language in a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [found["text"] for found in FENCE.finditer(text) if found["language"] == language]


def command_lines(text: str) -> Iterator[str]:
    """Give what stands behind `xregit` in the blocks and in the sentences of a page."""
    for found in FENCE.finditer(text):
        lines = re.sub(r"\\\n\s*", "", found["text"]).splitlines()
        yield from (END.split(line)[0] for each in lines for line in re.findall(r"(?:^|[\s/])xregit (\S.*)", each))
    for code in CODE.findall(FENCE.sub("", text)):
        yield from re.findall(r"^(?:\S+=\S+ )?xregit ([^|]+)", " ".join(code.split()))


def parameters(name: str) -> dict[str, click.Parameter]:
    """Return the options of a command, by all names that they have."""
    command = commands.xregit.get_command(click.Context(commands.xregit), name)
    assert command is not None, name
    commands_ = command.commands.values() if isinstance(command, click.Group) else (command,)
    return {option: each for one in commands_ for each in one.params for option in each.opts if option.startswith("-")}


def wrong_in(line: str) -> list[str]:
    """Return what a command line has that the command lacks."""
    words = line.split()
    at = 2 if words[0] == "--registry" else 0
    name, rest = words[at], words[at + 1 :]
    if name in {"COMMAND", "[--registry"}:
        return []
    if name not in commands.COMMANDS:
        return [line]
    known = parameters(name)
    unknown = [word for word in rest if re.match("--?[a-z]", word) and word not in known]
    kinds = [(known[one].type, other) for one, other in pairwise(rest) if one in known]
    return unknown + [value for kind, value in kinds if isinstance(kind, click.Choice) and value not in kind.choices]


@every_page
def test_commands_of_a_page_exist(page: Path) -> None:
    """Each command that a page names is there, with the options and values that stand behind it."""
    lines = list(command_lines(page.read_text(encoding="utf-8")))
    assert [(line, wrong) for line in lines if (wrong := wrong_in(line))] == []


def test_wrong_commands_would_be_seen() -> None:
    """A command, an option and a value that nobody knows are found where they stand."""
    text = (
        "```sh\nxregit chek   # all\n.venv/bin/xregit diff main --form x | a\n```\nSay `xregit compile --view\nlong`."
    )
    lines = list(command_lines(text))
    assert [wrong_in(line) for line in lines] == [["chek  "], ["--form"], ["long"]]


@pytest.mark.parametrize("name", commands.COMMANDS)
@pytest.mark.parametrize("page", ["README.md", "site/manual/commands.md"])
def test_tables_of_commands_are_true(page: str, name: str) -> None:
    """Both tables have a row for each command, whose options are its own."""
    rows = re.findall(rf"^\| `(?:xregit )?{name}[ `].*", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 1
    own = (code for code in CODE.findall(rows[0]) if code.split()[0] not in commands.COMMANDS.keys() - {name})
    named = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(own))
    assert set(named) - parameters(name).keys() == set()
    for option, values in re.findall(r"(--[a-z]+) ([a-z]+(?:\\\|[a-z]+)+)", rows[0]):
        kind = parameters(name)[option].type
        assert isinstance(kind, click.Choice)
        assert list(kind.choices) == values.split("\\|")


@every_page
def test_files_of_a_page_exist(page: Path) -> None:
    """Each file or folder of ours that a page names is there."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    words = {word.partition("::")[0] for code in CODE.findall(text) for word in code.split()}
    assert [word for word in words if word.startswith(FOLDERS) and not list(ROOT.glob(word))] == []


def test_modules_of_the_architecture_exist() -> None:
    """So is each file of the package that the page about its inside names."""
    text = FENCE.sub("", (ROOT / "site/manual/architecture.md").read_text(encoding="utf-8"))
    named = [name for name in CODE.findall(text) if re.fullmatch(r"[a-z_/]+\.(py|js)|[a-z_]+/[a-z_/]+\.yaml", name)]
    assert len(named) >= 30
    package = ROOT / "tools" / "xregit"
    assert [name for name in named if not list(package.rglob(name)) and not (ROOT / name).is_file()] == []


@every_page
def test_rules_of_a_page_exist(page: Path) -> None:
    """Each rule that a page explains, or whose page it leads to, is there."""
    result = re.findall(r"xregit explain ([a-z-]+)|\(check-rules/([a-z-]+)/", page.read_text(encoding="utf-8"))
    assert [name for each in result for name in each if name and rule_named(name) is None] == []


def findings(folder: Path) -> list[str]:
    """Return what is wrong with a registry, without remarks."""
    diagnostics = check(read_folder(folder), TODAY).diagnostics
    return [f"{item.path}: {item.message}" for item in diagnostics if item.severity is not Severity.INFO]


@pytest.fixture
def doors(tmp_path: Path) -> Path:
    """Return the registry of the files that the authoring guide shows."""
    shown = dict(EXAMPLE.findall((ROOT / "site/manual/authoring.md").read_text(encoding="utf-8")))
    for name, text in {**shown, "registry.yaml": "registryid: guide\n"}.items():
        path = tmp_path / "registry" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert len(shown) >= 9
    return tmp_path / "registry"


def test_authoring_examples_are_a_sound_registry(doors: Path) -> None:
    """The files that the authoring guide shows, put together, have no fault and lack nothing."""
    assert findings(doors) == []


def test_authoring_parts_are_sound(doors: Path) -> None:
    """So it is with the parts of files: other protocols, a version's own attributes, a deprecation, remarks."""
    message = doors / "messagegroups/doors/messages/doors.opened.yaml"
    (message.parent / "doors.unlocked.yaml").write_text(message.read_text().replace("opened", "unlocked"))
    schema = doors / "schemagroups/doors/schemas"
    shutil.copytree(schema / "opened", schema / "unlocked")
    parts = [
        text for text in blocks("site/manual/authoring.md", "yaml") if text.startswith(("protocol:", "deprecated:"))
    ]
    assert len(parts) == 3
    (doors / "endpoints/doors-broker/messages").mkdir()
    for number, part in enumerate(parts):
        name = message.with_name(f"doors.part{number}.yaml")
        name.write_text(message.read_text().replace("doors.opened", f"doors.part{number}") + part)
    (versions,) = (text for text in blocks("site/manual/authoring.md", "yaml") if text.startswith("versions:"))
    (schema / "opened/versions/2.json").write_text((schema / "opened/versions/1.json").read_text() + "\n")
    with (schema / "opened/schema.yaml").open("a") as file:
        file.write(versions)
    assert findings(doors) == []


def test_accepted_findings_are(doors: Path) -> None:
    """The comments that the authoring guide shows accept what would be found without them."""
    (shown,) = (text for text in blocks("site/manual/authoring.md", "yaml") if "xregit: ignore" in text)
    message = doors / "messagegroups/doors/messages/doors.opened.yaml"
    text = message.read_text()
    message.write_text(text.replace("envelopemetadata:\n", shown))
    assert findings(doors) == []
    message.write_text(text.replace("envelopemetadata:\n", re.sub(r"# xregit.*", "", shown)))
    assert len(findings(doors)) == 2


def test_settings_for_changes_are_read(tmp_path: Path) -> None:
    """The settings, the drafts, the deprecation and the waiver that the guide shows let through what it says."""
    shown = blocks("site/manual/changing.md", "yaml")
    by_key = {re.sub(r"^#.*\n", "", text).partition(":")[0]: text for text in shown}
    registry = shutil.copytree(ROOT / "registry", tmp_path / "registry", ignore=lambda *_: {"xregit.yaml"})
    (registry / "xregit.yaml").write_text(by_key["rules"])
    for name in ("tides", "internal.tides"):
        (registry / "messagegroups" / name).mkdir()
        (registry / "messagegroups" / name / "messagegroup.yaml").write_text(by_key["description"])
    with (registry / "messagegroups/fleet.trips/messages/fleet.trip.ended.yaml").open("a") as file:
        file.write(by_key["deprecated"])
    assert not [text for text in findings(registry) if re.search(r"xregit\.yaml|tides|trip\.ended", text)]
    before = xregit.load(registry)
    (registry / "waivers.yaml").write_text(by_key["waivers"])
    agreed = xregit.load(registry)
    moved = registry / "messagegroups/fleet.history/messages/fleet.fault.raised.yaml"
    moved.write_text(re.sub(r"topic: .*", "topic: elsewhere", moved.read_text()))
    broken = xregit.load(registry)
    reviews = [xregit.review(xregit.diff(base, broken), base, broken, today=TODAY) for base in (before, agreed)]
    assert [review.failed for review in reviews] == [True, False]


def test_action_and_hooks_of_the_guide_exist() -> None:
    """The inputs that it gives to our action, the hooks and the checkout are those of the repository."""
    text = (ROOT / "site/manual/pull-requests.md").read_text(encoding="utf-8")
    action = yaml.safe_load((ROOT / ".github/actions/check/action.yml").read_text(encoding="utf-8"))
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (steps,) = (block for block in blocks("site/manual/pull-requests.md", "yaml") if "uses:" in block)
    checkout, ours = yaml.safe_load(steps)
    assert checkout["uses"] in (ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8")
    assert ours["uses"] == "OWNER/REPOSITORY/.github/actions/check@COMMIT"
    assert ours["with"].keys() <= action["inputs"].keys()
    assert re.findall(r"- id: (\S+)", text) == ["xregit-fmt", "xregit-check"]
    assert {hook["id"] for hook in hooks} == {"xregit-fmt", "xregit-check"}


def test_message_of_the_readme_is_sound(tmp_path: Path) -> None:
    """Added to the example catalog, the check remarks on nothing but that nothing carries it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ((name, message),) = re.findall(r"`registry/(\S+weighed\.yaml)`:\n\n```yaml\n(.*?)```", text, re.DOTALL)
    registry = shutil.copytree(ROOT / "registry", tmp_path / "registry")
    before = {item.message for item in check(read_folder(registry)).diagnostics}
    (registry / name).write_text(message)
    results = [item for item in check(read_folder(registry)).diagnostics if item.message not in before]
    assert [(item.rule, item.severity) for item in results] == [("uncarried-message", Severity.INFO)]


def test_shell_of_the_readme_goes_on() -> None:
    """Its first command activates the environment in which all others run, and CI ends with its line for the tests."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first, *others = blocks("README.md", "sh")
    assert first.startswith("python3 -m venv .venv && . .venv/bin/activate && ")
    tests = next(line for line in others if "pytest" in line)
    assert tests.startswith(first.partition(" pip ")[0])
    assert text.count(".venv/bin/") == first.count(".venv/bin/") + tests.count(".venv/bin/")
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").endswith(f"\n{tests}")
    assert tests in (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")


def test_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it shows of Python runs in a clone."""
    (program,) = blocks("README.md", "python")
    monkeypatch.chdir(ROOT)
    exec(compile(program, "README.md", "exec"), {})  # noqa: S102 - our own page


def test_message_on_the_wire_is_one() -> None:
    """The message that the page shows is read, and written as it stands there."""
    (text,) = blocks("site/manual/wire.md", "json")
    assert read_wire(json.loads(text)).as_json() == json.loads(text)


def test_import_prints_what_the_page_on_dialects_shows(tmp_path: Path) -> None:
    """The document that it shows, imported as it says, gives the lines below."""
    (document,) = blocks("site/manual/dialects.md", "json")
    (console,) = blocks("site/manual/dialects.md", "console")
    (tmp_path / "catalog.cereg").write_text(document)
    prompt, _, printed = console.partition("\n")
    assert prompt == "$ xregit import catalog.cereg"
    command = [sys.executable, "-m", "xregit", *prompt.split()[2:]]
    process = subprocess.run(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, text=True
    )
    assert process.stdout == printed
    assert xregit.check(xregit.load(tmp_path / "registry")).counts["error"] == 0


@pytest.mark.client
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not here; .ci/debian installs it")
def test_document_is_prepared_for_a_server(tmp_path: Path) -> None:
    """What the page on other tools gives to jq leaves all but what a server refuses beside an alias."""
    upload, _ = (text for text in blocks("site/manual/other-tools.md", "sh") if "jq " in text)
    document = xregit.compile(xregit.load(ROOT / "registry"), profile="1.0-rc4")
    (tmp_path / "catalog.json").write_text(json.dumps(document))
    command, _, _ = upload.partition("\njq ")[2].partition("\nxr ")
    subprocess.run(["sh", "-ec", f"jq {command}"], cwd=tmp_path, check=True)
    result = json.loads((tmp_path / "upload.json").read_text())
    for value in (document, result):
        for group in value["messagegroups"].values():
            for message in group["messages"].values():
                if "xref" in message["meta"]:
                    keys = set(message) - ({"self", "xid", "metaurl"} if value is document else set())
                    assert keys == {"messageid", "meta"}
                    message.clear()
    assert result == document


@pytest.mark.client
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not here; .ci/debian installs it")
def test_what_left_the_catalog_is_named_for_a_server(tmp_path: Path) -> None:
    """What the page gives to jq leaves the xids of entities that are gone, and of no other change."""
    _, removal = (text for text in blocks("site/manual/other-tools.md", "sh") if "jq " in text)
    message = "messagegroups/g/messages"
    before = {
        f"{message}/gone.yaml": "{}",
        f"{message}/kept.yaml": "{name: A, labels: {a: b}}",
    }
    after = {f"{message}/new.yaml": "{}", f"{message}/kept.yaml": "{description: D.}"}
    registries = (registry_of(tmp_path / name, files) for name, files in (("a", before), ("b", after)))
    changes = {"changes": [change.as_json() for change in xregit.diff(*registries)]}
    (command,) = re.findall(r"jq -r '([^']*)'", removal)
    process = subprocess.run(
        ["jq", "-r", command], input=json.dumps(changes), capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == ["/messagegroups/g/messages/gone"]


@pytest.mark.parametrize("page", [*PAGES, *RULE_PAGES], ids=lambda page: page.stem)
def test_yaml_is_in_its_canonical_form(page: Path) -> None:
    """What one copies from a page is as "xregit fmt" leaves it; what it can't read is no file of a registry."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text[text.find("## Good") :] if page in RULE_PAGES else text):
        if found["language"] == "yaml":
            with suppress(UnformattableError):
                assert format_yaml(found["text"].encode()).decode() == found["text"]


def test_every_block_of_code_is_one_for_the_site() -> None:
    """A fence names a language alone or attributes in braces: the site shows one with other words as text."""
    lines = [(page.name, line) for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    fences = [(name, line) for name, line in lines if line.lstrip().startswith("```")]
    assert [each for each in fences if not re.fullmatch(r"\s*```(\w*|\{[^}]*\})", each[1])] == []


def test_branding_is_as_the_page_says(tmp_path: Path) -> None:
    """With its lines in the configuration, logo, colours and texts are a team's own, and the policy stays."""
    own = yaml.safe_load(blocks("site/manual/site.md", "yaml")[0])
    (style,) = blocks("site/manual/site.md", "css")
    files = {"mkdocs.yml": yaml.safe_dump({"site_name": "", "plugins": ["search", "xregit"], **own})}
    files |= {
        "docs/brand.css": style,
        "docs/logo.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
        "docs/more.md": "# More",
    }
    for name, text in files.items():
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text, encoding="utf-8")
    registry = registry_of(tmp_path, {"registry.yaml": "name: Acme\ndescription: |\n  Our messages.\n\n  And more.\n"})
    build_site(registry, tmp_path / "out", tmp_path / "site" / "mkdocs.yml")
    start = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    parts = ('src="logo.svg"', 'data-md-color-primary="custom"', 'href="brand.css"', 'href="more/"', own["copyright"])
    assert [part for part in (*parts, "Content-Security-Policy") if part not in start] == []
    text = start[start.index("<h1") :]
    assert text.index("Our messages.") < text.index("About") < text.index("And more.")
    assert (tmp_path / "out" / "brand.css").read_text(encoding="utf-8") == style
