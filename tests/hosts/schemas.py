"""Describe hosts' configurations by JSON Schemas of our own, after the hosts' pages.

The schemas are closed, so that a misspelt key fails. test_published.py uses schemas that hosts publish.
"""

from typing import Any

Json = dict[str, Any]

TEXTS = {"type": "array", "items": {"type": "string"}}
VARIABLES = {"type": "object", "additionalProperties": {"type": "string"}}
NAME = {"pattern": "^[A-Za-z0-9_-]{1,64}$"}


def closed(properties: Json, *required: str) -> Json:
    """An object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def named(entry: Json) -> Json:
    """Servers by name."""
    return {"type": "object", "additionalProperties": entry, "propertyNames": NAME, "minProperties": 1}


STARTED = {"command": {"type": "string", "minLength": 1}, "args": TEXTS, "env": VARIABLES}
STDIO = {"type": {"const": "stdio"}, **STARTED}

OPENCODE_LOCAL = closed(
    {
        "type": {"const": "local"},
        "command": {**TEXTS, "minItems": 1},
        "cwd": {"type": "string"},
        "environment": VARIABLES,
        "enabled": {"type": "boolean"},
        "timeout": {"type": "integer", "exclusiveMinimum": 0},
    },
    "type",
    "command",
)
VSCODE_INPUT = closed(
    {
        "type": {"const": "promptString"},
        "id": {"type": "string"},
        "description": {"type": "string"},
        "password": {"type": "boolean"},
        "default": {"type": "string"},
    },
    "type",
    "id",
    "description",
)
CODEX_SERVER = closed(
    {
        "command": {"type": "string"},
        "args": TEXTS,
        "env": VARIABLES,
        "env_vars": TEXTS,
        "cwd": {"type": "string"},
        "enabled": {"type": "boolean"},
        "startup_timeout_sec": {"type": "number"},
        "tool_timeout_sec": {"type": "number"},
    },
    "command",
)

HOSTS: dict[str, Json] = {
    # https://opencode.ai/docs/mcp-servers
    "opencode.json": closed({"$schema": {"type": "string"}, "mcp": named(OPENCODE_LOCAL)}, "mcp"),
    # https://code.claude.com/docs/en/mcp
    "claude-code.mcp.json": closed({"mcpServers": named(closed(STDIO, "command"))}, "mcpServers"),
    # https://modelcontextprotocol.io/docs/develop/connect-local-servers
    "claude-desktop.json": closed({"mcpServers": named(closed(STARTED, "command"))}, "mcpServers"),
    # https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
    "vscode.mcp.json": closed(
        {
            "inputs": {"type": "array", "items": VSCODE_INPUT},
            "servers": named(closed({**STDIO, "envFile": {"type": "string"}}, "type", "command")),
        },
        "servers",
    ),
    # https://cursor.com/docs/mcp
    "cursor.mcp.json": closed(
        {"mcpServers": named(closed({**STDIO, "envFile": {"type": "string"}}, "type", "command"))}, "mcpServers"
    ),
    # https://geminicli.com/docs/tools/mcp-server
    "gemini.settings.json": closed(
        {"mcpServers": named(closed({**STARTED, "timeout": {"type": "integer"}}, "command"))}, "mcpServers"
    ),
    # https://developers.openai.com/codex/mcp
    "codex.config.toml": closed({"mcp_servers": named(CODEX_SERVER)}, "mcp_servers"),
}

HEADERS = {"url": {"type": "string"}, "headers": VARIABLES}
INPUTS = {"inputs": {"type": "array", "items": VSCODE_INPUT}}

REMOTE: dict[str, Json] = {
    "opencode.json": closed(
        {
            "mcp": named(
                closed(
                    {"type": {"const": "remote"}, "oauth": {"const": False}, "enabled": {"type": "boolean"}, **HEADERS},
                    "type",
                    "url",
                )
            )
        },
        "mcp",
    ),
    "claude-code.mcp.json": closed(
        {"mcpServers": named(closed({"type": {"const": "http"}, **HEADERS}, "type", "url"))}
    ),
    "vscode.mcp.json": closed(
        {**INPUTS, "servers": named(closed({"type": {"const": "http"}, **HEADERS}, "type", "url"))}
    ),
    "cursor.mcp.json": closed({"mcpServers": named(closed(HEADERS, "url"))}),
    "gemini.settings.json": closed(
        {"mcpServers": named(closed({"httpUrl": {"type": "string"}, "headers": VARIABLES}, "httpUrl"))}
    ),
    "codex.config.toml": closed(
        {"mcp_servers": named(closed({"url": {"type": "string"}, "bearer_token_env_var": {"type": "string"}}, "url"))}
    ),
}
"""The same pages on servers that run elsewhere."""

ARGUMENT = closed({"type": {"const": "named"}, "name": {"type": "string"}, "value": {"type": "string"}}, "type", "name")
VARIABLE = closed(
    {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"},
        "default": {"type": "string"},
    },
    "name",
)
HEADER = closed(
    {
        "name": {"type": "string"},
        "value": {"type": "string"},
        "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"},
    },
    "name",
)
TRANSPORT = {
    "oneOf": [
        closed({"type": {"const": "stdio"}}, "type"),
        closed(
            {
                "type": {"const": "streamable-http"},
                "url": {"type": "string", "pattern": r"^https?://\S+$"},
                "headers": {"type": "array", "items": HEADER},
            },
            "type",
            "url",
        ),
    ]
}
PACKAGE = closed(
    {
        "registryType": {"enum": ["npm", "pypi", "cargo", "oci", "nuget", "mcpb"]},
        "version": {"type": "string", "maxLength": 255},
        "fileSha256": {"type": "string", "pattern": "^[a-f0-9]{64}$"},
        "identifier": {"type": "string"},
        "runtimeHint": {"type": "string"},
        "runtimeArguments": {"type": "array", "items": ARGUMENT},
        "packageArguments": {"type": "array", "items": ARGUMENT},
        "transport": TRANSPORT,
        "environmentVariables": {"type": "array", "items": VARIABLE},
    },
    "registryType",
    "identifier",
    "transport",
)
LINE = {"type": "string", "minLength": 1, "maxLength": 100}

# https://github.com/modelcontextprotocol/registry, docs/reference/server-json
REGISTRY = closed(
    {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        "title": LINE,
        "description": LINE,
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "packages": {"type": "array", "items": PACKAGE},
    },
    "name",
    "description",
    "version",
)
