"""Pictures, sounds and files, and log messages for the client.

`contracts/demo/gallery.json` declares the server. `python -m tests.toolaccord.demo.gallery` serves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from tests.toolaccord.generated.demo.errors import NoPaper
from tests.toolaccord.generated.demo.gallery import server as declared
from tests.toolaccord.generated.demo.gallery.models import DrawRequest, ExplainRequest, ExplainResult, TellRequest
from tests.toolaccord.generated.demo.gallery.server import GalleryCall
from toolaccord.content import Annotations, Audio, Content, EmbeddedResource, Image, ResourceLink, Text, WithContent
from toolaccord.declarations.tool import Server
from toolaccord.server.main import run

NO_PAPER_SIZE = 13
DAWN: tuple[Content, ...] = (
    Text("A red sky\n", Annotations(audience=("user", "assistant"), priority=0.5)),
    Image(b"\x89PNG\r\n", "image/png", Annotations(last_modified=datetime(2026, 1, 2, 3, tzinfo=UTC))),
    Audio(b"RIFF", "audio/wav"),
    EmbeddedResource("file:///dawn.txt", "Red above grey", "text/plain"),
    EmbeddedResource("file:///dawn.bin", b"\x00\xff"),
    ResourceLink("gallery://dawn", "dawn", "Dawn", "The picture itself", "image/png", 6, Annotations(priority=1)),
)

Explained: TypeAlias = "WithContent[ExplainResult, Content]"


class Gallery:
    """The handlers."""

    def __init__(self) -> None:
        self.drawn = 0

    async def draw(self, request: DrawRequest, _call: GalleryCall, /) -> Sequence[Image]:
        """Return a picture of the requested size."""
        self.drawn += 1
        if request.size == NO_PAPER_SIZE:
            raise NoPaper("Fill in paper")
        return [Image(bytes(request.size), request.kind)]

    async def explain(self, request: ExplainRequest, _call: GalleryCall, /) -> Explained:
        """Return every kind of content, or none."""
        return WithContent(ExplainResult(title="Dawn"), () if request.broken else DAWN)

    async def tell(self, _request: TellRequest, call: GalleryCall, /) -> Sequence[Text]:
        """Send a message at each severity."""
        log = call.log
        await log.debug("Looked for s3cr3t")
        await log.info("Found it", at=["s3cr3t shelf", 1])
        await log.notice("Took it")
        await log.warning("It is heavy")
        await log.error("Dropped it")
        await log.critical("It broke")
        await log.alert("Call somebody")
        await log.emergency("The gallery burns", unserialisable=object())
        return [Text("Told")]


def server(gallery: Gallery | None = None) -> Server[GalleryCall]:
    """Return the server."""
    return declared.server(gallery or Gallery())


def main() -> int:
    """Serve the gallery."""
    return run(server())


if __name__ == "__main__":
    raise SystemExit(main())
