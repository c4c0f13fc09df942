"""Call tools as tasks with fastmcp-tasks; print the outcomes.

`python fastmcp_tasks_client.py URL` runs in an environment of its own, as fastmcp-tasks excludes this project's Redis
client.
"""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp_tasks.client import call_tool_task
from mcp.shared._httpx_utils import create_mcp_http_client

HANG, ODD = 901, 904


async def _say_yes(message: str, _kind: type, _params: Any, _context: Any) -> ElicitResult:
    """Answer a question."""
    asked.append(message)
    return ElicitResult(action="accept", content={"yes": True})


asked: list[str] = []


async def _name_task(request: Any) -> None:
    """Add the header that names the task, which the client leaves out."""
    message = json.loads(request.content or b"{}")
    if message.get("method", "").startswith("tasks/"):
        request.headers["Mcp-Name"] = message["params"]["taskId"]


def _make_http(**options: Any) -> Any:
    http = create_mcp_http_client(**{name: options.get(name) for name in ("headers", "timeout", "auth")})
    http.event_hooks["request"].append(_name_task)
    return http


async def main(url: str) -> None:
    """Create, poll, answer and cancel tasks."""
    transport = StreamableHttpTransport(url, httpx_client_factory=_make_http)
    async with Client(transport, elicitation_handler=_say_yes) as client:
        direct = await client.call_tool("count", {"to": 4})
        task = await call_tool_task(client, "count", {"to": 5})
        created = await task.status()
        polled = await task.result()
        failed = await client.call_tool("count", {"to": ODD}, raise_on_error=False)
        paid = await client.call_tool("pay", {"amount": 100})
        hanging = await call_tool_task(client, "count", {"to": HANG})
        await hanging.cancel()
        cancelled = await hanging.wait(timeout=30)
    answers = {
        "counted": direct.structured_content,
        "status": created.status in {"working", "completed"},
        "polled": polled.structured_content,
        "failed": failed.is_error,
        "paid": paid.structured_content,
        "asked": asked,
        "cancelled": cancelled.status,
    }
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
