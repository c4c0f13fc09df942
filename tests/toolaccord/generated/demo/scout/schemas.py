"""JSON Schemas of the agent scout-agent.

Generated from tests/toolaccord/contracts/demo/scout.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

INPUT: Final[JsonObject] = {
    "type": "object",
    "examples": [{"book": "7"}, {"book": "8"}],
    "properties": {"book": {"type": "string", "pattern": "^[0-9]{1,9}$", "description": "Number of the book"}},
    "required": ["book"],
    "additionalProperties": False,
}
"""Schema of a request."""

OUTPUT: Final[JsonObject] = {
    "type": "object",
    "description": "A book that was found.",
    "properties": {
        "book": {"type": "string", "description": "Number of the book"},
        "kind": {"type": "string", "enum": ["NOVEL", "UNKNOWN"], "description": "Kind of the book"},
        "title": {"type": "string", "description": "Title of the book"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "Confidence as a fraction"},
        "is_vague": {"type": "boolean", "description": "True if data was missing"},
    },
    "required": ["book", "kind", "confidence"],
    "additionalProperties": False,
}
"""Schema of a result."""

LOST_PAYLOAD: Final[JsonObject] = {
    "type": "object",
    "description": "A book without a finding.",
    "properties": {
        "book": {"type": "string", "maxLength": 20, "description": "The number as it was given"},
        "error": {"type": "string", "maxLength": 200, "description": "The reason"},
        "error_type": {"type": "string", "maxLength": 40, "description": "Code or class of the error"},
        "retries_attempted": {"type": "integer", "minimum": 0, "description": "Number of retries"},
    },
    "required": ["book", "error", "error_type", "retries_attempted"],
    "additionalProperties": False,
}
"""Schema of the payload of the event lost."""

BATCH_RESULT: Final[JsonObject] = {
    "type": "object",
    "description": "The outcome of a search for several books.",
    "properties": {
        "successful": {"type": "array", "maxItems": 3, "items": OUTPUT, "description": "Findings"},
        "partial": {
            "type": "array",
            "maxItems": 3,
            "items": {
                "type": "object",
                "description": "A finding from incomplete data.",
                "properties": {
                    "finding": OUTPUT,
                    "missing_data": {
                        "type": "array",
                        "maxItems": 2,
                        "items": {"type": "string", "enum": ["title", "shelf"]},
                        "description": "The missing data",
                    },
                    "confidence_penalty": {
                        "type": "number",
                        "description": "Reduction of the confidence, as a fraction",
                    },
                },
                "required": ["finding", "missing_data", "confidence_penalty"],
                "additionalProperties": False,
            },
            "description": "Vague ones",
        },
        "duplicate": {"type": "array", "maxItems": 3, "items": OUTPUT, "description": "Known ones"},
        "deferred": {"type": "array", "maxItems": 3, "items": OUTPUT, "description": "Sent later"},
        "failed": {"type": "array", "maxItems": 3, "items": LOST_PAYLOAD, "description": "Losses"},
        "success_rate": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "Share of findings, as a fraction",
        },
    },
    "required": ["successful", "partial", "duplicate", "deferred", "failed", "success_rate"],
    "additionalProperties": False,
}
"""Schema of a batch's result."""

FOUND_PAYLOAD: Final[JsonObject] = OUTPUT
"""Schema of the payload of the event found."""
