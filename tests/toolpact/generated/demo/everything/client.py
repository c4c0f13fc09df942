"""Typed client of everything.

Generated from tests/toolpact/contracts/demo/everything.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Unpack

from tests.toolpact.generated import dialects
from tests.toolpact.generated.demo import errors
from tests.toolpact.generated.demo.everything import models
from toolpact import content
from toolpact.client.base import CallOptions, ServerClient
from toolpact.client.declarations import ContentTool, RemoteServer

TEST_SIMPLE_TEXT: Final[ContentTool[models.TestSimpleTextRequest, Sequence[content.Text]]] = ContentTool(
    name="test_simple_text",
    request=models.TestSimpleTextRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Return a text."""

TEST_IMAGE_CONTENT: Final[ContentTool[models.TestImageContentRequest, Sequence[content.Image]]] = ContentTool(
    name="test_image_content",
    request=models.TestImageContentRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Return an image."""

TEST_AUDIO_CONTENT: Final[ContentTool[models.TestAudioContentRequest, Sequence[content.Audio]]] = ContentTool(
    name="test_audio_content",
    request=models.TestAudioContentRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Return a sound."""

TEST_EMBEDDED_RESOURCE: Final[ContentTool[models.TestEmbeddedResourceRequest, Sequence[content.EmbeddedResource]]] = (
    ContentTool(
        name="test_embedded_resource",
        request=models.TestEmbeddedResourceRequest,
        result=tuple,
        errors=(),
        timeout_s=5.0,
        nullable_arguments=False,
    )
)
"""Return a resource with its content."""

TEST_MULTIPLE_CONTENT_TYPES: Final[
    ContentTool[
        models.TestMultipleContentTypesRequest, Sequence[content.Text | content.Image | content.EmbeddedResource]
    ]
] = ContentTool(
    name="test_multiple_content_types",
    request=models.TestMultipleContentTypesRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Return a text, an image and a resource."""

TEST_TOOL_WITH_LOGGING: Final[ContentTool[models.TestToolWithLoggingRequest, Sequence[content.Text]]] = ContentTool(
    name="test_tool_with_logging",
    request=models.TestToolWithLoggingRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Tell the client how the work goes."""

TEST_ERROR_HANDLING: Final[ContentTool[models.TestErrorHandlingRequest, Sequence[content.Text]]] = ContentTool(
    name="test_error_handling",
    request=models.TestErrorHandlingRequest,
    result=tuple,
    errors=(errors.OnPurpose,),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Fail."""

TEST_TOOL_WITH_PROGRESS: Final[ContentTool[models.TestToolWithProgressRequest, Sequence[content.Text]]] = ContentTool(
    name="test_tool_with_progress",
    request=models.TestToolWithProgressRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Report progress."""

TEST_LOGGING_TOOL: Final[ContentTool[models.TestLoggingToolRequest, Sequence[content.Text]]] = ContentTool(
    name="test_logging_tool",
    request=models.TestLoggingToolRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Send a message that only some clients want."""

TEST_STREAMING_ELICITATION: Final[ContentTool[models.TestStreamingElicitationRequest, Sequence[content.Text]]] = (
    ContentTool(
        name="test_streaming_elicitation",
        request=models.TestStreamingElicitationRequest,
        result=tuple,
        errors=(),
        timeout_s=5.0,
        nullable_arguments=False,
    )
)
"""Return a text, and request nothing of the client."""

TEST_HEADER: Final[ContentTool[models.TestHeaderRequest, Sequence[content.Text]]] = ContentTool(
    name="test_header",
    request=models.TestHeaderRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
)
"""Return an argument that a header carries, too."""


class EverythingClient(ServerClient):
    """Client of everything.

    The tools that the conformance suite calls by name.
    """

    _server: ClassVar = RemoteServer(
        name="everything",
        module="tests.toolpact.generated.demo.everything",
        dialect=dialects.PLAIN,
    )

    async def test_simple_text(
        self, request: models.TestSimpleTextRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Return a text."""
        return (await self.call(TEST_SIMPLE_TEXT, request, **options)).result

    async def test_image_content(
        self, request: models.TestImageContentRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Image]:
        """Return an image."""
        return (await self.call(TEST_IMAGE_CONTENT, request, **options)).result

    async def test_audio_content(
        self, request: models.TestAudioContentRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Audio]:
        """Return a sound."""
        return (await self.call(TEST_AUDIO_CONTENT, request, **options)).result

    async def test_embedded_resource(
        self, request: models.TestEmbeddedResourceRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.EmbeddedResource]:
        """Return a resource with its content."""
        return (await self.call(TEST_EMBEDDED_RESOURCE, request, **options)).result

    async def test_multiple_content_types(
        self, request: models.TestMultipleContentTypesRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text | content.Image | content.EmbeddedResource]:
        """Return a text, an image and a resource."""
        return (await self.call(TEST_MULTIPLE_CONTENT_TYPES, request, **options)).result

    async def test_tool_with_logging(
        self, request: models.TestToolWithLoggingRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Tell the client how the work goes."""
        return (await self.call(TEST_TOOL_WITH_LOGGING, request, **options)).result

    async def test_error_handling(
        self, request: models.TestErrorHandlingRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Fail.

        May raise:
        * OnPurpose: The tool fails whenever it is called.
        """
        return (await self.call(TEST_ERROR_HANDLING, request, **options)).result

    async def test_tool_with_progress(
        self, request: models.TestToolWithProgressRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Report progress."""
        return (await self.call(TEST_TOOL_WITH_PROGRESS, request, **options)).result

    async def test_logging_tool(
        self, request: models.TestLoggingToolRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Send a message that only some clients want."""
        return (await self.call(TEST_LOGGING_TOOL, request, **options)).result

    async def test_streaming_elicitation(
        self, request: models.TestStreamingElicitationRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Return a text, and request nothing of the client."""
        return (await self.call(TEST_STREAMING_ELICITATION, request, **options)).result

    async def test_header(
        self, request: models.TestHeaderRequest, **options: Unpack[CallOptions]
    ) -> Sequence[content.Text]:
        """Return an argument that a header carries, too."""
        return (await self.call(TEST_HEADER, request, **options)).result
