"""Envelopes and standard error codes of the dialects.

Generated from tests/toolaccord/contracts/dialects.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.declarations.dialects import Dialect, Occasions, StandardCode

GATEWAY: Final = Dialect(
    name="gateway",
    success={"$": "result"},
    failure={
        "error": {
            "code": {"$": "jsonrpc_code"},
            "message": {"$": "message"},
            "data": {"code": {"$": "code"}, "details": {"$": "details"}},
        }
    },
    errors_in_output_schema=True,
    failure_in_protocol_errors=True,
    occasions=Occasions(
        access="UNAUTHORIZED",
        unknown_tool="METHOD_NOT_FOUND",
        version="UNKNOWN_VERSION",
        sunset="VERSION_SUNSET",
        arguments="INVALID_PARAMS",
        source="UNAVAILABLE",
        deadline="TIMEOUT",
        internal="INTERNAL_ERROR",
    ),
    details={
        "arguments": ("violations",),
        "version": ("versions",),
        "sunset": ("sunset_on", "successor"),
        "overload": ("retry_after_s",),
    },
    codes={
        "INVALID_REQUEST": StandardCode(
            http=400, jsonrpc=-32600, description="The message is no request of JSON-RPC 2.0", retryable=False
        ),
        "METHOD_NOT_FOUND": StandardCode(
            http=404, jsonrpc=-32601, description="The server has no such method", retryable=False
        ),
        "UNKNOWN_VERSION": StandardCode(
            http=404, jsonrpc=-32601, description="The tool has no such version", retryable=False
        ),
        "VERSION_SUNSET": StandardCode(
            http=410,
            jsonrpc=-32601,
            description="The version is past its sunset; call the tool in a newer version",
            retryable=False,
        ),
        "INVALID_PARAMS": StandardCode(
            http=400, jsonrpc=-32602, description="The params do not fit the method", retryable=False
        ),
        "UNAUTHORIZED": StandardCode(
            http=401, jsonrpc=-32001, description="The request carries no valid key", retryable=False
        ),
        "TRADE_DISABLED": StandardCode(
            http=403, jsonrpc=-32003, description="The server does not trade", retryable=False
        ),
        "UNAVAILABLE": StandardCode(http=502, jsonrpc=-32603, description="A source did not answer", retryable=True),
        "TIMEOUT": StandardCode(http=504, jsonrpc=-32603, description="The call took too long", retryable=True),
        "INTERNAL_ERROR": StandardCode(
            http=500, jsonrpc=-32603, description="The server failed; its log has the reason", retryable=False
        ),
    },
)
"""The result itself.

