"""JSON Schemas of everything.

Generated from tests/toolaccord/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

TEST_SIMPLE_TEXT_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}, "additionalProperties": False}
"""Schema of the arguments of test_simple_text."""

TEST_IMAGE_CONTENT_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_image_content."""

TEST_AUDIO_CONTENT_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_audio_content."""

TEST_EMBEDDED_RESOURCE_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_embedded_resource."""

TEST_MULTIPLE_CONTENT_TYPES_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_multiple_content_types."""

TEST_TOOL_WITH_LOGGING_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_tool_with_logging."""

TEST_ERROR_HANDLING_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_error_handling."""

TEST_TOOL_WITH_PROGRESS_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_tool_with_progress."""

TEST_SAMPLING_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"prompt": {"type": "string", "maxLength": 1000, "description": "Any text"}},
    "required": ["prompt"],
    "additionalProperties": False,
}
"""Schema of the arguments of test_sampling."""

TEST_ELICITATION_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"message": {"type": "string", "maxLength": 1000, "description": "Any text"}},
    "required": ["message"],
    "additionalProperties": False,
}
"""Schema of the arguments of test_elicitation."""

TEST_ELICITATION_SEP1034_DEFAULTS_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_elicitation_sep1034_defaults."""

TEST_ELICITATION_SEP1330_ENUMS_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_elicitation_sep1330_enums."""

TEST_LOGGING_TOOL_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_logging_tool."""

TEST_STREAMING_ELICITATION_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_streaming_elicitation."""

TEST_MISSING_CAPABILITY_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_missing_capability."""

TEST_INPUT_REQUIRED_RESULT_ELICITATION_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_input_required_result_elicitation."""

TEST_INPUT_REQUIRED_RESULT_SAMPLING_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_input_required_result_sampling."""

TEST_INPUT_REQUIRED_RESULT_LIST_ROOTS_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_input_required_result_list_roots."""

TEST_INPUT_REQUIRED_RESULT_REQUEST_STATE_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_input_required_result_request_state."""

TEST_INPUT_REQUIRED_RESULT_MULTIPLE_INPUTS_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_input_required_result_multiple_inputs."""

TEST_INPUT_REQUIRED_RESULT_MULTI_ROUND_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_input_required_result_multi_round."""

TEST_INPUT_REQUIRED_RESULT_TAMPERED_STATE_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_input_required_result_tampered_state."""

TEST_INPUT_REQUIRED_RESULT_CAPABILITIES_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of test_input_required_result_capabilities."""

TEST_HEADER_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "maxLength": 100, "x-mcp-header": "Region", "description": "Name of a region"}
    },
    "required": ["region"],
    "additionalProperties": False,
}
"""Schema of the arguments of test_header."""

READ_WATCHED_RESOURCE_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the variables in the URI of watched_resource."""

READ_TEMPLATE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"id": {"type": "string", "maxLength": 64, "description": "Id of the data"}},
    "required": ["id"],
    "additionalProperties": False,
}
"""Schema of the variables in the URI of template."""

READ_TEMPLATE_RETURNS: Final[JsonObject] = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "data": {"type": "string"}},
    "required": ["id", "data"],
    "additionalProperties": False,
}
"""Schema of the content of template."""

PROMPT_TEST_SIMPLE_PROMPT_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of the prompt test_simple_prompt."""

PROMPT_TEST_PROMPT_WITH_ARGUMENTS_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "arg1": {"type": "string", "maxLength": 100, "description": "First argument"},
        "arg2": {"type": "string", "maxLength": 100, "description": "Second argument"},
    },
    "required": ["arg1", "arg2"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt test_prompt_with_arguments."""

PROMPT_TEST_PROMPT_WITH_EMBEDDED_RESOURCE_PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "properties": {"resourceUri": {"type": "string", "maxLength": 1000, "description": "URI of the resource"}},
    "required": ["resourceUri"],
    "additionalProperties": False,
}
"""Schema of the arguments of the prompt test_prompt_with_embedded_resource."""

PROMPT_TEST_PROMPT_WITH_IMAGE_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of the prompt test_prompt_with_image."""

PROMPT_TEST_INPUT_REQUIRED_RESULT_PROMPT_PARAMETERS: Final[JsonObject] = TEST_SIMPLE_TEXT_PARAMETERS
"""Schema of the arguments of the prompt test_input_required_result_prompt."""

USER_MESSAGE_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "Name"},
        "email": {"type": "string", "description": "Address"},
    },
    "required": ["username", "email"],
}
"""Schema of the form of the ask user_message."""

DEFAULTS_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe", "description": "Name"},
        "age": {"type": "integer", "default": 30, "description": "Age in years"},
        "score": {"type": "number", "default": 95.5, "description": "Score"},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
            "description": "Status",
        },
        "verified": {"type": "boolean", "default": True, "description": "True if verified"},
    },
}
"""Schema of the form of the ask defaults."""

CHOICES_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "oneOf": [
                {"const": "value1", "title": "First Option"},
                {"const": "value2", "title": "Second Option"},
                {"const": "value3", "title": "Third Option"},
            ],
        },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"},
                    {"const": "value3", "title": "Third Choice"},
                ]
            },
        },
    },
}
"""Schema of the form of the ask choices."""

USER_NAME_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 1000, "description": "Name"}},
    "required": ["name"],
}
"""Schema of the form of the ask user_name."""

USER_CONTEXT_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {"context": {"type": "string", "maxLength": 1000, "description": "Any text"}},
    "required": ["context"],
}
"""Schema of the form of the ask user_context."""

CONFIRM_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean", "description": "True to confirm"}},
    "required": ["ok"],
}
"""Schema of the form of the ask confirm."""

STEP1_FORM: Final[JsonObject] = USER_NAME_FORM
"""Schema of the form of the ask step1."""

STEP2_FORM: Final[JsonObject] = {
    "type": "object",
    "properties": {"color": {"type": "string", "maxLength": 1000, "description": "Colour"}},
    "required": ["color"],
}
"""Schema of the form of the ask step2."""
