"""Show the pieces of a museum.

`contracts/demo/museum.json` declares the server. `python -m tests.toolaccord.demo.museum` serves it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from tests.toolaccord.generated.demo.errors import PieceOnLoan
from tests.toolaccord.generated.demo.museum.models import (
    MovePieceRequest,
    MovePieceResult,
    PromptTellRequest,
    ReadCatalogueRequest,
    ReadPhotoRequest,
    ReadPieceRequest,
    ReadPieceResult,
    ReadRoomsRequest,
    ReadRoomsResult,
)
from tests.toolaccord.generated.demo.museum.server import MuseumCall, server
from toolaccord import ResourceNotFound, SourceError
from toolaccord.content import Message, Text
from toolaccord.server.main import run


class Keeper:
    """The handlers, which keep the pieces in memory."""

    def __init__(self) -> None:
        self.places = {("north", number): "shelf" for number in range(1, 4)}
        self.waiting = asyncio.Event()
        """Set when a read waits for ever."""
        self.cancelled = 0
        self.listed = 0
        self.is_closed = False

    async def move_piece(self, request: MovePieceRequest, call: MuseumCall, /) -> MovePieceResult:
        self.places[request.room, request.number] = request.place
        call.changed.piece(room=request.room, number=request.number)
        call.changed.catalogue()
        return MovePieceResult(place=request.place)

    async def read_catalogue(self, _request: ReadCatalogueRequest, _call: MuseumCall, /) -> str:
        return "\n".join(f"* {room} {number}" for room, number in sorted(self.places))

    async def read_rooms(self, _request: ReadRoomsRequest, _call: MuseumCall, /) -> ReadRoomsResult:
        return ReadRoomsResult(rooms=["north", "south"])

    async def read_piece(self, request: ReadPieceRequest, _call: MuseumCall, /) -> ReadPieceResult:
        if request.room == "south":
            await self._fail(request.number)
        if (request.room, request.number) not in self.places:
            raise ResourceNotFound(f"The room {request.room} has no piece {request.number}.")
        return ReadPieceResult(number=request.number, place=self.places[request.room, request.number])

    async def _fail(self, number: int) -> None:
        if number == 1:
            raise PieceOnLoan("The piece is on loan.", lent_to="Hermitage")
        if number == 2:
            raise SourceError("the password of the archive is sesame")
        self.waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled += 1

    async def read_photo(self, request: ReadPhotoRequest, _call: MuseumCall, /) -> bytes:
        return request.name.encode()

    async def complete_photo_name(self, prefix: str, _call: MuseumCall, /) -> Sequence[str]:
        return [f"{prefix}{number}" for number in range(250)]

    async def prompt_tell(self, request: PromptTellRequest, _call: MuseumCall, /) -> Sequence[Message]:
        if request.number in {1, 2, 9}:
            await self._fail(request.number)
        return [Message("user", Text(f"Tell me of piece {request.number + 1}."))]

    async def complete_tell_number(self, _call: MuseumCall, /) -> Mapping[str, Sequence[str]]:
        if self.is_closed:
            raise SourceError("no one is at home")
        self.listed += 1
        await asyncio.sleep(0)
        return {"1": ["Vase"], "2": ["Bowl"], "3": ["vault"]}


if __name__ == "__main__":
    raise SystemExit(run(server(Keeper())))
