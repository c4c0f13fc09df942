"""Typed client of museum-mcp.

Generated from tests/toolpact/contracts/demo/museum.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolpact.generated import dialects
from tests.toolpact.generated.demo import errors
from tests.toolpact.generated.demo.museum import models
from toolpact.client.base import CallOptions, ServerClient
from toolpact.client.declarations import RemoteResource, RemoteServer, RemoteTool

MOVE_PIECE: Final = RemoteTool(
    name="move_piece",
    request=models.MovePieceRequest,
    result=models.MovePieceResult,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
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

READ_PHOTO: Final = RemoteResource(
    name="resources/read photo",
    address="museum://photos/{name}",
    result=bytes,
    errors=(),
    timeout_s=5.0,
)
"""A photo by its name."""


class MuseumClient(ServerClient):
    """Client of museum-mcp.

    A museum and its pieces.
    """

    _server: ClassVar = RemoteServer(
        name="museum-mcp",
        module="tests.toolpact.generated.demo.museum",
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

    async def read_photo(self, request: models.ReadPhotoRequest, **options: Unpack[CallOptions]) -> bytes:
        """A photo by its name."""
        return (await self.read(READ_PHOTO, request, **options)).result
