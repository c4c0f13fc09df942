"""The server that the official conformance suite of MCP calls.

`tests/toolaccord/contracts/demo/everything.json` declares it. `python -m tests.conformance.everything` serves it.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Sequence
from dataclasses import replace

from tests.toolaccord.generated.demo.errors import OnPurpose
from tests.toolaccord.generated.demo.everything import models
from tests.toolaccord.generated.demo.everything import server as declared
from tests.toolaccord.generated.demo.everything.server import EverythingCall
from toolaccord.content import Audio, EmbeddedResource, Image, Message, Text
from toolaccord.contract.settings import Setting
from toolaccord.declarations.tool import Server
from toolaccord.server.main import run
from toolaccord.sources.nats import NatsSource
from toolaccord.sources.redis import RedisSource

RED_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
"""A PNG of one red pixel."""
SILENCE = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAA")
"""A WAV file of one silent sample."""


STORE = Setting(name="store_url", env="TASK_STORE", description="Store of tasks", schema={"type": "string"})
"""The setting with the address of the store of tasks."""


def _show(answer: object) -> list[Text]:
    """Return *answer* as a text."""
    return [Text(f"Received {answer}")]


class Everything:
    """The handlers."""

    async def greet(self, request: models.GreetRequest, _call: EverythingCall, /) -> Sequence[Text]:
        """Greet somebody."""
        return [Text(f"Hello, {request.name}!")]

    async def slow_compute(self, request: models.SlowComputeRequest, call: EverythingCall, /) -> Sequence[Text]:
        """Compute for some seconds."""
        await call.progress(0, 1, "Computing")
        await asyncio.sleep(request.seconds)
        return [Text(f"Computed {request.label}")]

    async def failing_job(self, _request: models.FailingJobRequest, _call: EverythingCall, /) -> Sequence[Text]:
        """Fail."""
        raise OnPurpose("The job fails on purpose.")

    async def protocol_error_job(
        self, _request: models.ProtocolErrorJobRequest, _call: EverythingCall, /
    ) -> Sequence[Text]:
        """Fail by a fault."""
        raise RuntimeError("a fault on purpose")

    async def confirm_delete(self, request: models.ConfirmDeleteRequest, call: EverythingCall, /) -> Sequence[Text]:
        """Ask before a file is deleted."""
        return _show(await call.ask.deletion(filename=request.filename))

    async def multi_input(self, _request: models.MultiInputRequest, call: EverythingCall, /) -> Sequence[Text]:
        """Ask two things at once."""
        return _show(await asyncio.gather(call.ask.first_input(), call.ask.second_input()))

    async def test_tool_with_task(
        self, _request: models.TestToolWithTaskRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Greet the person whose name the caller gave before the task."""
        return _show(await call.ask.user_name())

    async def test_simple_text(
        self, _request: models.TestSimpleTextRequest, _call: EverythingCall, /
    ) -> Sequence[Text]:
        """Return a text."""
        return [Text("This is a simple text response for testing.")]

    async def test_image_content(
        self, _request: models.TestImageContentRequest, _call: EverythingCall, /
    ) -> Sequence[Image]:
        """Return an image."""
        return [Image(RED_PIXEL, "image/png")]

    async def test_audio_content(
        self, _request: models.TestAudioContentRequest, _call: EverythingCall, /
    ) -> Sequence[Audio]:
        """Return a sound."""
        return [Audio(SILENCE, "audio/wav")]

    async def test_embedded_resource(
        self, _request: models.TestEmbeddedResourceRequest, _call: EverythingCall, /
    ) -> Sequence[EmbeddedResource]:
        """Return a resource."""
        return [EmbeddedResource("test://embedded-resource", "This is an embedded resource content.", "text/plain")]

    async def test_multiple_content_types(
        self, _request: models.TestMultipleContentTypesRequest, _call: EverythingCall, /
    ) -> Sequence[Text | Image | EmbeddedResource]:
        """Return a text, an image and a resource."""
        return [
            Text("Multiple content types test:"),
            Image(RED_PIXEL, "image/png"),
            EmbeddedResource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ]

    async def test_tool_with_logging(
        self, _request: models.TestToolWithLoggingRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Send three messages."""
        for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await call.log.info(message)
        return [Text("Tool execution completed")]

    async def test_error_handling(
        self, _request: models.TestErrorHandlingRequest, _call: EverythingCall, /
    ) -> Sequence[Text]:
        """Raise an error."""
        raise OnPurpose("This tool intentionally returns an error for testing")

    async def test_tool_with_progress(
        self, _request: models.TestToolWithProgressRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Report progress three times."""
        for done in (0, 50, 100):
            await call.progress(done, 100)
        return [Text("Done")]

    async def test_reconnection(
        self, _request: models.TestReconnectionRequest, _call: EverythingCall, /
    ) -> Sequence[Text]:
        """Return a text after `MCP_SESSION_STREAM_S`."""
        await asyncio.sleep(0.8)
        return [Text("Resumed")]

    async def test_logging_tool(
        self, _request: models.TestLoggingToolRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Send a message at each of two severities."""
        await call.log.debug("Nobody may want this")
        await call.log.error("Somebody may want this")
        return [Text("Done")]

    async def test_sampling(self, request: models.TestSamplingRequest, call: EverythingCall, /) -> Sequence[Text]:
        """Let the caller's model continue the prompt."""
        return _show(await call.ask.completion(prompt=request.prompt))

    async def test_elicitation(self, request: models.TestElicitationRequest, call: EverythingCall, /) -> Sequence[Text]:
        """Show a form with the message."""
        return _show(await call.ask.user_message(message=request.message))

    async def test_elicitation_sep1034_defaults(
        self, _request: models.TestElicitationSep1034DefaultsRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Show a form with defaults."""
        return _show(await call.ask.defaults())

    async def test_elicitation_sep1330_enums(
        self, _request: models.TestElicitationSep1330EnumsRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Show a form with choices."""
        return _show(await call.ask.choices())

    async def test_streaming_elicitation(
        self, _request: models.TestStreamingElicitationRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask for a name."""
        return _show(await call.ask.user_name())

    async def test_missing_capability(
        self, _request: models.TestMissingCapabilityRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask the caller's model."""
        return _show(await call.ask.capital_question())

    async def test_input_required_result_elicitation(
        self, _request: models.TestInputRequiredResultElicitationRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask for a name."""
        return _show(await call.ask.user_name())

    async def test_input_required_result_sampling(
        self, _request: models.TestInputRequiredResultSamplingRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask the caller's model."""
        return _show(await call.ask.capital_question())

    async def test_input_required_result_list_roots(
        self, _request: models.TestInputRequiredResultListRootsRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask for folders."""
        return _show(await call.ask.client_roots())

    async def test_input_required_result_request_state(
        self, _request: models.TestInputRequiredResultRequestStateRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask for a confirmation."""
        return _show(await call.ask.confirm())

    async def test_input_required_result_tampered_state(
        self, _request: models.TestInputRequiredResultTamperedStateRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask for a confirmation."""
        return _show(await call.ask.confirm())

    async def test_input_required_result_multiple_inputs(
        self, _request: models.TestInputRequiredResultMultipleInputsRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask three things at once."""
        ask = call.ask
        return _show(await asyncio.gather(ask.user_name(), ask.greeting(), ask.client_roots()))

    async def test_input_required_result_multi_round(
        self, _request: models.TestInputRequiredResultMultiRoundRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask two things in turn."""
        return _show([await call.ask.step1(), await call.ask.step2()])

    async def test_input_required_result_capabilities(
        self, _request: models.TestInputRequiredResultCapabilitiesRequest, call: EverythingCall, /
    ) -> Sequence[Text]:
        """Ask what the client can answer."""
        if call.ask.supports("user_name"):
            return _show(await call.ask.user_name())
        return _show(await call.ask.greeting())

    async def read_watched_resource(self, _request: models.ReadWatchedResourceRequest, _call: EverythingCall, /) -> str:
        """Read the text that clients watch."""
        return "Watched resource content"

    async def read_template(
        self, request: models.ReadTemplateRequest, _call: EverythingCall, /
    ) -> models.ReadTemplateResult:
        """Read the data of an id."""
        return models.ReadTemplateResult(id=request.id, data=f"Data for ID: {request.id}")

    async def prompt_test_prompt_with_embedded_resource(
        self, request: models.PromptTestPromptWithEmbeddedResourceRequest, _call: EverythingCall, /
    ) -> Sequence[Message]:
        """Write a resource and a text."""
        resource = EmbeddedResource(request.resourceUri, "Embedded resource content for testing.", "text/plain")
        return [Message("user", resource), Message("user", Text("Please process the embedded resource above."))]

    async def prompt_test_input_required_result_prompt(
        self, _request: models.PromptTestInputRequiredResultPromptRequest, call: EverythingCall, /
    ) -> Sequence[Message]:
        """Ask for the context."""
        return [Message("user", *_show(await call.ask.user_context()))]

    async def complete_test_prompt_with_arguments_arg1(self, prefix: str, _call: EverythingCall, /) -> Sequence[str]:
        """Complete a word."""
        return [word for word in ("paris", "park", "party") if word.startswith(prefix)]

    async def test_header(self, request: models.TestHeaderRequest, _call: EverythingCall, /) -> Sequence[Text]:
        """Return the argument that a header carries, too."""
        return [Text(request.region)]


def server() -> Server[EverythingCall]:
    """Return the server, whose tasks are in the store at TASK_STORE, or in memory without one."""
    served, url = declared.server(Everything()), os.environ.get(STORE.env, "")
    if not url:
        return served
    kind = NatsSource if url.startswith("nats:") else RedisSource
    store = kind(name="tasks", url=STORE.name, timeout_s=20)
    tools = tuple(replace(tool, task=tool.task and replace(tool.task, store=store.name)) for tool in served.tools)
    return replace(served, tools=tools, sources=(store,), settings=(*served.settings, STORE))


def main() -> int:
    """Serve it."""
    return run(server())


if __name__ == "__main__":
    raise SystemExit(main())
