"""Declaration of museum-mcp.

A museum and its pieces.

Generated from tests/toolaccord/contracts/demo/museum.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.museum import models, schemas
from tests.toolaccord.generated.dialects import PLAIN
from toolaccord import content
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.prompts import (
    ImageMessage,
    Prompt,
    ResourceMessage,
    TextMessage,
)
from toolaccord.declarations.resources import (
    Completion,
    Read,
    Resource,
    StaticFile,
    StaticText,
)
from toolaccord.declarations.tool import Server, Tool
from toolaccord.semantics.policies import CacheHint, RateLimit
from toolaccord.semantics.uri_templates import expand


@dataclass(frozen=True, slots=True)
class MuseumChanges:
    """Reports changes of resources of museum-mcp to the clients that subscribed."""

    _report: Callable[[str], None]

    def catalogue(self) -> None:
        """Report that the content of museum://catalogue has changed."""
        self._report("museum://catalogue")

    def piece(self, *, room: str, number: int) -> None:
        """Report that the content of museum://pieces/{room}/{number} has changed."""
        self._report(expand("museum://pieces/{room}/{number}", {"room": room, "number": number}))


@dataclass(frozen=True, slots=True, kw_only=True)
class MuseumCall:
    """Sources, settings and time that a handler of museum-mcp gets with a request."""

    now: datetime
    """Time of the call, in UTC."""
    changed: MuseumChanges
    """Reports changes of resources to the clients that subscribed."""


class Handlers(Protocol):
    """Coroutines of tools, resources and prompts, implemented in `tests.toolaccord.demo.museum`."""

    async def move_piece(self, request: models.MovePieceRequest, call: MuseumCall, /) -> models.MovePieceResult:
        """Move a piece into another place of its room."""

    async def read_catalogue(self, request: models.ReadCatalogueRequest, call: MuseumCall, /) -> str:
        """Catalogue of all pieces."""

    async def read_rooms(self, request: models.ReadRoomsRequest, call: MuseumCall, /) -> models.ReadRoomsResult:
        """Rooms of the museum."""

    async def read_piece(self, request: models.ReadPieceRequest, call: MuseumCall, /) -> models.ReadPieceResult:
        """A piece by its room and number."""

    async def read_photo(self, request: models.ReadPhotoRequest, call: MuseumCall, /) -> bytes:
        """A photo by its name."""

    async def complete_photo_name(self, prefix: str, call: MuseumCall, /) -> Sequence[str]:
        """Return values of name, a variable of museum://photos/{name}, that complete *prefix*."""

    async def prompt_tell(self, request: models.PromptTellRequest, call: MuseumCall, /) -> Sequence[content.Message]:
        """A story of a piece."""

    async def complete_tell_number(self, call: MuseumCall, /) -> Mapping[str, Sequence[str]]:
        """Return all values of number, an argument of the prompt tell, each with its other names."""


