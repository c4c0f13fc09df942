"""The table of commands, in the order in which `--help` lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolaccord_codegen.cli.options.accept import AcceptOptions
from toolaccord_codegen.cli.options.bundle import BundleOptions
from toolaccord_codegen.cli.options.call import CallOptions, TaskOptions, TaskResultOptions, ToolsOptions
from toolaccord_codegen.cli.options.comparison import BreakingOptions, ChangelogOptions, CheckOptions
from toolaccord_codegen.cli.options.dev import DevOptions
from toolaccord_codegen.cli.options.drafts import ImportOptions
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.cli.options.init import InitOptions
from toolaccord_codegen.cli.options.lint import LintOptions, RulesOptions
from toolaccord_codegen.cli.options.migrate import MigrateOptions
from toolaccord_codegen.cli.options.new import NewServerOptions, NewToolOptions, NewVersionOptions
from toolaccord_codegen.cli.options.serve import ServeOptions
from toolaccord_codegen.cli.options.site import SiteOptions
from toolaccord_codegen.cli.options.top import TopOptions

LINT_NOTES = """
Each finding is one line, file:line:column: RULE: the fault and its remedy, followed by an excerpt and the reason for \
the rule. The command `accept` records an intended finding in <server>.accepted.json beside the contract. \
docs/lint.md explains every rule; the command `rules` lists them.
"""


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    name: str
    """Its words, e.g. `new server`."""
    target: str
    """Its function, as `module:name` of `toolaccord_codegen.cli`."""
    options: type
    """The record of its options; the function's only argument."""
    summary: str
    example: str
    notes: str = ""
    required: frozenset[str] = frozenset()
    """Flags that it needs and other commands do not."""


CONTRACT_COMMANDS = (
    Command(
        "generate",
        "toolaccord_codegen.cli.generate:run",
        GenerateOptions,
        "write the generated files of every contract",
        "--contracts api/contracts --out src/acme --package acme --handlers acme_handlers",
    ),
    Command(
        "check",
        "toolaccord_codegen.cli.check:run",
        CheckOptions,
        "compare generated files and handlers with the contracts, and lint the contracts",
        "--against main",
    ),
    Command(
        "lint",
        "toolaccord_codegen.cli.lint:run",
        LintOptions,
        "find weaknesses in contracts that compile",
        "--fix",
        LINT_NOTES,
    ),
    Command(
        "breaking",
        "toolaccord_codegen.cli.breaking:run",
        BreakingOptions,
        "find changes of contracts that break callers, and the versions that they require",
        "--against main --format markdown",
    ),
    Command(
        "changelog",
        "toolaccord_codegen.cli.changelog:run",
        ChangelogOptions,
        "write a changelog entry for the changes of contracts",
        "--against v1.2.0 --into CHANGELOG.md",
        required=frozenset({"against"}),
    ),
    Command(
        "accept",
        "toolaccord_codegen.cli.accept:run",
        AcceptOptions,
        "record that a finding of lint or breaking is intended, in <server>.accepted.json",
        "BOUND_TIGHTENED e54a0d7621bc --against main --reason 'No caller asks for more'",
        required=frozenset({"reason"}),
    ),
    Command(
        "rules",
        "toolaccord_codegen.cli.rules:run",
        RulesOptions,
        "list every rule with its id, or explain one with an example",
        "BOUND_TIGHTENED",
    ),
)

START_COMMANDS = (
    Command(
        "init",
        "toolaccord_codegen.cli.start.init:run",
        InitOptions,
        "start a project in this folder, with a server that works",
        "acme/books --postgresql",
    ),
    Command(
        "new server",
        "toolaccord_codegen.cli.start.new:add_server",
        NewServerOptions,
        "write a contract with one tool, and a module for its handlers",
        "acme/films",
    ),
    Command(
        "new tool",
        "toolaccord_codegen.cli.start.new:add_tool",
        NewToolOptions,
        "add a tool to a contract, and a stub to its handlers",
        "acme/films find_films",
    ),
    Command(
        "new version",
        "toolaccord_codegen.cli.start.new_version:run",
        NewVersionOptions,
        "keep the old promise of a tool as an older version, and draft the steps from it",
        "acme/books search_books --against main",
    ),
    Command(
        "import",
        "toolaccord_codegen.cli.servers.import_server:run",
        ImportOptions,
        "draft a contract of an MCP server or of an OpenAPI document",
        'acme/files --from-server "npx -y @modelcontextprotocol/server-filesystem ."',
    ),
)

