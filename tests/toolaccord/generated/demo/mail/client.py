"""Typed client of mail-mcp.

Generated from tests/toolaccord/contracts/demo/mail.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.mail import models, schemas
from toolaccord.client.base import CallOptions, ServerClient, WriteOptions
from toolaccord.client.declarations import RemoteServer, RemoteTool

SEND: Final = RemoteTool(
    name="send",
    request=models.SendRequest,
    result=models.SendResult,
    errors=(errors.Bounced,),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.SEND_PARAMETERS,
    version="1.0.0",
    writes=True,
)
"""Send a letter."""

POST: Final = RemoteTool(
    name="post",
    request=models.PostRequest,
    result=models.PostResult,
    errors=(),
    timeout_s=1.0,
    nullable_arguments=False,
    parameters=schemas.POST_PARAMETERS,
    version="1.0.0",
    writes=True,
)
"""Send a letter without waiting for long."""

REMIND: Final = RemoteTool(
    name="remind",
    request=models.RemindRequest,
    result=models.RemindResult,
    errors=(),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.REMIND_PARAMETERS,
    version="1.0.0",
    writes=True,
)
"""Send a letter, once an hour."""


class MailClient(ServerClient):
    """Client of mail-mcp.

    Letters, each sent once.
    """

    _server: ClassVar = RemoteServer(
        name="mail-mcp",
        module="tests.toolaccord.generated.demo.mail",
        dialect=dialects.PLATFORM,
    )

    async def send(self, request: models.SendRequest, **options: Unpack[WriteOptions]) -> models.SendResult:
        """Send a letter.

        May raise:
        * Bounced: The letter came back.
        """
        return (await self.call(SEND, request, **options)).result

    async def post(self, request: models.PostRequest, **options: Unpack[WriteOptions]) -> models.PostResult:
        """Send a letter without waiting for long."""
        return (await self.call(POST, request, **options)).result

    async def remind(self, request: models.RemindRequest, **options: Unpack[CallOptions]) -> models.RemindResult:
        """Send a letter, once an hour."""
        return (await self.call(REMIND, request, **options)).result
