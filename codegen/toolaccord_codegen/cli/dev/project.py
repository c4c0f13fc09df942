"""The project of a session: its server's files, environment and databases."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolaccord_codegen.cli.dev.databases import Databases
from toolaccord_codegen.cli.dev.order import Order
from toolaccord_codegen.cli.options.dev import DevOptions
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.cli.servers.environment import read_environment
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.ir.contract import Contract

if TYPE_CHECKING:
    from toolaccord_codegen.cli.dev.building import Build

DRAIN_S = "0.3"
"""Seconds in which a replaced process answers on its connections, so that none is cut off."""
PLAIN = {"MCP_TLS_CERTIFICATE": "", "MCP_TLS_KEY": ""}
"""Settings of a server at the http:// address that is printed, whatever `.env` has."""


@dataclass(frozen=True, slots=True)
class DevProject:
    """A project whose server is served; its methods block."""

    options: DevOptions
    """Options at the start."""
    read_options: Callable[[], DevOptions]
    """Reads the options again, of which pyproject.toml may hold some. Raises CommandError."""
    databases: Databases

    @property
    def root(self) -> Path:
        """Return the folder of the user's own modules."""
        return self.options.generate.folders.project.folder.resolve()

    def build(self) -> Build:
        """Write the generated files, and return the server.

        Raises ContractProblems, and CommandError without such a server or for an invalid [tool.toolaccord].
        """
        from toolaccord_codegen.cli.dev.building import build_server  # loads the compiler while the fork server starts

        return build_server(self._read_generate_options(), self.options.server)

    def _read_generate_options(self) -> GenerateOptions:
        options = self.read_options().generate
        before, now = (each.folders for each in (self.options.generate, options))
        if (now.contracts, now.output, now.handlers) != (before.contracts, before.output, before.handlers):
            raise CommandError("the folders in [tool.toolaccord] changed: end dev with Ctrl-C, and start it again")
        return options

    def order(self, build: Build) -> Order:
        """Return the order of a process that serves *build*, with databases that it needs.

        Raises CommandError for a migration that fails, and if PostgreSQL does not start.
        """
        contract, folders, environ = build.contract, self.options.generate.folders, read_environment(self.root)
        migrations = folders.locate_migrations(contract.system, self.options.migrations)
        return Order(
            package=f"{folders.package}.{contract.system}.{contract.module}",
            paths=[str(root) for root in dict.fromkeys(folders.handler_roots)],
            project=str(self.root),
            arguments=["--transport", "http"],
            environ={"MCP_DRAIN_S": DRAIN_S, **environ, **self.databases.provide(contract, migrations, environ)}
            | PLAIN,
        )

    def list_missing(self, contract: Contract) -> list[str]:
        """Return the variables that *contract* requires and the environment lacks."""
        environ = {**read_environment(self.root), **self.databases.urls}
        return [each.env for each in contract.settings if each.required and not environ.get(each.env)]


def example_call(contract: Contract, url: str) -> str:
    """Return a command that calls a tool of *contract* at *url*, as its first example does."""
    tool = contract.tools[0]
    arguments = tool.examples[0].arguments if tool.examples else {}
    words = [f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in arguments.items()]
    return shlex.join(["toolaccord", "call", "--url", f"{url}/mcp", tool.name, *words])


def assign(variable: str, value: str) -> str:
    """Return a variable with its value as a shell reads them; a URL may have `?` and `&`."""
    return f"{variable}={shlex.quote(value)}"
