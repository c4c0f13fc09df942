"""Typed client of gallery-mcp.

Generated from tests/toolaccord/contracts/demo/gallery.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.gallery import models, schemas
from toolaccord import content
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import ContentTool, RemoteServer

DRAW: Final[ContentTool[models.DrawRequest, Sequence[content.Image]]] = ContentTool(
    name="draw",
    request=models.DrawRequest,
    result=tuple,
    errors=(errors.NoPaper,),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.DRAW_PARAMETERS,
    version="1.1.0",
)
"""Draw a picture of some bytes."""

EXPLAIN: Final[
    ContentTool[
        models.ExplainRequest,
        content.WithContent[
            models.ExplainResult,
            content.Text | content.Image | content.Audio | content.EmbeddedResource | content.ResourceLink,
        ],
    ]
] = ContentTool(
    name="explain",
    request=models.ExplainRequest,
    result=content.WithContent,
    model=models.ExplainResult,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.EXPLAIN_PARAMETERS,
    version="1.0.0",
)
"""Explain a picture, and show everything about it."""

TELL: Final[ContentTool[models.TellRequest, Sequence[content.Text]]] = ContentTool(
    name="tell",
    request=models.TellRequest,
    result=tuple,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.TELL_PARAMETERS,
    version="1.0.0",
)
"""Tell at each severity how the work goes."""


class GalleryClient(ServerClient):
    """Client of gallery-mcp.

    Pictures, sounds and files.
    """

    _server: ClassVar = RemoteServer(
        name="gallery-mcp",
        module="tests.toolaccord.generated.demo.gallery",
        dialect=dialects.LIBRARY,
    )

    async def draw(self, request: models.DrawRequest, **options: Unpack[CallOptions]) -> Sequence[content.Image]:
        """Draw a picture of some bytes.

        May raise:
        * NoPaper: The paper has run out.
        """
        return (await self.call(DRAW, request, **options)).result

    async def explain(
        self, request: models.ExplainRequest, **options: Unpack[CallOptions]
    ) -> content.WithContent[
        models.ExplainResult,
        content.Text | content.Image | content.Audio | content.EmbeddedResource | content.ResourceLink,
    ]:
        """Explain a picture, and show everything about it."""
        return (await self.call(EXPLAIN, request, **options)).result

    async def tell(self, request: models.TellRequest, **options: Unpack[CallOptions]) -> Sequence[content.Text]:
        """Tell at each severity how the work goes."""
        return (await self.call(TELL, request, **options)).result
