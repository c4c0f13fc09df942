"""A server of another make: `python -m tests.codegen.cli.servers.foreign_server`."""

import base64
from typing import Any

from mcp.server.mcpserver import Image, MCPServer

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
server = MCPServer("foreign")


@server.tool()
def add(first: int, second: int = 1) -> int:
    """Add two numbers.

    The second line is not for lists.
    """
    return first + second


@server.tool()
def draw() -> Any:
    """Draw one pixel."""
    return Image(data=PIXEL, format="png")


@server.tool()
def fail() -> str:
    """Fail with an escape sequence."""
    raise ValueError("no \x1b[31mpaper")


if __name__ == "__main__":
    server.run()
