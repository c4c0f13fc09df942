"""Command line of an agent."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from toolaccord.agent.declarations import Agent
from toolaccord.config import process_settings
from toolaccord.config.overrides import list_source_overrides
from toolaccord.contract.agents import Batch
from toolaccord.server import cli

_SHORTEST_PERIOD_S, _LONGEST_PERIOD_S = 0.1, 366 * 86_400
"""Bounds of the seconds from one round to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the command line."""

    requests: tuple[str, ...]
    """Values of the batch's argument; for an agent without batches, one request as JSON."""
    all: bool = False
    """True if the values come from a setting."""
    every: float | None = None
    """Seconds from one round to the next; None for one round."""
    queue: bool = False
    """True if requests come from the queue."""
    enqueue: bool = False
    """True if the values go to the queue."""
    metrics_port: int | None
    """Port of `/metrics`, 0 for any free one; None for no metrics."""
    log_level: str
    """Lowest level of the log: debug, info, warning or error."""
    log_file: Path | None
    """File that the log is appended to; None for standard error."""
    sandbox: bool
    """True if the sandbox provides settings."""
    a2a: bool = False
    """True if other agents ask over HTTP."""
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = 8000
    """Port to listen on; 0 for any free one."""
    public_url: str | None = None
    """URL in the agent card; None for that of the listener."""


def parse_arguments(agent: Agent[Any, Any, Any], argv: Sequence[str] | None, *, has_sandbox: bool) -> Options:
    """Return the options of *agent* in *argv*, else in `sys.argv`.

    Exits on invalid ones, and for `--help`.
    """
    parser = _create_parser(agent, has_sandbox=has_sandbox)
    values = vars(parser.parse_args(argv))
    options = Options(**{**values, "requests": tuple(dict.fromkeys(values["requests"]))})
    if options.a2a:
        _check_a2a(parser, options)
        return options
    _check_no_listener(parser, options)
    if not agent.batch and len(options.requests) != 1:
        parser.error("give one REQUEST, or --a2a")
    if agent.batch and (error := _find_error(options, agent.batch)):
        parser.error(error)
    return options


def _check_a2a(parser: argparse.ArgumentParser, options: Options) -> None:
    """Exit if an option does not go with `--a2a`."""
    if options.requests or options.all or options.every is not None or options.queue or options.enqueue:
        parser.error("--a2a takes requests over HTTP, and none on the command line or from a queue")
    if options.metrics_port is not None:
        parser.error("--metrics-port is for the command line; with --a2a the metrics are at /metrics")
    if options.host in {"", "0.0.0.0", "::"} and options.public_url is None:  # noqa: S104 - compared, not bound
        parser.error(f"--host {options.host} needs --public-url, by which others reach the agent")


def _check_no_listener(parser: argparse.ArgumentParser, options: Options) -> None:
    """Exit if an option is for `--a2a` alone."""
    for name in ("host", "port", "public_url"):
        if getattr(options, name) != parser.get_default(name):
            parser.error(f"--{name.replace('_', '-')} is for --a2a")


def _find_error(options: Options, batch: Batch) -> str | None:
    """Return the rule that options of an agent with batches break; None if they are valid."""
    noun = batch.argument.upper()
    if options.requests and options.all:
        return f"give a {noun} or --all, and not both"
    if options.queue and not options.enqueue:
        values = options.requests or options.all or options.every is not None
        return "--queue takes requests from the queue alone; add --enqueue to put some there" if values else None
    if not options.requests and not options.all:
        return f"give a {noun}" + (", or --all" if batch.all else "")
    return None


