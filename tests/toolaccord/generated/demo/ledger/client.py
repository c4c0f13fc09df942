"""Typed client of ledger-mcp.

Generated from tests/toolaccord/contracts/demo/ledger.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.ledger import models, schemas
from toolaccord.client.base import CallOptions, ServerClient, WriteOptions
from toolaccord.client.declarations import RemoteServer, RemoteTool

ENTER: Final = RemoteTool(
    name="enter",
    request=models.EnterRequest,
    result=models.EnterResult,
    errors=(errors.Overdrawn,),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.ENTER_PARAMETERS,
    version="1.0.0",
    writes=True,
)
"""Make an entry."""

CORRECT: Final = RemoteTool(
    name="correct",
    request=models.CorrectRequest,
    result=models.CorrectResult,
    errors=(errors.Overdrawn,),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.CORRECT_PARAMETERS,
    version="1.0.0",
    writes=True,
)
"""Make an entry."""

COUNT_ENTRIES: Final = RemoteTool(
    name="count_entries",
    request=models.CountEntriesRequest,
    result=models.CountEntriesResult,
    errors=(),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.COUNT_ENTRIES_PARAMETERS,
    version="1.0.0",
)
"""Count the entries."""


class LedgerClient(ServerClient):
    """Client of ledger-mcp.

    Entries in a table.
    """

    _server: ClassVar = RemoteServer(
        name="ledger-mcp",
        module="tests.toolaccord.generated.demo.ledger",
        dialect=dialects.LEDGER,
    )

    async def enter(self, request: models.EnterRequest, **options: Unpack[WriteOptions]) -> models.EnterResult:
        """Make an entry.

        May raise:
        * Overdrawn: The amount is too large.
        """
        return (await self.call(ENTER, request, **options)).result

    async def correct(self, request: models.CorrectRequest, **options: Unpack[WriteOptions]) -> models.CorrectResult:
        """Make an entry.

        May raise:
        * Overdrawn: The amount is too large.
        """
        return (await self.call(CORRECT, request, **options)).result

    async def count_entries(
        self, request: models.CountEntriesRequest, **options: Unpack[CallOptions]
    ) -> models.CountEntriesResult:
        """Count the entries."""
        return (await self.call(COUNT_ENTRIES, request, **options)).result
