"""Serve a scripted model on loopback, of OpenAI's or Anthropic's form, that calls one tool."""

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
    prompts: list[str] = field(default_factory=list)
    """The texts of the user in the requests with tools."""

    def respond(self, request: Json) -> Iterator[str]:
        """Return the answer to a request of OpenAI's chat completions."""
        return events(self.turn(request))

    def turn(self, request: Json) -> Json:
        """Return the model's next turn: the delta of a chunk."""
        offered = {each["function"]["name"]: each["function"]["parameters"] for each in request.get("tools", ())}
        answered = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if not offered or answered:
            self.results += map(text_of, answered)
            return {"role": "assistant", "content": LAST_WORDS}
        self.tools = offered
        self.prompts += [text_of(message["content"]) for message in request["messages"] if message["role"] == "user"]
        call = {"name": self.tool, "arguments": json.dumps(self.arguments)}
        return {"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": call}]}


@dataclass(slots=True)
class ScriptedClaude(ScriptedModel):
    """The same by Anthropic's messages; without a *tool* it only reads."""

    def respond(self, request: Json) -> Iterator[str]:
        """Return the answer to a request of Anthropic's messages."""
        return message_events(self.block(request))

    def block(self, request: Json) -> Json:
        """Return the content of the model's next turn."""
        parts = [part for message in request["messages"] if message["role"] == "user" for part in parts_of(message)]
        answered = [part["content"] for part in parts if part["type"] == "tool_result"]
        self.results += map(text_of, answered)
        if answered or not self.tool:
            self.prompts += [part["text"] for part in parts if part["type"] == "text"]
            return {"type": "text", "text": LAST_WORDS}
        self.tools = {tool["name"]: tool["input_schema"] for tool in request["tools"] if "input_schema" in tool}
        return {"type": "tool_use", "id": "call_1", "name": self.tool, "input": self.arguments}


def parts_of(message: Json) -> list[Json]:
    """Return the parts of one of Anthropic's messages, which has one of two forms."""
    content: str | list[Json] = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


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


def message_events(block: Json) -> Iterator[str]:
    """Stream a turn as Anthropic's server-sent events."""
    if block["type"] == "text":
        empty, delta, reason = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}, "end_turn"
    else:
        empty, reason = block | {"input": {}}, "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "turn", "type": "message", "role": "assistant", "model": "scripted", "content": [], "usage": usage}
    for event in (
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
        {"type": "message_stop"},
    ):
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


@contextmanager
def serving(model: ScriptedModel) -> Iterator[ScriptedModel]:
    """Serve the model at its `url`."""

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join(model.respond(request)).encode())

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
