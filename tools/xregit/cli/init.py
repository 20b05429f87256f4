"""The commands ``init`` and ``schema``, which write files for a new registry and for editors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

import click

import xregit
from xregit.catalog import Registry
from xregit.catalog.codeowners import PLACES
from xregit.catalog.views import text_of
from xregit.cli.exchange import Source, note_import, print_learnt, protocol_option
from xregit.cli.output import as_json, note
from xregit.cli.parameters import NEAREST, output_folder, refuse_own_folder, with_registry
from xregit.document.learner import is_samples
from xregit.errors import XregitError
from xregit.installed import SOURCE, installation_record, source_address
from xregit.model import builtin, json_schemas
from xregit.model.aliases import CLOUDEVENTS, names
from xregit.model.language import Model
from xregit.rules.declared_rules import WAIVABLE
from xregit.source.atomic_write import edit_lock, write_files
from xregit.source.repository import current_branch, find
from xregit.source.yaml_emitter import to_yaml

_REQUIREMENT = re.compile(r"(xregit(?:\[[a-z]+\])?) @ SOURCE")
# What always stays the same: a commit, or a file by its hash.
_PIN = re.compile(r"@(?:[0-9a-f]{40}|[0-9a-f]{64})(?:#|$)|#(?:.*&)?sha256=[0-9a-f]{64}")
# Nobody can own this host (RFC 6761), as somebody could own a name that no index has yet.
_UNKNOWN_SOURCE = "git+https://source-of-xregit.invalid/xregit@COMMIT"
# What hosts and pre-commit look for at the top of a repository alone.
_AT_THE_TOP = ".github and .pre-commit-config.yaml"
#: The branch whose commits are built, as the template's workflow and README name it.
PUBLISHED = "main"


def existing_file(folder: Path, path: str) -> str:
    """Return the file of a folder that keeps one of the template from being written, or nothing.

    Hosts read one CODEOWNERS alone, so that another one in a place that counts before would undo it.
    """
    places = PLACES if path in PLACES else (path,)
    return next((place for place in places if (folder / place).exists()), "")


def manual_steps(folder: Path, existing: Iterable[str]) -> Iterator[str]:
    """Yield what is left to do by hand after a registry was written into a folder that was not empty."""
    names = ", ".join(existing)
    if names:
        yield f'Note: kept as it was: {names}; "xregit init" in an empty folder shows what init would have written.'
    top = find(folder)
    if top and top != folder.resolve():
        below = folder.resolve().relative_to(top).as_posix()
        yield (
            f'Note: "{below}" is a folder of a repository; {_AT_THE_TOP} are only read at its top: move them there, '
            f'prefix their paths with {below}/, and run the workflows\' steps with "working-directory: {below}".'
        )
    branch = current_branch(top) if top else ""
    if branch not in {"", PUBLISHED}:
        yield (
            f'Note: publish.yml builds what is merged into "{PUBLISHED}"; if the branch for that is "{branch}" here, '
            "name it there, and as branch in registry/xregit.yaml."
        )


SCHEMAS = Path("build", "schemas")
_OWNERS = ".github/CODEOWNERS"
_EXAMPLES = ("registry/messagegroups/", "registry/endpoints/", "registry/schemagroups/")
FROM_HERE = (
    "Note: this xregit was installed from a local folder; workflows, hooks and README fail "
    f"until {_UNKNOWN_SOURCE} in them is replaced by a value for --source."
)


@click.command()
@click.argument("folder", metavar="[DIR]", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option(
    "--source",
    metavar="URL",
    default="",
    help="Where workflows and hooks get xregit from, such as git+https://git.example.com/xregit@COMMIT; by default "
    "where this one came from.",
)
@click.option(
    "--from",
    "origins",
    metavar="SOURCE",
    multiple=True,
    type=Source(),
    help="Source to import in place of the examples, as xregit import does; may be repeated.",
)
@click.option("--group", default="", metavar="ID", help="Id of the groups that --from creates.")
@protocol_option
def init(folder: Path, source: str, origins: tuple[Path | str, ...], group: str, protocol: str) -> int:
    """Write the files of a new registry and its repository.

    DIR is by default the working directory. The registry gets one message group with a message, its schema and an
    endpoint as examples, or with --from what a source has: an AsyncAPI document, a folder of schemas, a schema registry
    or an EventCatalog, or samples of messages as learn takes them. Its repository gets workflows for GitHub, hooks for
    pre-commit, settings of editors and the configuration of a site. No file is overwritten; if a source can't be
    imported, nothing is written.
    """
    requirement = package_requirement(source)
    existing = sorted({name for path, _ in template() if (name := existing_file(folder, path))})
    imported: dict[str, bytes] = {}
    if origins:
        refuse_registry(folder)
        imported = _import(origins, folder / "registry", group, protocol)
        if not imported:
            note("Nothing was written.")
            return 1
    paths = create_registry(folder, requirement, imported)
    here = folder.resolve() == Path.cwd()
    note(f"Wrote {len(paths)} files to {'this folder' if here else folder}.")
    if _UNKNOWN_SOURCE in requirement:
        note(FROM_HERE)
    for text in manual_steps(folder, existing):
        note(text)
    first = ("" if here else f"cd {folder}", "" if find(folder) else f"git init -b {PUBLISHED}")
    note(f"Next: {', then '.join(filter(None, (*first, 'xregit check')))}, then xregit build; README.md says more.")
    return 0


def _import(origins: tuple[Path | str, ...], home: Path, group: str, protocol: str) -> dict[str, bytes]:
    """Return the files of the registry that sources make, by paths in a repository, and report; none if it fails."""
    with TemporaryDirectory() as scratch:
        into = Path(scratch, "registry")
        samples = [origin for origin in origins if is_samples(origin)]
        documents = [origin for origin in origins if origin not in samples]
        reports = []
        if documents:
            reports.append(xregit.import_documents(documents, into, group=group, protocol=protocol, home=home))
            note_import(reports[-1])
        if samples and not any(report.failed for report in reports):
            learnt = xregit.learn(samples, into, group or "learnt")
            print_learnt(learnt)
            reports.append(learnt.written)
        if any(report.failed for report in reports):
            return {}
        files = {f"registry/{name}": (into / name).read_bytes() for report in reports for name in report.files}
        registry = xregit.read(into)
        files |= schemas(registry.model, common_selectors(registry))
        if set(registry.attributes) <= {"registryid"}:
            files.pop("registry/registry.yaml", None)  # the template says more
            title = _title(registry) if len(origins) == 1 and not samples else ""
            if title:
                own = dict(template())["registry/registry.yaml"].decode()
                name = to_yaml({"name": title})
                files["registry/registry.yaml"] = own.replace("name: Message catalog\n", name).encode()
    return files


def _title(registry: Registry) -> str:
    """Return the title of the source, with which the names of all imported groups begin, or nothing."""
    groups = [text_of(group.attributes, "name") for group in registry.all_groups]
    title = min(filter(None, groups), key=len, default="")
    return title if all(name.startswith(title) for name in groups if name) else ""


def refuse_registry(folder: Path) -> None:
    """Refuse a folder where there is a registry.

    Raises:
        XregitError: there is one.
    """
    if (folder / NEAREST).exists():
        raise XregitError(f'"{folder / NEAREST}" already exists; init only writes where there is no registry')


def create_registry(
    folder: Path, requirement: str = f" @ {_UNKNOWN_SOURCE}", imported: Mapping[str, bytes] | None = None
) -> tuple[str, ...]:
    """Write the files of the template below a folder, and return their relative paths.

    What installs xregit asks for it with the requirement behind its name. Files that were ``imported`` take the place
    of the examples.

    Raises:
        XregitError: there is a registry already; nothing is written then.
    """
    with edit_lock(folder):
        refuse_registry(folder)
        own = {path: set_requirement(requirement, data) for path, data in template()}
        if imported:
            own = {path: data for path, data in own.items() if not path.startswith(_EXAMPLES)} | dict(imported)
            own[_OWNERS] = b"".join(line for line in own[_OWNERS].splitlines(keepends=True) if b"orders" not in line)
        else:
            own |= schemas(builtin(), {"envelope": CLOUDEVENTS})
        files = {path: data for path, data in own.items() if not existing_file(folder, path)}
        write_files(folder, files)
    return tuple(files)


def template() -> Iterator[tuple[str, bytes]]:
    """Yield the files of a new registry: relative path and bytes."""
    with as_file(files("xregit.cli") / "template") as root:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                # Kept without the dot, since packaging, Git and editors would take the file for their own.
                relative = f"/{path.relative_to(root).as_posix()}".replace("/dot-", "/.")
                yield relative[1:], path.read_bytes()
    # The site is built with the same where there is no such file.
    yield "site/mkdocs.yml", (files("xregit.pages") / "assets" / "mkdocs.yml").read_bytes()


def schemas(model: Model, implied: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield the JSON Schemas of a model where the template's editor settings expect them: relative path and bytes."""
    rules = (rule.name for rule in xregit.RULES if rule.about != "import")  # the severities of those are fixed
    for name, value in json_schemas(model, implied, rules, WAIVABLE).items():
        yield (SCHEMAS / name).as_posix(), as_json(value).encode() + b"\n"


