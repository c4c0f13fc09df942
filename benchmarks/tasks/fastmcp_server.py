"""The same jobs by FastMCP, with tasks in Docket: `fastmcp_server.py PORT REDIS_URL`.

It runs in an environment of its own, as the newest redis-py and Docket exclude each other.
"""

from __future__ import annotations

import asyncio
import sys

import uvicorn
from fastmcp import FastMCP
from fastmcp_tasks import TasksExtension

NEVER = 999
"""Number to which nobody counts in time."""


def create_server(redis_url: str) -> FastMCP[None]:
    """Return the server with its tool `count`."""
    server: FastMCP[None] = FastMCP("jobs")
    server.add_extension(TasksExtension(url=redis_url))

    @server.tool(task=True)  # type: ignore[untyped-decorator] # only its own environment has the types
    async def count(to: int) -> dict[str, int]:
        """Count to a number, one step after the other."""
        if to == NEVER:
            await asyncio.Event().wait()
        return {"sum": sum(range(to + 1))}

    return server


if __name__ == "__main__":
    app = create_server(sys.argv[2]).http_app(stateless_http=True, json_response=True)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
