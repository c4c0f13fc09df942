"""server.json of the MCP registry: a server's identity and the launch of its image."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from codegen.emit.output_tree import Tree
from codegen.ir.contract import Contract, Setting
from codegen.ir.layout import Layout
from codegen.loading.json_parser import format_json

Json = dict[str, Any]

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
MAX_LENGTH = 100
"""Characters that the registry allows in a title or a description."""
PORT = 8000
TOKEN = "MCP_AUTH_TOKEN"  # noqa: S105 - the name of a variable


def build_registry_files(contracts: Sequence[Contract], layout: Layout) -> Tree:
    """Build the server.json of each server."""
    return {
        f"{contract.system}/{contract.module}/server.json": format_json(_build_server_json(contract, layout))
        for contract in contracts
    }


def _build_server_json(contract: Contract, layout: Layout) -> Json:
    """Build the registry's record of a server, with packages if the layout names images."""
    server = {
        "$schema": SCHEMA,
        "name": f"{layout.namespace}/{contract.name}",
        "title": _shorten(contract.title),
        "description": _shorten(contract.description),
        "version": contract.version,
    }
    return server | ({"packages": _build_packages(contract, layout.images)} if layout.images else {})


def _shorten(text: str) -> str:
    """Put text on one line, cut to the registry's limit."""
    return textwrap.shorten(text, MAX_LENGTH, placeholder=" …")


def _build_packages(contract: Contract, images: str) -> list[Json]:
    """Build the two packages of a server's image: one for stdio, one for HTTP."""
    image = {
        "registryType": "oci",
        "identifier": f"{images}/{contract.name.lower()}:{contract.version}",
        "runtimeHint": "docker",
    }
    settings = [_describe_variable(setting) for setting in contract.settings]
    token = {
        "name": TOKEN,
        "description": "Bearer token that callers must send",
        "isRequired": True,
        "isSecret": True,
    }
    stdio = {
        "transport": {"type": "stdio"},
        "packageArguments": [_build_argument("--transport", "stdio")],
        "environmentVariables": settings,
    }
    header = {"name": "Authorization", "value": f"Bearer {{{TOKEN}}}", "isRequired": True, "isSecret": True}
    url = f"http://127.0.0.1:{PORT}/mcp"
    http = {
        "runtimeArguments": [_build_argument("--publish", f"127.0.0.1:{PORT}:{PORT}")],
        "transport": {"type": "streamable-http", "url": url, "headers": [header]},
        "environmentVariables": [*settings, token],
    }
    return [image | stdio, image | http]


def _build_argument(name: str, value: str) -> Json:
    """Build a named argument of a command line."""
    return {"type": "named", "name": name, "value": value}


def _describe_variable(setting: Setting) -> Json:
    """Describe a setting as an environment variable; a secret's default is left out."""
    variable = {"name": setting.env, "description": setting.description}
    flags = {"isRequired": setting.required, "isSecret": setting.secret}
    if setting.default in {None, ""} or setting.secret:
        return variable | flags
    default = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
    return variable | flags | {"default": default}
