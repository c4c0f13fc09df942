"""Declaration of gallery-mcp.

Pictures, sounds and files.

Generated from tests/toolaccord/contracts/demo/gallery.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.gallery import models, schemas
from tests.toolaccord.generated.dialects import LIBRARY
from toolaccord import ClientLog, content
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.tool import NO_RESULT, OlderVersion, Server, Tool
from toolaccord.semantics.policies import CachePolicy
from toolaccord.semantics.settings import Setting
from toolaccord.semantics.version_steps import move


@dataclass(frozen=True, slots=True, kw_only=True)
class GallerySettings:
    """Settings of the handlers, from the environment."""

    word: str
    """what nobody may read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GalleryCall:
    """Sources, settings and time that a handler of gallery-mcp gets with a request."""

    settings: GallerySettings
    now: datetime
    """Time of the call, in UTC."""
    log: ClientLog
    """Sends log messages to the client, in tools whose contract declares logging."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolaccord.demo.gallery`."""

    async def draw(self, request: models.DrawRequest, call: GalleryCall, /) -> Sequence[content.Image]:
        """Draw a picture of some bytes."""

    async def explain(
        self, request: models.ExplainRequest, call: GalleryCall, /
    ) -> content.WithContent[
        models.ExplainResult,
        content.Text | content.Image | content.Audio | content.EmbeddedResource | content.ResourceLink,
    ]:
        """Explain a picture, and show everything about it."""

    async def tell(self, request: models.TellRequest, call: GalleryCall, /) -> Sequence[content.Text]:
        """Tell at each severity how the work goes."""


def server(handlers: Handlers) -> Server[GalleryCall]:
    """Bind the tools of gallery-mcp to *handlers*."""
    return Server(
        name="gallery-mcp",
        title="Gallery",
        version="1.0.0",
        description="Pictures, sounds and files.",
        instructions=None,
        dialect=LIBRARY,
        settings=(
            Setting(
                name="word",
                env="GALLERY_WORD",
                description="what nobody may read",
                schema={"type": "string"},
                default="s3cr3t",
                secret=True,
            ),
        ),
        sources=(),
        sessions=True,
        call=GalleryCall,
        handler_settings=GallerySettings,
        tools=(
            Tool(
                name="draw",
                title=None,
                version="1.1.0",
                description="Draw a picture of some bytes",
                reads=(),
                writes=(),
                request=models.DrawRequest,
                parameters=schemas.DRAW_PARAMETERS,
                returns=NO_RESULT,
                output={},
                content=("image/png",),
                errors=(DeclaredError(errors.NoPaper),),
                conditions=(),
                cache=CachePolicy(ttl_s=60, bypass=None),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.draw,
                versions=(
                    OlderVersion(
                        version="1.0.0",
                        released_on=None,
                        deprecated_on=None,
                        sunset_on=None,
                        parameters=schemas.DRAW_PARAMETERS_1_0_0,
                        returns=NO_RESULT,
                        parameter_steps=(move("/bytes", "/size"),),
                        result_steps=(),
                    ),
                ),
            ),
            Tool(
                name="explain",
                title=None,
                version="1.0.0",
                description="Explain a picture, and show everything about it",
                reads=(),
                writes=(),
                request=models.ExplainRequest,
                parameters=schemas.EXPLAIN_PARAMETERS,
                returns=schemas.EXPLAIN_RETURNS,
                output=schemas.EXPLAIN_OUTPUT,
                content=("text", "image", "audio", "resource", "resource_link"),
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.explain,
            ),
            Tool(
                name="tell",
                title=None,
                version="1.0.0",
                description="Tell at each severity how the work goes",
                reads=(),
                writes=(),
                request=models.TellRequest,
                parameters=schemas.TELL_PARAMETERS,
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
                handler=handlers.tell,
            ),
        ),
    )