A failure is the error object of JSON-RPC 2.0, with the code's name in its data.
"""

LEDGER: Final = Dialect(
    name="ledger",
    success={"data": {"$": "result"}},
    failure={"error": {"code": {"$": "code"}, "message": {"$": "message"}, "details": {"$": "details"}}},
    errors_in_output_schema=True,
    occasions=Occasions(
        access="UNAUTHORIZED",
        unknown_tool="UNKNOWN_TOOL",
        version="UNKNOWN_VERSION",
        sunset="VERSION_SUNSET",
        arguments="INVALID_PARAMETER",
        source="DATABASE_ERROR",
        deadline="TIMEOUT",
        internal="INTERNAL_ERROR",
        conflict="KEY_CONFLICT",
    ),
    details={
        "arguments": ("violations",),
        "version": ("versions",),
        "sunset": ("sunset_on", "successor"),
        "overload": ("retry_after_s",),
    },
    codes={
        "UNKNOWN_VERSION": StandardCode(http=404, description="No such version", retryable=False),
        "VERSION_SUNSET": StandardCode(http=410, description="No such version any more", retryable=False),
        "UNAUTHORIZED": StandardCode(http=401, description="No token", retryable=False),
        "UNKNOWN_TOOL": StandardCode(http=404, description="No such tool", retryable=False),
        "INVALID_PARAMETER": StandardCode(http=400, description="An argument breaks the contract", retryable=False),
        "DATABASE_ERROR": StandardCode(http=500, description="The database did not answer", retryable=True),
        "TIMEOUT": StandardCode(http=504, description="Too late", retryable=True),
        "INTERNAL_ERROR": StandardCode(http=500, description="The server is at fault", retryable=False),
        "KEY_CONFLICT": StandardCode(http=409, description="The key came with other arguments", retryable=False),
    },
)
"""Data alone."""

LIBRARY: Final = Dialect(
    name="library",
    success={
        "data": {"$": "result"},
        "_metadata": {
            "latency_ms": {"$": "latency_ms"},
            "cached": {"$": "cached"},
            "cache_ttl_remaining": {"$": "cache_ttl_remaining"},
            "source": {"$": "source"},
        },
    },
    failure={
        "error": {"code": {"$": "code"}, "message": {"$": "message"}, "details": {"$": "details"}},
        "_metadata": {"latency_ms": {"$": "latency_ms"}},
    },
    errors_in_output_schema=True,
    occasions=Occasions(
        access="UNAUTHORIZED",
        unknown_tool="NOT_FOUND",
        version="UNKNOWN_VERSION",
        sunset="VERSION_SUNSET",
        arguments="INVALID_PARAMETER",
        source="SHELF_ERROR",
        deadline="TIMEOUT",
        internal="INTERNAL_ERROR",
    ),
    details={
        "arguments": ("violations",),
        "version": ("versions",),
        "sunset": ("sunset_on", "successor"),
        "overload": ("retry_after_s",),
    },
    codes={
        "UNKNOWN_VERSION": StandardCode(http=404, description="No such version", retryable=False),
        "VERSION_SUNSET": StandardCode(http=410, description="No such version any more", retryable=False),
        "UNAUTHORIZED": StandardCode(http=401, description="The request carries no token", retryable=False),
        "NOT_FOUND": StandardCode(http=404, description="There is no such thing", retryable=False),
        "INVALID_PARAMETER": StandardCode(http=400, description="An argument breaks the contract", retryable=False),
        "SHELF_ERROR": StandardCode(http=502, description="The shelf did not answer", retryable=True),
        "TIMEOUT": StandardCode(http=504, description="Too late", retryable=True),
        "INTERNAL_ERROR": StandardCode(http=500, description="The server is at fault", retryable=False),
    },
)
"""Data and metadata side by side."""

PLAIN: Final = Dialect(
    name="plain",
    success={"$": "result"},
    failure={"error": {"code": {"$": "code"}, "message": {"$": "message"}, "details": {"$": "details"}}},
    errors_in_output_schema=True,
    occasions=Occasions(
        access="UNAUTHORIZED",
        unknown_tool="UNKNOWN_TOOL",
        version="UNKNOWN_VERSION",
        sunset="VERSION_SUNSET",
        arguments="INVALID_ARGUMENTS",
        source="UNAVAILABLE",
        deadline="TIMEOUT",
        internal="INTERNAL",
        conflict="CONFLICT",
        rate_limit="RATE_LIMITED",
        overload="OVERLOADED",
    ),
    details={
        "arguments": ("violations",),
        "version": ("versions",),
        "sunset": ("sunset_on", "successor"),
        "overload": ("retry_after_s",),
    },
    codes={
        "UNAUTHORIZED": StandardCode(http=401, description="The request carries no valid token", retryable=False),
        "UNKNOWN_TOOL": StandardCode(http=404, description="The server has no such tool", retryable=False),
        "UNKNOWN_VERSION": StandardCode(http=404, description="The tool has no such version", retryable=False),
        "VERSION_SUNSET": StandardCode(
            http=410, description="The version is past its sunset; call the tool in a newer version", retryable=False
        ),
        "INVALID_ARGUMENTS": StandardCode(
            http=400, description="The arguments do not fit the tool's parameters", retryable=False
        ),
        "UNAVAILABLE": StandardCode(http=502, description="A data source did not answer", retryable=True),
        "TIMEOUT": StandardCode(http=504, description="Operation exceeded time limit", retryable=True),
        "INTERNAL": StandardCode(http=500, description="The server failed; its log has the reason", retryable=False),
        "CONFLICT": StandardCode(
            http=409, description="The idempotency key was used before, with other arguments", retryable=False
        ),
        "RATE_LIMITED": StandardCode(
            http=429, description="The caller made more calls than the tool allows", retryable=True
        ),
        "OVERLOADED": StandardCode(
            http=503,
            description="The server is busy: the calls ahead would take longer than the deadline",
            retryable=True,
        ),
    },
)
"""The result itself; a failure is an object with one key, error."""

PLATFORM: Final = Dialect(
    name="platform",
    success={"$": "result"},
    failure={"error": {"code": {"$": "code"}, "message": {"$": "message"}, "details": {"$": "details"}}},
    errors_in_output_schema=True,
    failure_in_protocol_errors=True,
    occasions=Occasions(
        access="MCP-002",
        unknown_tool="MCP-007",
        version="MCP-007",
        sunset="MCP-007",
        arguments="MCP-001",
        source="MCP-003",
        deadline="MCP-004",
        internal="MCP-999",
        conflict="MCP-005",
        rate_limit="MCP-006",
        handler="MCP-008",
        result="MCP-009",
    ),
    details={
        "arguments": ("field", "violations"),
        "version": ("versions",),
        "sunset": ("sunset_on", "successor"),
        "overload": ("retry_after_s",),
        "source": ("service",),
        "deadline": ("tool", "timeout_ms"),
        "conflict": ("idempotency_key",),
        "rate_limit": ("limit", "window_s", "retry_after_s"),
    },
    codes={
        "MCP-001": StandardCode(
            http=400, description="The arguments do not fit the tool's parameters", retryable=False
        ),
        "MCP-002": StandardCode(http=401, description="The request carries no valid token", retryable=False),
        "MCP-003": StandardCode(http=503, description="A backend did not answer", retryable=True),
        "MCP-004": StandardCode(http=504, description="The tool did not finish in time", retryable=True),
        "MCP-005": StandardCode(
            http=409, description="The idempotency key was used before, with other arguments", retryable=False
        ),
        "MCP-006": StandardCode(
            http=429, description="The caller made more calls than the tool allows", retryable=True
        ),
        "MCP-007": StandardCode(
            http=404, description="The server has no such tool, or the tool has no such version", retryable=False
        ),
        "MCP-008": StandardCode(http=501, description="The tool has no handler yet", retryable=False),
        "MCP-009": StandardCode(http=500, description="The result of the tool breaks its contract", retryable=False),
        "MCP-999": StandardCode(http=500, description="The server failed; its log has the reason", retryable=True),
    },
)
"""The result itself. A failure is an object with one key, error."""
