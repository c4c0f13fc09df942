"""JSON Schemas of library-mcp.

Generated from tests/toolaccord/contracts/demo/library.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

LIST_BOOKS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "shelf": {"type": "string", "pattern": "^[A-Z]{1,8}$", "description": "Name of the shelf"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 2, "description": "Number of books"},
        "offset": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1000000,
            "default": 0,
            "description": "Number of books to skip",
        },
        "fresh": {"type": "boolean", "default": False, "description": "Bypass the cache"},
    },
    "required": ["shelf"],
    "additionalProperties": False,
}
"""Schema of the arguments of list_books."""

GET_BOOK_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "description": "Number of the book"},
        "title": {"type": "string", "description": "Title of the book"},
        "note": {"type": "string", "description": "Remark on the book"},
    },
    "required": ["id", "title"],
    "additionalProperties": False,
    "description": "A book.",
}
"""Schema of the handler's result."""

LIST_BOOKS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": GET_BOOK_RETURNS},
        "pagination": {
            "type": "object",
            "properties": {
                "offset": {"type": "integer"},
                "limit": {"type": "integer"},
                "total": {"type": "integer"},
                "has_more": {"type": "boolean"},
            },
            "required": ["offset", "limit", "total", "has_more"],
            "additionalProperties": False,
        },
    },
    "required": ["items", "pagination"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_LATENCY_MS: Final[JsonObject] = {"type": "number", "minimum": 0, "description": "Duration of the call in milliseconds"}

_METADATA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "latency_ms": _LATENCY_MS,
        "cached": {"type": "boolean", "description": "True if the result came from the cache"},
        "cache_ttl_remaining": {
            "type": ["number", "null"],
            "minimum": 0,
            "description": "Seconds until the cached result expires; null if the result was fetched for this call",
        },
        "source": {"type": ["string", "null"], "description": "Kind of the system that the result came from"},
    },
    "required": ["latency_ms", "cached", "cache_ttl_remaining", "source"],
    "additionalProperties": False,
}

_MESSAGE: Final[JsonObject] = {
    "type": "string",
    "description": "Explanation of the error, with a remedy where there is one",
}

_DETAILS: Final[JsonObject] = {"type": "object", "description": "Details of the error", "additionalProperties": True}

_LIST_BOOKS_OUTPUT__METADATA: Final[JsonObject] = {
    "type": "object",
    "properties": {"latency_ms": _LATENCY_MS},
    "required": ["latency_ms"],
    "additionalProperties": False,
}

LIST_BOOKS_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {"data": LIST_BOOKS_RETURNS, "_metadata": _METADATA},
            "required": ["data", "_metadata"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": [
                                "INVALID_SHELF",
                                "UNKNOWN_VERSION",
                                "INVALID_PARAMETER",
                                "SHELF_ERROR",
                                "TIMEOUT",
                                "INTERNAL_ERROR",
                            ],
                            "description": "Error code",
                        },
                        "message": _MESSAGE,
                        "details": _DETAILS,
                    },
                    "required": ["code", "message", "details"],
                    "additionalProperties": False,
                },
                "_metadata": _LIST_BOOKS_OUTPUT__METADATA,
            },
            "required": ["error", "_metadata"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

GET_BOOK_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1, "description": "Number of the book"},
        "reason": {"type": "string", "pattern": "^[a-z ]+$", "maxLength": 20, "description": "Reason for reading it"},
    },
    "required": ["id"],
    "additionalProperties": False,
}
"""Schema of the arguments of get_book."""

GET_BOOK_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {"data": GET_BOOK_RETURNS, "_metadata": _METADATA},
            "required": ["data", "_metadata"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": [
                                "REASON_TOO_LONG",
                                "INVALID_REASON",
                                "BOOK_NOT_FOUND",
                                "UNKNOWN_VERSION",
                                "INVALID_PARAMETER",
                                "SHELF_ERROR",
                                "TIMEOUT",
                                "INTERNAL_ERROR",
                            ],
                            "description": "Error code",
                        },
                        "message": _MESSAGE,
                        "details": _DETAILS,
                    },
                    "required": ["code", "message", "details"],
                    "additionalProperties": False,
                },
                "_metadata": _LIST_BOOKS_OUTPUT__METADATA,
            },
            "required": ["error", "_metadata"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

LIST_LOANS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "since": {"type": "string", "format": "date-time", "description": "Start of the period"},
        "until": {"type": "string", "format": "date-time", "description": "End of the period"},
    },
    "additionalProperties": False,
}
"""Schema of the arguments of list_loans."""

LIST_LOANS_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "since": {"type": "string", "description": "Start of the period"},
        "ratio": {"type": "number", "description": "Share of loaned books"},
    },
    "additionalProperties": False,
}
"""Schema of the handler's result."""

LIST_LOANS_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {"data": LIST_LOANS_RETURNS, "_metadata": _METADATA},
            "required": ["data", "_metadata"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": [
                                "INVALID_PERIOD",
                                "PERIOD_TOO_LONG",
                                "UNKNOWN_VERSION",
                                "INVALID_PARAMETER",
                                "SHELF_ERROR",
                                "TIMEOUT",
                                "INTERNAL_ERROR",
                            ],
                            "description": "Error code",
                        },
                        "message": _MESSAGE,
                        "details": _DETAILS,
                    },
                    "required": ["code", "message", "details"],
                    "additionalProperties": False,
                },
                "_metadata": _LIST_BOOKS_OUTPUT__METADATA,
            },
            "required": ["error", "_metadata"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

MISBEHAVE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "how": {
            "type": "string",
            "enum": [
                "crash",
                "undeclared",
                "source",
                "wait",
                "block",
                "print",
                "break",
                "stranger",
                "nan",
                "cancel",
                "gate",
            ],
            "description": "The misbehaviour",
        }
    },
    "required": ["how"],
    "additionalProperties": False,
}
"""Schema of the arguments of misbehave."""

MISBEHAVE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "done": {"type": "integer", "description": "Always 1"},
        "ratio": {"type": ["number", "null"], "description": "A number that may be null"},
    },
    "required": ["done", "ratio"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

MISBEHAVE_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "oneOf": [
        {
            "type": "object",
            "properties": {"data": MISBEHAVE_RETURNS, "_metadata": _METADATA},
            "required": ["data", "_metadata"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": ["SHELF_GONE", "UNKNOWN_VERSION", "INVALID_PARAMETER", "TIMEOUT", "INTERNAL_ERROR"],
                            "description": "Error code",
                        },
                        "message": _MESSAGE,
                        "details": _DETAILS,
                    },
                    "required": ["code", "message", "details"],
                    "additionalProperties": False,
                },
                "_metadata": _LIST_BOOKS_OUTPUT__METADATA,
            },
            "required": ["error", "_metadata"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""