def server(handlers: Handlers) -> Server[MuseumCall]:
    """Bind the tools of museum-mcp to *handlers*."""
    return Server(
        name="museum-mcp",
        title="Museum",
        version="1.0.0",
        description="A museum and its pieces.",
        instructions=None,
        dialect=PLAIN,
        settings=(),
        sources=(),
        sessions=True,
        resources=(
            Resource(
                name="rules",
                title="Rules of the house",
                description="Rules for visitors.",
                uri="museum://rules",
                mime_type="text/plain",
                kind="text",
                content=StaticText("Do not touch."),
                cache=CacheHint(ttl_s=3600, scope="public"),
            ),
            Resource(
                name="logo",
                title=None,
                description="Logo of the museum.",
                uri="museum://logo",
                mime_type="image/png",
                kind="binary",
                content=StaticFile("tests.toolaccord.generated.demo.museum", "logo.base64"),
            ),
            Resource(
                name="catalogue",
                title=None,
                description="Catalogue of all pieces.",
                uri="museum://catalogue",
                mime_type="text/markdown",
                kind="text",
                content=Read(
                    sources=(),
                    request=models.ReadCatalogueRequest,
                    parameters=schemas.READ_CATALOGUE_PARAMETERS,
                    timeout_ms=5000,
                    handler=handlers.read_catalogue,
                ),
                subscribe=True,
            ),
            Resource(
                name="rooms",
                title=None,
                description="Rooms of the museum.",
                uri="museum://rooms",
                mime_type="application/json",
                kind="json",
                content=Read(
                    sources=(),
                    request=models.ReadRoomsRequest,
                    parameters=schemas.READ_ROOMS_PARAMETERS,
                    returns=schemas.READ_ROOMS_RETURNS,
                    nullable_results=False,
                    timeout_ms=5000,
                    handler=handlers.read_rooms,
                ),
                cache=CacheHint(ttl_s=60.5, scope="private"),
            ),
            Resource(
                name="piece",
                title="Piece",
                description="A piece by its room and number.",
                uri_template="museum://pieces/{room}/{number}",
                mime_type="application/json",
                kind="json",
                content=Read(
                    sources=(),
                    request=models.ReadPieceRequest,
                    parameters=schemas.READ_PIECE_PARAMETERS,
                    returns=schemas.READ_PIECE_RETURNS,
                    nullable_results=False,
                    errors=(DeclaredError(errors.PieceOnLoan),),
                    timeout_ms=5000,
                    handler=handlers.read_piece,
                ),
                subscribe=True,
                completions=(Completion(member="room", values=("north", "north-east", "south")),),
            ),
            Resource(
                name="photo",
                title=None,
                description="A photo by its name.",
                uri_template="museum://photos/{name}",
                mime_type="image/png",
                kind="binary",
                content=Read(
                    sources=(),
                    request=models.ReadPhotoRequest,
                    parameters=schemas.READ_PHOTO_PARAMETERS,
                    rate_limit=RateLimit(calls=50, window_s=60),
                    timeout_ms=5000,
                    handler=handlers.read_photo,
                ),
                completions=(Completion(member="name", handler=handlers.complete_photo_name),),
            ),
            Resource(
                name="contract.move_piece",
                title="Contract of move_piece",
                description="Contract of the tool move_piece: its schemas, errors, limits and examples.",
                uri="contract://museum-mcp/move_piece",
                mime_type="application/json",
                kind="text",
                content=StaticFile("tests.toolaccord.generated.demo.museum", "contract.move_piece.json"),
                cache=CacheHint(ttl_s=300, scope="public"),
            ),
        ),
        prompts=(
            Prompt(
                name="guide-me",
                title="Guided tour",
                description="A tour of some rooms.",
                request=models.PromptGuideMeRequest,
                parameters=schemas.PROMPT_GUIDE_ME_PARAMETERS,
                messages=(
                    TextMessage("user", "Guide me through {room} in {minutes} minutes, { please }."),
                    ImageMessage(
                        "user",
                        StaticFile("tests.toolaccord.generated.demo.museum", "prompt.guide-me.1.base64"),
                        "image/png",
                    ),
                    ResourceMessage("assistant", "rules"),
                    ResourceMessage("assistant", "logo"),
                ),
                timeout_ms=5000,
                completions=(Completion(member="room", values=("north", "north-east", "south")),),
            ),
            Prompt(
                name="tell",
                title=None,
                description="A story of a piece.",
                request=models.PromptTellRequest,
                parameters=schemas.PROMPT_TELL_PARAMETERS,
                handler=handlers.prompt_tell,
                sources=(),
                errors=(DeclaredError(errors.PieceOnLoan),),
                rate_limit=RateLimit(calls=20, window_s=60),
                timeout_ms=5000,
                completions=(Completion(member="number", handler=handlers.complete_tell_number, ttl_s=60),),
            ),
        ),
        changes=MuseumChanges,
        call=MuseumCall,
        handler_settings=None,
        tools=(
            Tool(
                name="move_piece",
                title=None,
                version="1.0.0",
                description="Move a piece into another place of its room",
                reads=(),
                writes=(),
                request=models.MovePieceRequest,
                parameters=schemas.MOVE_PIECE_PARAMETERS,
                returns=schemas.MOVE_PIECE_RETURNS,
                output=schemas.MOVE_PIECE_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.move_piece,
            ),
        ),
    )
