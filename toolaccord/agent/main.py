"""Entry point of an agent's process: settings, log and exit code."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from typing import Any

from toolaccord import extras, shutdown
from toolaccord.agent import cli
from toolaccord.agent.declarations import Agent
from toolaccord.agent.mode import ConfiguredAgent
from toolaccord.agent.process import AgentProcess
from toolaccord.agent.queue.parts import select_parts
from toolaccord.agent.settings import check_all, check_credentials, check_servers, check_tokens, list_urls
from toolaccord.config import process_settings
from toolaccord.config.overrides import apply_source_overrides, list_source_overrides
from toolaccord.declarations.settings import read_settings
from toolaccord.server import startup
from toolaccord.server.sandbox import provide_environment, scope_sandbox
from toolaccord.server.startup import StartError
from toolaccord.telemetry import stderr


def run(
    agent: Agent[Any, Any, Any],
    *,
    sandbox: str | None,
    package: str | None,  # noqa: ARG001 - entry points of agents and servers are alike
    argv: Sequence[str] | None = None,
) -> int:
    """Run *agent* with the process's arguments; return the exit code.

    0 after the last request or a signal, 1 if too many requests fail or the agent cannot start, 2 for an invalid
    command line or invalid settings. *sandbox* names the module that provides settings for `--sandbox`.
    """
    stderr.reopen_closed_stderr()
    options = cli.parse_arguments(agent, argv, has_sandbox=sandbox is not None)
    shutdown.exit_on_signals()
    hint = "\nOr try the agent with --sandbox, on sample data." if sandbox and not options.sandbox else ""
    with redirect_stdout(sys.stderr):  # standard output is for results alone
        return startup.report_errors(agent.name, partial(_run, agent, options, sandbox), hint)


def _run(agent: Agent[Any, Any, Any], options: cli.Options, sandbox: str | None) -> int:
    """Run *agent* as *options* say; return the exit code.

    Raises SettingsError, StartError and MissingExtra.
    """
    if sys.__stdout__ is None:
        raise StartError("standard output is closed: open it, for the results")
    agent = select_parts(agent, options)
    for source in agent.sources:
        extras.require_driver(source.kind)
    if options.sandbox:
        agent = _start_own_servers(agent)
    variables = {setting.env for setting in agent.settings}.union(*(use.environment for use in agent.uses))
    scope = scope_sandbox(variables, agent.settings, agent.sources)
    with provide_environment(agent.name, scope, sandbox if options.sandbox else None) as environ:
        process = AgentProcess(_configure(agent, environ, options))
        code = startup.run_loop(process.run(), "agent")
    return code or int(process.has_failed and options.every is None)


def _start_own_servers(agent: Agent[Any, Any, Any]) -> Agent[Any, Any, Any]:
    """Return *agent* with servers that it starts itself, whatever the environment says."""
    return replace(
        agent, uses=tuple(replace(use, url=None, token=None, credentials=None, command=None) for use in agent.uses)
    )


def _configure(agent: Agent[Any, Any, Any], environ: Mapping[str, str], options: cli.Options) -> ConfiguredAgent:
    """Read the settings of *agent*, and configure the log. Raises SettingsError and StartError."""
    declared = [*agent.settings, *list_source_overrides(agent.sources), *process_settings.list_agent_settings()]
    values = read_settings(declared, environ, startup.list_source_kinds(agent.sources) | list_urls(agent))
    if options.all:
        check_all(agent, values)
    check_servers(agent, values, environ)
    check_tokens(agent, values)
    check_credentials(agent, values)
    secrets = [values[setting.name] for setting in agent.settings if setting.secret]
    secrets += process_settings.list_secrets(values)
    redactor = startup.configure_log(options.log_level, options.log_file, secrets)
    startup.warn_of_plain_sources(startup.list_source_kinds(agent.sources), agent.settings, values)
    return ConfiguredAgent(
        agent=replace(agent, sources=apply_source_overrides(agent.sources, values)),
        settings=values,
        environ=environ,
        redactor=redactor,
        options=options,
    )
