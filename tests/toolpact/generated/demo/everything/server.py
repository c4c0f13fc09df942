"""Declaration of everything.

The tools that the conformance suite calls by name.

Generated from tests/toolpact/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolpact.generated.demo import errors
from tests.toolpact.generated.demo.everything import models, schemas
from tests.toolpact.generated.dialects import PLAIN
from toolpact import ClientLog, Progress, content
from toolpact.declarations.tool import NO_RESULT, DeclaredError, Server, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class EverythingCall:
    """Sources, settings and time that a handler of everything gets with a request."""

    now: datetime
    """Time of the call, in UTC."""
    progress: Progress
    """Sends progress to a caller that wants it, in tools whose contract declares progress."""
    log: ClientLog
    """Sends log messages to the client, in tools whose contract declares logging."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolpact.demo.everything`."""

    async def test_simple_text(
        self, request: models.TestSimpleTextRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Return a text."""

    async def test_image_content(
        self, request: models.TestImageContentRequest, call: EverythingCall, /
    ) -> Sequence[content.Image]:
        """Return an image."""

    async def test_audio_content(
        self, request: models.TestAudioContentRequest, call: EverythingCall, /
    ) -> Sequence[content.Audio]:
        """Return a sound."""

    async def test_embedded_resource(
        self, request: models.TestEmbeddedResourceRequest, call: EverythingCall, /
    ) -> Sequence[content.EmbeddedResource]:
        """Return a resource with its content."""

    async def test_multiple_content_types(
        self, request: models.TestMultipleContentTypesRequest, call: EverythingCall, /
    ) -> Sequence[content.Text | content.Image | content.EmbeddedResource]:
        """Return a text, an image and a resource."""

    async def test_tool_with_logging(
        self, request: models.TestToolWithLoggingRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Tell the client how the work goes."""

    async def test_error_handling(
        self, request: models.TestErrorHandlingRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Fail."""

    async def test_tool_with_progress(
        self, request: models.TestToolWithProgressRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Report progress."""

    async def test_logging_tool(
        self, request: models.TestLoggingToolRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Send a message that only some clients want."""

    async def test_streaming_elicitation(
        self, request: models.TestStreamingElicitationRequest, call: EverythingCall, /
    ) -> Sequence[content.Text]:
        """Return a text, and request nothing of the client."""

    async def test_header(self, request: models.TestHeaderRequest, call: EverythingCall, /) -> Sequence[content.Text]:
        """Return an argument that a header carries, too."""


def server(handlers: Handlers) -> Server[EverythingCall]:
    """Bind the tools of everything to *handlers*."""
    return Server(
        name="everything",
        title="Everything",
        version="1.0.0",
        description="The tools that the conformance suite calls by name.",
        instructions=None,
        dialect=PLAIN,
        settings=(),
        sources=(),
        sessions=True,
        call=EverythingCall,
        handler_settings=None,
        tools=(
            Tool(
                name="test_simple_text",
                title=None,
                version="1.0.0",
                description="Return a text",
                reads=(),
                writes=(),
                request=models.TestSimpleTextRequest,
                parameters=schemas.TEST_SIMPLE_TEXT_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_simple_text,
            ),
            Tool(
                name="test_image_content",
                title=None,
                version="1.0.0",
                description="Return an image",
                reads=(),
                writes=(),
                request=models.TestImageContentRequest,
                parameters=schemas.TEST_IMAGE_CONTENT_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("image/png",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_image_content,
            ),
            Tool(
                name="test_audio_content",
                title=None,
                version="1.0.0",
                description="Return a sound",
                reads=(),
                writes=(),
                request=models.TestAudioContentRequest,
                parameters=schemas.TEST_AUDIO_CONTENT_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("audio/wav",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_audio_content,
            ),
            Tool(
                name="test_embedded_resource",
                title=None,
                version="1.0.0",
                description="Return a resource with its content",
                reads=(),
                writes=(),
                request=models.TestEmbeddedResourceRequest,
                parameters=schemas.TEST_EMBEDDED_RESOURCE_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("resource",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_embedded_resource,
            ),
            Tool(
                name="test_multiple_content_types",
                title=None,
                version="1.0.0",
                description="Return a text, an image and a resource",
                reads=(),
                writes=(),
                request=models.TestMultipleContentTypesRequest,
                parameters=schemas.TEST_MULTIPLE_CONTENT_TYPES_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text", "image/png", "resource"),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_multiple_content_types,
            ),
            Tool(
                name="test_tool_with_logging",
                title=None,
                version="1.0.0",
                description="Tell the client how the work goes",
                reads=(),
                writes=(),
                request=models.TestToolWithLoggingRequest,
                parameters=schemas.TEST_TOOL_WITH_LOGGING_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                logging=True,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_tool_with_logging,
            ),
            Tool(
                name="test_error_handling",
                title=None,
                version="1.0.0",
                description="Fail",
                reads=(),
                writes=(),
                request=models.TestErrorHandlingRequest,
                parameters=schemas.TEST_ERROR_HANDLING_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(DeclaredError(errors.OnPurpose),),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_error_handling,
            ),
            Tool(
                name="test_tool_with_progress",
                title=None,
                version="1.0.0",
                description="Report progress",
                reads=(),
                writes=(),
                request=models.TestToolWithProgressRequest,
                parameters=schemas.TEST_TOOL_WITH_PROGRESS_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                progress=True,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_tool_with_progress,
            ),
            Tool(
                name="test_logging_tool",
                title=None,
                version="1.0.0",
                description="Send a message that only some clients want",
                reads=(),
                writes=(),
                request=models.TestLoggingToolRequest,
                parameters=schemas.TEST_LOGGING_TOOL_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                logging=True,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_logging_tool,
            ),
            Tool(
                name="test_streaming_elicitation",
                title=None,
                version="1.0.0",
                description="Return a text, and request nothing of the client",
                reads=(),
                writes=(),
                request=models.TestStreamingElicitationRequest,
                parameters=schemas.TEST_STREAMING_ELICITATION_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_streaming_elicitation,
            ),
            Tool(
                name="test_header",
                title=None,
                version="1.0.0",
                description="Return an argument that a header carries, too",
                reads=(),
                writes=(),
                request=models.TestHeaderRequest,
                parameters=schemas.TEST_HEADER_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("text",),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.test_header,
            ),
        ),
    )