def _create_parser(agent: Agent[Any, Any, Any], *, has_sandbox: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=agent.name,
        description=agent.description,
        epilog=_describe_use(agent, has_sandbox=has_sandbox),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(sandbox=False)
    parser.add_argument("--version", action="version", version=f"{agent.name} {agent.version}")
    if agent.batch:
        _add_batch_arguments(parser, agent, agent.batch)
    else:
        parser.add_argument("requests", nargs="*", type=_json_text, metavar="REQUEST", help="request, as a JSON object")
    parser.add_argument(
        "--metrics-port",
        type=cli.port,
        metavar="PORT",
        help="serve /metrics on this port of loopback, 0 for any free one",
    )
    _add_a2a_arguments(parser)
    cli.add_log_arguments(parser)
    if has_sandbox:
        parser.add_argument("--sandbox", action="store_true", help="use sample data, without any installation")
    return parser


def _add_batch_arguments(parser: argparse.ArgumentParser, agent: Agent[Any, Any, Any], batch: Batch) -> None:
    members = agent.input.get("properties", {}).get(batch.argument, {})
    parser.add_argument(
        "requests", nargs="*", metavar=batch.argument.upper(), help=members.get("description", "value of a request")
    )
    if batch.all:
        (setting,) = (each for each in agent.settings if each.name == batch.all)
        parser.add_argument("--all", action="store_true", help=f"take every {batch.argument} of {setting.env}")
    parser.add_argument(
        "--every",
        type=_seconds,
        metavar="SECONDS",
        help="go on with a round at each multiple of these seconds, 0.1 or more, until SIGTERM or Ctrl-C",
    )
    if batch.queue:
        queue = f"queue {batch.queue.stream}"
        parser.add_argument("--queue", action="store_true", help=f"take each {batch.argument} from the {queue}")
        parser.add_argument("--enqueue", action="store_true", help=f"put each {batch.argument} into the {queue}")


def _add_a2a_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("requests of other agents")
    group.add_argument("--a2a", action="store_true", help="answer requests over HTTP, as the A2A protocol has them")
    group.add_argument(
        "--host", default="localhost", help="address to listen on (default localhost: 127.0.0.1 and ::1)"
    )
    group.add_argument(
        "--port", type=cli.port, default=8000, help="port to listen on, 0 for any free one (default 8000)"
    )
    group.add_argument(
        "--public-url", type=_http_url, metavar="URL", help="URL by which others reach the agent, for its agent card"
    )


def _http_url(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in {"http", "https"} or not url.hostname or url.port == 0 or url.query or url.fragment:
        raise ValueError
    return text.rstrip("/")


def _json_text(text: str) -> str:
    orjson.loads(text)
    return text


def _seconds(text: str) -> float:
    seconds = float(text)
    if not _SHORTEST_PERIOD_S <= seconds <= _LONGEST_PERIOD_S:
        raise ValueError
    return seconds


_http_url.__name__ = "URL of HTTP"
_json_text.__name__ = "JSON"  # argparse names the type in its errors
_seconds.__name__ = "number of seconds"


def _describe_use(agent: Agent[Any, Any, Any], *, has_sandbox: bool) -> str:
    lines = [*_examples(agent, has_sandbox=has_sandbox), "", *(_OUTPUT_OF_BATCHES if agent.batch else _OUTPUT)]
    lines += ["", "settings, read from the environment:", *map(cli.describe, agent.settings)]
    started = sorted({name for use in agent.uses for name in use.environment})
    if started:
        lines += ["", f"A server that the agent starts also gets: {', '.join(started)}"]
    if overrides := list_source_overrides(agent.sources):
        lines += ["", "limits of the contract, which the environment may replace:", *map(cli.describe, overrides)]
    settings = map(cli.describe, process_settings.list_agent_settings())
    return "\n".join([*lines, "", "settings of every agent:", *settings])


_OUTPUT_OF_BATCHES = (
    "Each batch writes one line of JSON to standard output: its results, those from incomplete data,",
    "its failures and its success rate. The log goes to standard error.",
    "Exit code: 0, 1 if too many requests of a batch fail or the agent cannot start, 2 for invalid options or settings.",
)
_OUTPUT = (
    "The result is one line of JSON on standard output. The log goes to standard error.",
    "Exit code: 0, 1 without a result, 2 for invalid options or settings.",
)


def _examples(agent: Agent[Any, Any, Any], *, has_sandbox: bool) -> list[str]:
    """Return example commands."""
    sandbox = " --sandbox" if has_sandbox else ""
    requests = agent.input.get("examples", [])
    if not agent.batch:
        request = json.dumps(requests[0], ensure_ascii=False) if requests else "{...}"
        return ["examples:", f"  {agent.name}{sandbox} {shlex.quote(request)}"]
    values = " ".join(str(each[agent.batch.argument]) for each in requests) or agent.batch.argument.upper()
    lines = ["examples:", f"  {agent.name}{sandbox} {values}", f"  {agent.name} --every 60 {values}"]
    if agent.batch.queue:
        lines += [f"  {agent.name} --queue", f"  {agent.name} --enqueue --every 60 {values}"]
    return [*lines, *([f"  {agent.name} --all --every 60 --metrics-port 9000"] if agent.batch.all else [])]
