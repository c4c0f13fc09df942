"""Typed client of museum-mcp.

Generated from tests/toolaccord/contracts/demo/museum.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.museum import models, schemas
from toolaccord import content
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import (
    Completed,
    RemoteCompletion,
    RemotePrompt,
    RemoteResource,
    RemoteServer,
    RemoteTool,
)

MOVE_PIECE: Final = RemoteTool(
    name="move_piece",
    request=models.MovePieceRequest,
    result=models.MovePieceResult,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.MOVE_PIECE_PARAMETERS,
    version="1.0.0",
)
"""Move a piece into another place of its room."""

READ_RULES: Final = RemoteResource(
    name="resources/read rules",
    address="museum://rules",
    result=str,
    errors=(),
    timeout_s=5.0,
)
"""Rules for visitors."""

READ_LOGO: Final = RemoteResource(
    name="resources/read logo",
    address="museum://logo",
    result=bytes,
    errors=(),
    timeout_s=5.0,
)
"""Logo of the museum."""

READ_CATALOGUE: Final = RemoteResource(
    name="resources/read catalogue",
    address="museum://catalogue",
    result=str,
    errors=(),
    timeout_s=5.0,
)
"""Catalogue of all pieces."""

READ_ROOMS: Final = RemoteResource(
    name="resources/read rooms",
    address="museum://rooms",
    result=models.ReadRoomsResult,
    errors=(),
    timeout_s=5.0,
)
"""Rooms of the museum."""

READ_PIECE: Final = RemoteResource(
    name="resources/read piece",
    address="museum://pieces/{room}/{number}",
    result=models.ReadPieceResult,
    errors=(errors.PieceOnLoan,),
    timeout_s=5.0,
)
"""A piece by its room and number."""

COMPLETE_PIECE_ROOM: Final = RemoteCompletion(
    name="completion/complete piece room",
    uri_template="museum://pieces/{room}/{number}",
    member="room",
    errors=(errors.PieceOnLoan,),
    timeout_s=5.0,
)
"""Completion of room, a variable of the resource piece."""

READ_PHOTO: Final = RemoteResource(
    name="resources/read photo",
    address="museum://photos/{name}",
    result=bytes,
    errors=(),
    timeout_s=5.0,
)
"""A photo by its name."""

COMPLETE_PHOTO_NAME: Final = RemoteCompletion(
    name="completion/complete photo name",
    uri_template="museum://photos/{name}",
    member="name",
    errors=(),
    timeout_s=5.0,
)
"""Completion of name, a variable of the resource photo."""

PROMPT_GUIDE_ME: Final = RemotePrompt(
    name="prompts/get guide-me",
    prompt="guide-me",
    request=models.PromptGuideMeRequest,
    errors=(),
    timeout_s=5.0,
)
"""A tour of some rooms."""

COMPLETE_GUIDE_ME_ROOM: Final = RemoteCompletion(
    name="completion/complete guide-me room",
    prompt="guide-me",
    member="room",
    errors=(),
    timeout_s=5.0,
)
"""Completion of room, an argument of the prompt guide-me."""

PROMPT_TELL: Final = RemotePrompt(
    name="prompts/get tell",
    prompt="tell",
    request=models.PromptTellRequest,
    errors=(errors.PieceOnLoan,),
    timeout_s=5.0,
)
"""A story of a piece."""

COMPLETE_TELL_NUMBER: Final = RemoteCompletion(
    name="completion/complete tell number",
    prompt="tell",
    member="number",
    errors=(errors.PieceOnLoan,),
    timeout_s=5.0,
)
"""Completion of number, an argument of the prompt tell."""


class MuseumClient(ServerClient):
    """Client of museum-mcp.

    A museum and its pieces.
    """

    _server: ClassVar = RemoteServer(
        name="museum-mcp",
        module="tests.toolaccord.generated.demo.museum",
        dialect=dialects.PLAIN,
    )

    async def move_piece(
        self, request: models.MovePieceRequest, **options: Unpack[CallOptions]
    ) -> models.MovePieceResult:
        """Move a piece into another place of its room."""
        return (await self.call(MOVE_PIECE, request, **options)).result

    async def read_rules(self, **options: Unpack[CallOptions]) -> str:
        """Rules for visitors."""
        return (await self.read(READ_RULES, **options)).result

    async def read_logo(self, **options: Unpack[CallOptions]) -> bytes:
        """Logo of the museum."""
        return (await self.read(READ_LOGO, **options)).result

    async def read_catalogue(self, **options: Unpack[CallOptions]) -> str:
        """Catalogue of all pieces."""
        return (await self.read(READ_CATALOGUE, **options)).result

    async def read_rooms(self, **options: Unpack[CallOptions]) -> models.ReadRoomsResult:
        """Rooms of the museum."""
        return (await self.read(READ_ROOMS, **options)).result

    async def read_piece(
        self, request: models.ReadPieceRequest, **options: Unpack[CallOptions]
    ) -> models.ReadPieceResult:
        """A piece by its room and number.

        May raise:
        * PieceOnLoan: The piece is in another museum.
        """
        return (await self.read(READ_PIECE, request, **options)).result

    async def complete_piece_room(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of room, a variable of the resource piece, that complete *prefix*."""
        return (await self.complete(COMPLETE_PIECE_ROOM, prefix, **options)).result

    async def read_photo(self, request: models.ReadPhotoRequest, **options: Unpack[CallOptions]) -> bytes:
        """A photo by its name."""
        return (await self.read(READ_PHOTO, request, **options)).result

    async def complete_photo_name(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of name, a variable of the resource photo, that complete *prefix*."""
        return (await self.complete(COMPLETE_PHOTO_NAME, prefix, **options)).result

    async def prompt_guide_me(
        self, request: models.PromptGuideMeRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """A tour of some rooms."""
        return (await self.get_prompt(PROMPT_GUIDE_ME, request, **options)).result

    async def complete_guide_me_room(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of room, an argument of the prompt guide-me, that complete *prefix*."""
        return (await self.complete(COMPLETE_GUIDE_ME_ROOM, prefix, **options)).result

    async def prompt_tell(
        self, request: models.PromptTellRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """A story of a piece.

        May raise:
        * PieceOnLoan: The piece is in another museum.
        """
        return (await self.get_prompt(PROMPT_TELL, request, **options)).result

    async def complete_tell_number(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of number, an argument of the prompt tell, that complete *prefix*."""
        return (await self.complete(COMPLETE_TELL_NUMBER, prefix, **options)).result
