"""JSON Schemas of relay-mcp.

Generated from tests/toolaccord/contracts/demo/relay.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

ECHO_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"text": {"type": "string", "maxLength": 1000000, "description": "Text to say"}},
    "required": ["text"],
    "additionalProperties": False,
}
"""Schema of the arguments of echo."""

ECHO_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "The same text"},
        "station": {"type": "string", "description": "Name of the station"},
    },
    "required": ["text", "station"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

_MESSAGE: Final[JsonObject] = {
    "type": "string",
    "description": "Explanation of the error, with a remedy where there is one",
}

_DETAILS: Final[JsonObject] = {"type": "object", "description": "Details of the error", "additionalProperties": True}

_ECHO_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "integer", "description": "Number of the error's code in JSON-RPC"},
                "message": _MESSAGE,
                "data": {
                    "type": "object",
                    "properties": {
                        "code": {
                            "type": "string",
                            "enum": ["UNKNOWN_VERSION", "INVALID_PARAMS", "UNAVAILABLE", "TIMEOUT", "INTERNAL_ERROR"],
                            "description": "Error code",
                        },
                        "details": _DETAILS,
                    },
                    "required": ["code", "details"],
                    "additionalProperties": False,
                },
            },
            "required": ["code", "message", "data"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}

ECHO_OUTPUT: Final[JsonObject] = {"type": "object", "anyOf": [ECHO_RETURNS, _ECHO_OUTPUT]}
"""Schema of the response, published by tools/list as outputSchema."""

SIGNAL_HOLD_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"signal": {"type": "string", "maxLength": 20, "description": "Name of the signal"}},
    "required": ["signal"],
    "additionalProperties": False,
}
"""Schema of the arguments of signal.hold."""

SIGNAL_HOLD_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"signal": {"type": "string", "description": "Name of the signal"}},
    "required": ["signal"],
    "additionalProperties": False,
}
"""Schema of the handler's result."""

SIGNAL_HOLD_OUTPUT: Final[JsonObject] = {"type": "object", "anyOf": [SIGNAL_HOLD_RETURNS, _ECHO_OUTPUT]}
"""Schema of the response, published by tools/list as outputSchema."""

SIGNAL_RELEASE_PARAMETERS: Final[JsonObject] = SIGNAL_HOLD_PARAMETERS
"""Schema of the arguments of signal.release."""

SIGNAL_RELEASE_RETURNS: Final[JsonObject] = SIGNAL_HOLD_RETURNS
"""Schema of the handler's result."""

SIGNAL_RELEASE_OUTPUT: Final[JsonObject] = SIGNAL_HOLD_OUTPUT
"""Schema of the response, published by tools/list as outputSchema."""

STALL_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of stall."""

STALL_RETURNS: Final[JsonObject] = STALL_PARAMETERS
"""Schema of the handler's result."""

STALL_OUTPUT: Final[JsonObject] = {"type": "object", "anyOf": [STALL_PARAMETERS, _ECHO_OUTPUT]}
"""Schema of the response, published by tools/list as outputSchema."""

FAIL_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "by": {"type": "string", "enum": ["declared", "source", "crash"], "description": "Kind of the failure"},
        "text": {"type": "string", "maxLength": 100, "description": "Text of the failure"},
    },
    "required": ["by", "text"],
    "additionalProperties": False,
}
"""Schema of the arguments of fail."""

FAIL_RETURNS: Final[JsonObject] = STALL_PARAMETERS
"""Schema of the handler's result."""

FAIL_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        STALL_PARAMETERS,
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {"type": "integer", "description": "Number of the error's code in JSON-RPC"},
                        "message": _MESSAGE,
                        "data": {
                            "type": "object",
                            "properties": {
                                "code": {
                                    "type": "string",
                                    "enum": [
                                        "LINE_BROKEN",
                                        "UNKNOWN_VERSION",
                                        "INVALID_PARAMS",
                                        "UNAVAILABLE",
                                        "TIMEOUT",
                                        "INTERNAL_ERROR",
                                    ],
                                    "description": "Error code",
                                },
                                "details": _DETAILS,
                            },
                            "required": ["code", "details"],
                            "additionalProperties": False,
                        },
                    },
                    "required": ["code", "message", "data"],
                    "additionalProperties": False,
                }
            },
            "required": ["error"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

TRADE_SUBMIT_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": True}
"""Schema of the arguments of trade.submit."""

TRADE_SUBMIT_RETURNS: Final[JsonObject] = STALL_PARAMETERS
"""Schema of the handler's result."""

TRADE_SUBMIT_OUTPUT: Final[JsonObject] = {
    "type": "object",
    "anyOf": [
        STALL_PARAMETERS,
        {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {"type": "integer", "description": "Number of the error's code in JSON-RPC"},
                        "message": _MESSAGE,
                        "data": {
                            "type": "object",
                            "properties": {
                                "code": {
                                    "type": "string",
                                    "enum": [
                                        "TRADE_DISABLED",
                                        "UNKNOWN_VERSION",
                                        "INVALID_PARAMS",
                                        "UNAVAILABLE",
                                        "TIMEOUT",
                                        "INTERNAL_ERROR",
                                    ],
                                    "description": "Error code",
                                },
                                "details": _DETAILS,
                            },
                            "required": ["code", "details"],
                            "additionalProperties": False,
                        },
                    },
                    "required": ["code", "message", "data"],
                    "additionalProperties": False,
                }
            },
            "required": ["error"],
            "additionalProperties": False,
        },
    ],
}
"""Schema of the response, published by tools/list as outputSchema."""

PROMPT_SPELL_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["bad", "cab"], "description": "The word"}},
    "required": ["word"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt spell."""