CALL_NOTES = """
The schema of the tool gives name=text a type; dots lead into objects, and a
repeated name adds to an array.

exit status: 0 a result, 1 an error of the tool, 2 no call was possible,
             4 the task goes on (with --task)
"""
TASK_NOTES = """
Whoever may call the server as the caller did that started the task finds it
by its id. A server that keeps tasks in memory must still run.
"""
TASK_RESULT_NOTES = f"""{TASK_NOTES}
exit status: 0 the result, 1 an error, or a task that was cancelled,
             2 no such task or no server, 4 the task goes on
"""
TOP_NOTES = """
Figures are of the last interval: rates are a second, p50 and p95 are
interpolated between the bounds of the server's histogram. Ctrl-C ends it.
"""
RUN_COMMANDS = (
    Command(
        "call",
        "toolaccord_codegen.cli.call.command:run",
        CallOptions,
        "call a tool, and print a table of its result, or JSON in a pipe",
        "strategy.get_top_strategies symbol=ETH/USD limit=3 --sandbox",
        CALL_NOTES,
    ),
    Command(
        "dev",
        "toolaccord_codegen.cli.dev.command:run",
        DevOptions,
        "serve a server over HTTP, and replace it at each save",
        "acme/books",
    ),
    Command(
        "migrate",
        "toolaccord_codegen.cli.servers.migrate:run",
        MigrateOptions,
        "create and update the tables of a system's servers in PostgreSQL",
        "tradestream --dry-run",
    ),
    Command(
        "serve",
        "toolaccord_codegen.cli.servers.serve:run",
        ServeOptions,
        "run a server as its own command would",
        "acme/books --transport http --port 8000",
        "\nOptions before the server's name are the project's, those after it are the server's.\n",
    ),
    Command(
        "work",
        "toolaccord_codegen.cli.servers.serve:work",
        ServeOptions,
        "run tasks of a server, and serve nothing",
        "acme/books --metrics-port 9100",
        "\nIts tasks need a store in the contract. Start as many as you want, on any machine.\n",
    ),
    Command(
        "tasks get",
        "toolaccord_codegen.cli.call.tasks:get",
        TaskResultOptions,
        "print the result of a task, or its state",
        "acme/books 5cQ3... --wait",
        TASK_RESULT_NOTES,
    ),
    Command(
        "tasks cancel",
        "toolaccord_codegen.cli.call.tasks:cancel",
        TaskOptions,
        "ask a server to cancel a task",
        "acme/books 5cQ3...",
        TASK_NOTES,
    ),
    Command(
        "tools",
        "toolaccord_codegen.cli.call.tools:run",
        ToolsOptions,
        "list the tools of a server, with their arguments",
        "acme/books -v",
    ),
    Command(
        "top",
        "toolaccord_codegen.cli.top.command:run",
        TopOptions,
        "watch the calls, latencies, errors and sources of running servers",
        "http://localhost:8000 --token-env BOOKS_TOKEN",
        TOP_NOTES,
    ),
)

PUBLISH_COMMANDS = (
    Command(
        "bundle",
        "toolaccord_codegen.cli.bundle:run",
        BundleOptions,
        "write an MCP bundle of a server, and its server.json for the registry",
        "acme/books --release-url https://github.com/acme/books-mcp/releases/download/v1.0.0",
    ),
    Command(
        "site",
        "toolaccord_codegen.cli.site:run",
        SiteOptions,
        "write static pages of contracts and of docs/, with a search",
        "--against v1.0.0 --against v1.1.0",
    ),
)

COMMANDS: Mapping[str, tuple[Command, ...]] = {
    "start a project, a server, a tool": START_COMMANDS,
    "contracts": CONTRACT_COMMANDS,
    "run": RUN_COMMANDS,
    "publish": PUBLISH_COMMANDS,
}
"""The commands, by the title above them in `--help`."""
KINDS = {
    "new": ("start a server, a tool or a version", "server acme/films"),
    "tasks": ("look at a task, or cancel it", "get acme/books 5cQ3... --wait"),
}
"""Summary and example of each first word that several commands share."""
