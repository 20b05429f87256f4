"""The table of commands, and the group that imports one only when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import click

COMMANDS: Mapping[str, tuple[str, str]] = {
    "init": ("xregit.cli.init:init", "Write the files of a new registry and its repository."),
    "add": ("xregit.cli.edit:add", "Write the file of a new message, group, endpoint or schema, with comments."),
    "check": ("xregit.cli.check:check", "Check the registry against all rules."),
    "build": ("xregit.cli.build:build", "Check, then write document, static API, site and tables."),
    "compile": ("xregit.cli.exchange:compile_", "Write the registry as one xRegistry document."),
    "site": ("xregit.cli.build:site", "Build the site."),
    "publish": ("xregit.cli.spark:publish", "Write the catalog's tables with Spark."),
    "route": ("xregit.cli.spark:route", "Sort messages into tables by their definitions, with Spark."),
    "tables": (
        "xregit.cli.spark:tables",
        "Print the statements that create the tables, or the versions that hold a commit.",
    ),
    "spark-archive": ("xregit.cli.spark:spark_archive", "Write the packages that Spark's executors need."),
    "log": ("xregit.cli.diff:log", "Show the history of an entity."),
    "diff": ("xregit.cli.diff:diff", "Report what changed, and which clients it breaks."),
    "show": ("xregit.cli.show:show", "Show one entity."),
    "contract": ("xregit.cli.show:contract", "List the messages that an endpoint carries, and where each comes from."),
    "new": ("xregit.cli.messages:new", "Make a message from its definition."),
    "match": ("xregit.cli.messages:match", "Find the definitions that messages match."),
    "mcp": ("xregit.cli.mcp:mcp", "Serve the catalog to agents over the Model Context Protocol."),
    "fmt": ("xregit.cli.fmt:fmt", "Bring YAML files into their canonical form."),
    "rename": ("xregit.cli.edit:rename", "Change the id of an entity, and update all references to it."),
    "deprecate": ("xregit.cli.edit:deprecate", "Mark an entity as deprecated."),
    "import": ("xregit.cli.exchange:import_", "Turn documents and schemas into YAML files."),
    "learn": ("xregit.cli.exchange:learn", "Turn samples of messages into definitions."),
    "export": ("xregit.cli.exchange:export", "Write the catalog as AsyncAPI documents."),
    "explain": ("xregit.cli.check:explain", "Explain a rule, with a bad and a good example."),
    "schema": ("xregit.cli.init:schema", "Write the JSON Schemas for checking YAML in editors."),
}

# What other tools call a command, and what it is here.
SYNONYMS: Mapping[str, str] = {
    "validate": "check", "lint": "check", "verify": "check", "test": "check",
    "breaking": "diff", "compare": "diff", "changelog": "diff", "history": "log",
    "serve": "site --serve", "preview": "site --serve", "docs": "site",
    "bundle": "compile", "generate": "compile", "format": "fmt", "create": "add", "convert": "import",
    "infer": "learn",
    "list": "show /", "ls": "show /", "get": "show", "mv": "rename", "rules": "explain", "help": "--help",
}  # fmt: skip


class Commands(click.Group):
    """A group that knows its commands by name and imports the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of all commands, in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return the command of that name, or nothing."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; an unknown name gets a suggestion."""
        name = args[0]
        near = SYNONYMS.get(name) or next(iter(get_close_matches(name, COMMANDS, n=1)), "")
        if name not in COMMANDS and near:
            ctx.fail(f'There is no command "{name}"; did you mean "xregit {near}"?')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the names with the help of the table, so that help imports no command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--registry",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A registry's folder, or any xRegistry document; by default the nearest registry/registry.yaml "
    "in the working directory or above.",
)
@click.version_option(package_name="xregit")
@click.pass_context
def xregit(context: click.Context, registry: Path | None) -> None:
    """Keep a catalog of messages in Git: check it, compile it, browse it, query it.

    Exit codes: 0 fine, 1 findings, 2 wrong usage or something that can't be read or written, 3 internal error.
    """
    context.obj = registry
