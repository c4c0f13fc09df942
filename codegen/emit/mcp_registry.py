"""The MCP registry's server.json: who a server is, and how its container image is run."""

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
LONGEST = 100
"""Characters that the registry allows a title or a description."""
PORT = 8000
TOKEN = "MCP_AUTH_TOKEN"  # noqa: S105 - the name of a variable


def registry_files(contracts: Sequence[Contract], layout: Layout) -> Tree:
    """The server.json of each server."""
    return {
        f"{contract.system}/{contract.module}/server.json": format_json(server_json(contract, layout))
        for contract in contracts
    }


def server_json(contract: Contract, layout: Layout) -> Json:
    """What the registry is told; it names packages only where there are images."""
    about = {
        "$schema": SCHEMA,
        "name": f"{layout.namespace}/{contract.name}",
        "title": shortened(contract.title),
        "description": shortened(contract.description),
        "version": contract.version,
    }
    return about | ({"packages": packages(contract, layout.images)} if layout.images else {})


def shortened(text: str) -> str:
    """Text in one line, as far as the registry allows."""
    return textwrap.shorten(text, LONGEST, placeholder=" …")


def packages(contract: Contract, images: str) -> list[Json]:
    """The image of a server, run in each of the two ways."""
    image = {
        "registryType": "oci",
        "identifier": f"{images}/{contract.name.lower()}:{contract.version}",
        "runtimeHint": "docker",
    }
    settings = [variable(setting) for setting in contract.settings]
    token = {
        "name": TOKEN,
        "description": "What callers must show as bearer token",
        "isRequired": True,
        "isSecret": True,
    }
    stdio = {
        "transport": {"type": "stdio"},
        "packageArguments": [named("--transport", "stdio")],
        "environmentVariables": settings,
    }
    header = {"name": "Authorization", "value": f"Bearer {{{TOKEN}}}", "isRequired": True, "isSecret": True}
    url = f"http://127.0.0.1:{PORT}/mcp"
    http = {
        "runtimeArguments": [named("--publish", f"127.0.0.1:{PORT}:{PORT}")],
        "transport": {"type": "streamable-http", "url": url, "headers": [header]},
        "environmentVariables": [*settings, token],
    }
    return [image | stdio, image | http]


def named(name: str, value: str) -> Json:
    """A flag of a command line."""
    return {"type": "named", "name": name, "value": value}


def variable(setting: Setting) -> Json:
    """A setting as the registry describes it; the default of a secret is no secret, but empty."""
    about = {"name": setting.env, "description": setting.description}
    flags = {"isRequired": setting.required, "isSecret": setting.secret}
    if setting.default in {None, ""} or setting.secret:
        return about | flags
    shown = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
    return about | flags | {"default": shown}
