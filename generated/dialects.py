"""Envelopes and standard error codes of the dialects.

Generated from contracts/dialects.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.contract.dialects import Dialect, Occasions, StandardCode

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
        overload="OVERLOADED",
    ),
    details={
        "arguments": ("violations",),
        "version": ("versions",),
        "sunset": ("sunset_on", "successor"),
        "overload": ("retry_after_s",),
    },
    codes={
        "INVALID_REQUEST": StandardCode(
            http=400, description="The message is no request of JSON-RPC 2.0", retryable=False, jsonrpc=-32600
        ),
        "METHOD_NOT_FOUND": StandardCode(
            http=404, description="The server has no such method", retryable=False, jsonrpc=-32601
        ),
        "UNKNOWN_VERSION": StandardCode(
            http=404, description="The tool has no such version", retryable=False, jsonrpc=-32601
        ),
        "VERSION_SUNSET": StandardCode(
            http=410,
            description="The version is past its sunset; call the tool in a newer version",
            retryable=False,
            jsonrpc=-32601,
        ),
        "INVALID_PARAMS": StandardCode(
            http=400, description="The params do not fit the method", retryable=False, jsonrpc=-32602
        ),
        "UNAUTHORIZED": StandardCode(
            http=401, description="The request carries no valid key", retryable=False, jsonrpc=-32001
        ),
        "TRADE_DISABLED": StandardCode(
            http=403, description="The server does not trade", retryable=False, jsonrpc=-32003
        ),
        "UNAVAILABLE": StandardCode(http=502, description="A source did not answer", retryable=True, jsonrpc=-32603),
        "TIMEOUT": StandardCode(http=504, description="The call took too long", retryable=True, jsonrpc=-32603),
        "INTERNAL_ERROR": StandardCode(
            http=500, description="The server failed; its log has the reason", retryable=False, jsonrpc=-32603
        ),
        "OVERLOADED": StandardCode(
            http=503,
            description="The server is busy: the calls ahead would take longer than the deadline",
            retryable=True,
            jsonrpc=-32603,
        ),
    },
)
"""The result itself.

A failure is the error object of JSON-RPC 2.0, with the code's name in its data.
"""

MOEX: Final = Dialect(
    name="moex",
    success={"$": "result"},
    failure={
        "metadata": {"$": "arguments_in", "at": "/metadata"},
        "data": {"$": "empty_of", "at": "/data"},
        "error": {"error_type": {"$": "code"}, "message": {"$": "message"}, "details": {"$": "details"}},
    },
    errors_in_output_schema=False,
    occasions=Occasions(
        access="UNAUTHORIZED",
        unknown_tool="UNKNOWN_TOOL",
        version="UNKNOWN_VERSION",
        sunset="VERSION_SUNSET",
        arguments="VALIDATION_ERROR",
        source="ISS_UNAVAILABLE",
        deadline="ISS_TIMEOUT",
        internal="INTERNAL",
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
        "VALIDATION_ERROR": StandardCode(
            http=400, description="The arguments do not fit the tool's input schema", retryable=False
        ),
        "ISS_UNAVAILABLE": StandardCode(
            http=502, description="The exchange's information server is unreachable or failed", retryable=True
        ),
        "ISS_TIMEOUT": StandardCode(
            http=504, description="The exchange's information server did not answer in time", retryable=True
        ),
        "INTERNAL": StandardCode(http=500, description="The server failed; its log has the reason", retryable=False),
        "OVERLOADED": StandardCode(
            http=503,
            description="The server is busy: the calls ahead would take longer than the deadline",
            retryable=True,
        ),
    },
)
"""The result is the whole response.

A failure has the same shape, with error set and without data.
"""

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
        overload="MCP-013",
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
        "MCP-013": StandardCode(
            http=503,
            description="The server is busy: the calls ahead would take longer than the deadline",
            retryable=True,
        ),
        "MCP-999": StandardCode(http=500, description="The server failed; its log has the reason", retryable=True),
    },
)
"""The result itself. A failure is an object with one key, error."""

TRADESTREAM: Final = Dialect(
    name="tradestream",
    success={
        "data": {"$": "result"},
        "_metadata": {
            "latency_ms": {"$": "latency_ms"},
            "cached": {"$": "cached"},
            "cache_ttl_remaining": {"$": "cache_ttl_remaining"},
            "source": {"$": "source"},
            "replayed": {"$": "replayed"},
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
        source="DATABASE_ERROR",
        deadline="TIMEOUT",
        internal="INTERNAL_ERROR",
        conflict="IDEMPOTENCY_CONFLICT",
        overload="OVERLOADED",
    ),
    details={
        "arguments": ("violations",),
        "version": ("versions",),
        "sunset": ("sunset_on", "successor"),
        "overload": ("retry_after_s",),
    },
    codes={
        "DATABASE_ERROR": StandardCode(http=500, description="Database connection or query failed", retryable=True),
        "GRPC_ERROR": StandardCode(http=502, description="gRPC service connection failed", retryable=True),
        "TIMEOUT": StandardCode(http=504, description="Operation exceeded time limit", retryable=True),
        "INVALID_PARAMETER": StandardCode(http=400, description="Generic parameter validation error", retryable=False),
        "NOT_FOUND": StandardCode(http=404, description="Requested resource does not exist", retryable=False),
        "UNKNOWN_VERSION": StandardCode(http=404, description="The tool has no such version", retryable=False),
        "VERSION_SUNSET": StandardCode(
            http=410, description="The version is past its sunset; call the tool in a newer version", retryable=False
        ),
        "UNAUTHORIZED": StandardCode(http=401, description="Not authorized to access resource", retryable=False),
        "INTERNAL_ERROR": StandardCode(
            http=500, description="The server failed; its log has the reason", retryable=False
        ),
        "IDEMPOTENCY_CONFLICT": StandardCode(
            http=409, description="The idempotency key was used before, with other arguments", retryable=False
        ),
        "OVERLOADED": StandardCode(
            http=503,
            description="The server is busy: the calls ahead would take longer than the deadline",
            retryable=True,
        ),
    },
)
"""Data and metadata side by side. A failure has error instead of data."""
