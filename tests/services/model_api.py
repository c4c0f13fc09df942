"""A stand-in for OpenRouter: a model on loopback whose turns a test scripts.

The answers have the forms in which OpenRouter sends those of Claude, GPT and Gemini.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
KEY = "sk-or-v1-the-right-key"
CLAUDE, GPT, GEMINI = "anthropic/claude-sonnet-4", "openai/gpt-4o", "google/gemini-2.0-flash-001"
TOOLLESS, NARROW = "acme/toolless", "acme/narrow"


@dataclass(frozen=True)
class Turn:
    """One turn of a model: words, calls of tools as pairs of name and arguments, or both."""

    text: str = ""
    calls: tuple[tuple[str, Json], ...] = ()
    tokens: int = 100
    """Tokens of the prompt, as the API counts them."""


Reply = Turn | int | Json | Callable[[Json], "Turn | int | Json"]
"""A turn, an HTTP status, the body of an answer, or a function that makes one of a request."""


def final(**output: Any) -> Turn:
    """Return the turn that ends with *output*."""
    return Turn(calls=(("final_result", output),))


def described(name: str, *parameters: str, context: int = 200_000) -> Json:
    """Return a model as OpenRouter lists it."""
    return {
        "id": name,
        "canonical_slug": f"{name}-20250522",
        "name": name,
        "context_length": context,
        "supported_parameters": ["max_tokens", "temperature", *parameters],
        "top_provider": {"context_length": context, "max_completion_tokens": None, "is_moderated": False},
        "per_request_limits": None,
    }


def _described_models() -> list[Json]:
    return [
        *(described(name, "tools", "tool_choice", "structured_outputs") for name in (CLAUDE, GPT, GEMINI)),
        described(TOOLLESS),
        described(NARROW, "tools", context=4096),
    ]


@dataclass
class ModelApi:
    """Answers requests with *replies* in turn; the last one is repeated."""

    replies: list[Reply] = field(default_factory=lambda: [final(text="")])
    models: list[Json] | int = field(default_factory=_described_models)
    """Its list of models, or the status in place of it."""
    is_openrouter: bool = True
    """True if anybody may list the models, and `/key` describes the key."""
    requests: list[Json] = field(default_factory=list)
    """The requests for completions."""
    url: str = ""
    moved_to: str = ""
    """URL to which it redirects completions, unless empty."""
    gate: threading.Event = field(default_factory=threading.Event)
    """Completions wait until it is set, which it is at first."""
    received: threading.Event = field(default_factory=threading.Event)
    """Set by a request for a completion."""

    def __post_init__(self) -> None:
        self.gate.set()

    def get(self, path: str, *, has_key: bool) -> tuple[int, Json]:
        """Return status and body of an answer."""
        if path == "/v1/models" and (has_key or self.is_openrouter):
            return (self.models, {}) if isinstance(self.models, int) else (200, {"object": "list", "data": self.models})
        if path == "/v1/key" and not self.is_openrouter:
            return 404, {"error": {"message": "Not Found", "code": 404}}
        return (200, {"data": {"label": "sk-or-v1-the...key", "limit": None}}) if has_key else _UNAUTHORISED

    def complete(self, request: Json, *, has_key: bool) -> tuple[int, Json]:
        """Return status and body of a completion."""
        if not has_key:
            return _UNAUTHORISED
        self.requests.append(request)
        self.received.set()
        self.gate.wait()
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        turn = reply(request) if callable(reply) else reply
        if isinstance(turn, dict):
            return 200, turn
        if isinstance(turn, int):
            return turn, {"error": {"message": f"The key {KEY} met a problem.", "code": turn}}
        return 200, _completion(request["model"], turn)


_UNAUTHORISED: tuple[int, Json] = (401, {"error": {"message": "No auth credentials found", "code": 401}})


def _completion(model: str, turn: Turn) -> Json:
    """Return a completion as OpenRouter sends those of *model*'s provider."""
    maker = model.partition("/")[0]
    provider, id_form, native = {
        "anthropic": ("Anthropic", "toolu_01{:022}", ("tool_use", "end_turn")),
        "google": ("Google AI Studio", "tool_{}_call", ("STOP", "STOP")),
    }.get(maker, ("OpenAI", "call_{:024}", ("tool_calls", "stop")))
    calls = [
        {
            "index": number,
            "id": id_form.format(number),
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(turn.calls)
    ]
    content = turn.text or {"openai": None}.get(maker, "")
    message = {"role": "assistant", "content": content, "refusal": None, "reasoning": None}
    choice = {
        "index": 0,
        "logprobs": None,
        "finish_reason": "tool_calls" if calls else "stop",
        "native_finish_reason": native[0 if calls else 1],
        "message": message | ({"tool_calls": calls} if calls else {}),
    }
    usage = {"prompt_tokens": turn.tokens, "completion_tokens": 20, "total_tokens": turn.tokens + 20}
    return {
        "id": "gen-1763000000-abcdefghij",
        "provider": provider,
        "model": model,
        "object": "chat.completion",
        "created": 1763000000,
        "choices": [choice],
        "usage": usage,
    }


@contextmanager
def serving(api: ModelApi) -> Iterator[ModelApi]:
    """Serve *api* at its `url`."""

    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer in one packet

        def do_GET(self) -> None:
            self._send(*api.get(self.path, has_key=self._has_key()))

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = api.complete(request, has_key=self._has_key())
            self._send(307 if api.moved_to else status, body)

        def _has_key(self) -> bool:
            return bool(self.headers["Authorization"] == f"Bearer {KEY}")

        def _send(self, status: int, body: Json) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            if status == HTTPStatus.TEMPORARY_REDIRECT:
                self.send_header("Location", f"{api.moved_to}{self.path.removeprefix('/v1')}")
            self.end_headers()
            with suppress(ConnectionError):  # a late model's caller is gone, and so is one that reads no more
                self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the class it overrides calls it
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.daemon_threads = True
    server.block_on_close = False
    with server:
        api.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield api
        finally:
            api.gate.set()
            server.shutdown()
            thread.join()
