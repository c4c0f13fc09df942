"""Parsing of answers: models and typed errors out of a dialect's envelopes."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any

from toolaccord.client.calls import CallResult
from toolaccord.client.connection import ToolResponse
from toolaccord.client.declarations import (
    ContentTool,
    RemoteCompletion,
    RemotePrompt,
    RemoteResource,
    RemoteServer,
    RemoteTool,
    Result,
)
from toolaccord.client.envelopes import parse_envelope, parse_resource, parse_result
from toolaccord.contract.dialects import Dialect
from toolaccord.declarations.causes import DeclaredError
from toolaccord.errors import ToolError, UndeclaredError, UndeclaredOutage, UndeclaredRateLimit
from toolaccord.json_values import JsonObject

_LOG = logging.getLogger(__name__)

_KINDS: Mapping[int, type[UndeclaredError]] = {429: UndeclaredRateLimit, 503: UndeclaredOutage}
"""Classes of undeclared errors, by the HTTP status of their code."""
_RESULT_METADATA = ("latency_ms", "cached", "cache_ttl_remaining", "source")
"""Envelope values that become fields of `CallResult`."""


class ResponseParser:
    """Parses the responses of one server, and warns once of each deprecated tool."""

    def __init__(self, server: RemoteServer) -> None:
        self._server = server
        self._tools_warned_about: set[str] = set()

    def parse(self, tool: RemoteTool[Any, Result], response: ToolResponse) -> CallResult[Result]:
        """Return the result in *response*. Raises a declared error of the tool, or CallFailed."""
        if response.deprecation and tool.name not in self._tools_warned_about:
            self._warn_of_deprecation(tool, response.deprecation)
        dialect, sender = self._server.dialect, f"{self._server.name} answered {tool.name}"
        if response.is_error:
            values = parse_envelope(dialect, sender, response)
            error = build_error(dialect, tool.errors, values)
            error.add_note(f"{self._server.name} logged the call as {response.corr_id or values.get('corr_id')}.")
            raise error
        result, values = _parse_success(tool, dialect, sender, response)
        metadata = {name: values[name] for name in _RESULT_METADATA if name in values}
        corr_id = response.corr_id or values.get("corr_id")
        return CallResult(result=result, corr_id=corr_id, replayed=response.replayed, **metadata)

    def _warn_of_deprecation(self, tool: RemoteTool[Any, Any], deprecation: Mapping[str, str]) -> None:
        """Log, once for each tool, that the version that this client requests is deprecated."""
        self._tools_warned_about.add(tool.name)
        until, successor = deprecation.get("sunset_on"), deprecation.get("successor")
        _LOG.warning(
            "%s %s of %s is deprecated%s; generate the client again from %s",
            tool.name,
            tool.version,
            self._server.name,
            f" and answered until {until}" if until else "",
            successor,
        )


def _parse_success(
    tool: RemoteTool[Any, Any], dialect: Dialect, sender: str, response: ToolResponse
) -> tuple[Any, JsonObject]:
    """Return the result in *response*, and the values of its envelope. Raises BrokenAnswer."""
    if isinstance(tool, RemoteResource | RemoteCompletion):
        return parse_resource(tool.result, sender, response.text), {}
    if isinstance(tool, ContentTool | RemotePrompt):
        from toolaccord.client import contents  # noqa: PLC0415 - a client of other tools does not load it

        if isinstance(tool, RemotePrompt):
            return contents.parse_messages(sender, response.text), {}
        return contents.parse_content(tool, dialect, sender, response)
    values = parse_envelope(dialect, sender, response)
    return parse_result(tool.result, sender, values["result"]), values


def build_error(
    dialect: Dialect, declared: Collection[DeclaredError], values: JsonObject
) -> ToolError | UndeclaredError:
    """Return the error that *values* of the failure envelope describe.

    The tool has *declared* its errors.
    """
    code, message, details = values["code"], values.get("message", ""), values.get("details")
    if not isinstance(details, dict):
        details = {}  # a server of another make may send null or a list
    for each in declared:
        if each.error.code == code:
            return each.error.received(message, details)
    standard = dialect.codes.get(code)
    kind = UndeclaredError if standard is None else _KINDS.get(standard.http, UndeclaredError)
    return kind(code, message, details, retryable=standard is not None and standard.retryable)
