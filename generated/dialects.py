"""Envelopes and standard error codes of the dialects.

Generated from contracts/dialects.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolpact.declarations.dialects import Dialect, Occasions, StandardCode

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
    ),
    codes={
        "UNAUTHORIZED": StandardCode(http=401, description="The request carries no valid token"),
        "UNKNOWN_TOOL": StandardCode(http=404, description="The server has no such tool"),
        "UNKNOWN_VERSION": StandardCode(http=404, description="The tool has no such version"),
        "VERSION_SUNSET": StandardCode(
            http=410, description="The version is past its sunset; call the tool in a newer version"
        ),
        "VALIDATION_ERROR": StandardCode(http=400, description="The arguments do not fit the tool's input schema"),
        "ISS_UNAVAILABLE": StandardCode(
            http=502, description="The exchange's information server is unreachable or failed"
        ),
        "ISS_TIMEOUT": StandardCode(http=504, description="The exchange's information server did not answer in time"),
        "INTERNAL": StandardCode(http=500, description="The server failed; its log has the reason"),
    },
)
"""The result is the whole response.

A failure has the same shape, with error set and without data.
"""

TRADESTREAM: Final = Dialect(
    name="tradestream",
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
        source="DATABASE_ERROR",
        deadline="TIMEOUT",
        internal="INTERNAL_ERROR",
        conflict="IDEMPOTENCY_CONFLICT",
    ),
    codes={
        "DATABASE_ERROR": StandardCode(http=500, description="Database connection or query failed"),
        "GRPC_ERROR": StandardCode(http=502, description="gRPC service connection failed"),
        "TIMEOUT": StandardCode(http=504, description="Operation exceeded time limit"),
        "INVALID_PARAMETER": StandardCode(http=400, description="Generic parameter validation error"),
        "NOT_FOUND": StandardCode(http=404, description="Requested resource does not exist"),
        "UNKNOWN_VERSION": StandardCode(http=404, description="The tool has no such version"),
        "VERSION_SUNSET": StandardCode(
            http=410, description="The version is past its sunset; call the tool in a newer version"
        ),
        "UNAUTHORIZED": StandardCode(http=401, description="Not authorized to access resource"),
        "INTERNAL_ERROR": StandardCode(http=500, description="The server failed; its log has the reason"),
        "IDEMPOTENCY_CONFLICT": StandardCode(
            http=409, description="The idempotency key was used before, with other arguments"
        ),
    },
)
"""Data and metadata side by side. A failure has error instead of data."""
