"""Dialects: the envelopes and standard error codes of a family of servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardCode:
    """An error code that every server of a dialect may answer."""

    http: int
    """The HTTP status of the error."""
    description: str
    """The meaning of the code, for the documentation of a server."""
    retryable: bool
    """True if the same call may succeed later."""
    jsonrpc: int | None = None
    """The number of the code in JSON-RPC; None in a family that does not send it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasions:
    """The error codes for what can go wrong outside a handler."""

    access: str
    """The caller may not make the request; a transport rejects it before it makes a call."""
    unknown_tool: str
    """The server has no such tool; a transport rejects the request."""
    version: str
    """The tool has no such version."""
    sunset: str
    """The version of the tool is past its sunset."""
    arguments: str
    """The arguments break the contract."""
    source: str
    """A source did not answer."""
    deadline: str
    """The handler did not finish before its deadline."""
    internal: str
    """The server is at fault."""
    conflict: str | None = None
    """An idempotency key came again with other arguments.

    None in a family without idempotent tools.
    """
    rate_limit: str | None = None
    """The caller made more calls than the tool allows.

    None in a family without rate limits.
    """
    overload: str | None = None
    """The calls ahead would take longer than the deadline; None for the code of `source`."""
    handler: str | None = None
    """The tool has no handler yet; None for the code of `internal`."""
    result: str | None = None
    """The handler's result breaks the contract; None for the code of `internal`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The envelopes and error codes of a family of servers; `envelopes` describes the templates."""

    name: str
    """The name that contracts use."""
    success: Any
    """The template of a success."""
    failure: Any
    """The template of a failure."""
    errors_in_output_schema: bool
    """True if a tool's published output schema admits the failure envelope."""
    occasions: Occasions
    """The code of each occasion."""
    details: Mapping[str, tuple[str, ...]]
    """Names of the values in the details of errors, by occasion; no details on any other."""
    codes: Mapping[str, StandardCode]
    """The standard codes, by name."""
    failure_in_protocol_errors: bool = False
    """True if the JSON-RPC error to a call of an unknown tool has the failure as its data."""

    @property
    def occasion_codes(self) -> Mapping[str, str]:
        """Standard codes by occasion."""
        codes = ((each.name, getattr(self.occasions, each.name)) for each in fields(self.occasions))
        return {occasion: code for occasion, code in codes if code is not None}

    def http(self, code: str) -> int:
        """Return the HTTP status of a standard code; 500 for an unknown one."""
        standard = self.codes.get(code)
        return standard.http if standard else 500

    def jsonrpc(self, code: str) -> int | None:
        """Return the number of a standard code in JSON-RPC; None for an unknown one."""
        standard = self.codes.get(code)
        return standard.jsonrpc if standard else None
