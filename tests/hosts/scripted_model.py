"""Serve a scripted model: an OpenAI-compatible endpoint on loopback that calls one tool."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

LAST_WORDS = "The script ends here."


@dataclass(slots=True)
class ScriptedModel:
    """Calls *tool* with *arguments* once it receives tools, and ends with the tool's result."""

    tool: str
    arguments: Json
    url: str = ""
    tools: dict[str, Json] = field(default_factory=dict)
    """The tools that it was shown, by name, with their parameters."""
    results: list[str] = field(default_factory=list)
    """The result of the call, as text."""

    def turn(self, request: Json) -> Json:
        """Return the model's next turn: the delta of a chunk."""
        offered = {each["function"]["name"]: each["function"]["parameters"] for each in request.get("tools", ())}
        answered = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if not offered or answered:
            self.results += map(text_of, answered)
            return {"role": "assistant", "content": LAST_WORDS}
        self.tools = offered
        call = {"name": self.tool, "arguments": json.dumps(self.arguments)}
        return {"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": call}]}


def text_of(content: str | list[Json]) -> str:
    """Return the text of a message, which has one of two forms."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def events(delta: Json) -> Iterator[str]:
    """A turn as a stream of server-sent events."""
    reason = "tool_calls" if "tool_calls" in delta else "stop"
    for choice in ({"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": reason}):
        chunk = {
            "id": "turn",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "scripted",
            "choices": [choice],
        }
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"


@contextmanager
def serving(model: ScriptedModel) -> Iterator[ScriptedModel]:
    """Serve the model at its `url`."""

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join(events(model.turn(request))).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the class it overrides calls it
            """Print nothing: what matters is in the model."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()
