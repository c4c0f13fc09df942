"""JSON Schemas of everything, with every reference inlined.

Generated from tests/toolpact/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolpact.json_values import JsonObject

TEST_SIMPLE_TEXT_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of test_simple_text."""

TEST_IMAGE_CONTENT_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of test_image_content."""

TEST_AUDIO_CONTENT_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of test_audio_content."""

TEST_EMBEDDED_RESOURCE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
"""Schema of the arguments of test_embedded_resource."""

TEST_MULTIPLE_CONTENT_TYPES_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
"""Schema of the arguments of test_multiple_content_types."""

TEST_TOOL_WITH_LOGGING_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
"""Schema of the arguments of test_tool_with_logging."""

TEST_ERROR_HANDLING_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of test_error_handling."""

TEST_TOOL_WITH_PROGRESS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
"""Schema of the arguments of test_tool_with_progress."""

TEST_LOGGING_TOOL_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of test_logging_tool."""

TEST_STREAMING_ELICITATION_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
"""Schema of the arguments of test_streaming_elicitation."""

TEST_HEADER_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "maxLength": 100, "x-mcp-header": "Region", "description": "Name of a region"}
    },
    "required": ["region"],
    "additionalProperties": False,
}
"""Schema of the arguments of test_header."""
