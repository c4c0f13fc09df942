"""JSON Schemas of the agent moex-analyst.

Generated from contracts/agents/moex_analyst.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import Final

from toolaccord.json_values import JsonObject

INPUT: Final[JsonObject] = {
    "type": "object",
    "description": "A conversation that ends with a question.",
    "examples": [{"input": {"messages": [{"role": "user", "content": "Как изменилась цена SBER за неделю?"}]}}],
    "properties": {
        "input": {
            "type": "object",
            "description": "Messages and what is known of the user.",
            "properties": {
                "messages": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 100,
                    "description": "The conversation, oldest first",
                    "items": {
                        "type": "object",
                        "description": "A message.",
                        "properties": {
                            "role": {
                                "type": "string",
                                "enum": ["system", "user", "assistant"],
                                "description": "Its author",
                            },
                            "content": {"type": "string", "maxLength": 20000, "description": "Its text"},
                        },
                        "required": ["role", "content"],
                        "additionalProperties": False,
                    },
                },
                "metadata": {
                    "type": "object",
                    "description": "Facts about the user.",
                    "properties": {
                        "locale": {
                            "type": "string",
                            "maxLength": 35,
                            "description": "Language of the answer, ru if absent",
                        },
                        "user_role": {
                            "type": "string",
                            "maxLength": 100,
                            "description": "Role of the user, which chooses the depth",
                        },
                    },
                    "required": [],
                    "additionalProperties": True,
                },
            },
            "required": ["messages"],
            "additionalProperties": True,
        }
    },
    "required": ["input"],
    "additionalProperties": False,
}
"""Schema of a request."""

OUTPUT: Final[JsonObject] = {
    "type": "object",
    "description": "An answer.",
    "properties": {
        "output": {
            "type": "object",
            "description": "Text, tables and the way to them.",
            "properties": {
                "text": {
                    "type": "string",
                    "description": "The answer in sentences, in Russian unless the locale is English.",
                },
                "tables": {
                    "type": "array",
                    "maxItems": 20,
                    "items": {
                        "type": "object",
                        "description": "A table.",
                        "properties": {
                            "title": {"type": "string", "description": "Its title"},
                            "columns": {
                                "type": "array",
                                "maxItems": 50,
                                "items": {"type": "string"},
                                "description": "Names of its columns",
                            },
                            "rows": {
                                "type": "array",
                                "maxItems": 1000,
                                "items": {"type": "array", "maxItems": 50, "items": {}},
                                "description": "Its rows",
                            },
                        },
                        "required": ["columns", "rows"],
                        "additionalProperties": False,
                    },
                    "description": "Tables of the answer",
                },
                "debug": {
                    "type": ["null", "object"],
                    "description": "The plan and the calls.",
                    "properties": {
                        "plan": {
                            "type": "array",
                            "maxItems": 5,
                            "items": {"type": "string"},
                            "description": "Steps of the plan",
                        },
                        "tool_calls": {
                            "type": "array",
                            "maxItems": 20,
                            "items": {
                                "type": "object",
                                "description": "A call of a tool.",
                                "properties": {
                                    "tool": {"type": "string", "description": "Name of the tool"},
                                    "args": {
                                        "type": "object",
                                        "additionalProperties": True,
                                        "description": "Its arguments",
                                    },
                                },
                                "required": ["tool", "args"],
                                "additionalProperties": True,
                            },
                            "description": "Calls in their order",
                        },
                    },
                    "required": [],
                    "additionalProperties": True,
                },
            },
            "required": ["text"],
            "additionalProperties": False,
        }
    },
    "required": ["output"],
    "additionalProperties": False,
}
"""Schema of a result."""