def common_selectors(registry: Registry) -> dict[str, str]:
    """Return the envelope and the protocol that all messages have in common, where the model has them."""
    stated = {
        "envelope": {message.envelope for message in registry.messages} - {""},
        "protocol": {message.protocol for message in registry.messages} - {""},
    }
    return {
        selector: name
        for selector, values in stated.items()
        if len(values) == 1
        for name in values & {*names(selector)}
    }


@click.command()
@output_folder(SCHEMAS)
@with_registry
def schema(registry: Path, output: Path) -> None:
    """Write the JSON Schemas for checking YAML in editors.

    There is one for each kind of file; they know the attributes of this registry's own model too, and the envelope and
    protocol of its messages where all have the same.
    """
    refuse_own_folder(registry, output)
    catalog = xregit.read(registry)
    schema_files = schemas(catalog.model, common_selectors(catalog))
    files = {path.rpartition("/")[2]: data for path, data in schema_files}
    with edit_lock(output):
        write_files(output, files)
    note(f"Wrote {len(files)} JSON Schemas to {output}.")


def package_requirement(source: str) -> str:
    """Return what follows the name of xregit where pip installs it: ``source``, or where this one came from.

    It is one thing for ever: a commit, a file with its hash, or a release of the index that has it.

    Raises:
        XregitError: ``source`` is no address from which pip can install the same on every machine.
    """
    if source and not SOURCE.fullmatch(source):
        message = f'from "{source}" pip can\'t install on every machine; write it as git+https://git.example.com/xregit@COMMIT'
        raise XregitError(message)
    if source and not _PIN.search(source):
        message = f'"{source}" is not pinned to a version; end it with @ and a whole commit, or #sha256= and a hash'
        raise XregitError(message)
    record = installation_record()
    if not source and not record:
        return f"=={version('xregit')}"
    known = source or source_address(record)
    return f" @ {known if _PIN.search(known) else _UNKNOWN_SOURCE}"


def set_requirement(requirement: str, data: bytes) -> bytes:
    """Return a file of the template that asks for xregit with a requirement."""
    return _REQUIREMENT.sub(lambda match: f"{match[1]}{requirement}", data.decode()).encode()
