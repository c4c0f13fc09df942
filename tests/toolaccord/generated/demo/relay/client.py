"""Typed client of relay-mcp.

Generated from tests/toolaccord/contracts/demo/relay.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.relay import models, schemas
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

ECHO: Final = RemoteTool(
    name="echo",
    request=models.EchoRequest,
    result=models.EchoResult,
    errors=(),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.ECHO_PARAMETERS,
    version="1.0.0",
)
"""Say something again."""

SIGNAL_HOLD: Final = RemoteTool(
    name="signal.hold",
    request=models.SignalHoldRequest,
    result=models.SignalHoldResult,
    errors=(),
    timeout_s=60.0,
    nullable_arguments=False,
    parameters=schemas.SIGNAL_HOLD_PARAMETERS,
    version="1.0.0",
)
"""Wait until somebody releases the signal."""

SIGNAL_RELEASE: Final = RemoteTool(
    name="signal.release",
    request=models.SignalReleaseRequest,
    result=models.SignalReleaseResult,
    errors=(),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.SIGNAL_RELEASE_PARAMETERS,
    version="1.0.0",
)
"""Release a signal, for whoever waits or will wait."""

STALL: Final = RemoteTool(
    name="stall",
    request=models.StallRequest,
    result=models.StallResult,
    errors=(),
    timeout_s=2.0,
    nullable_arguments=False,
    parameters=schemas.STALL_PARAMETERS,
    version="1.0.0",
)
"""Never answer."""

FAIL: Final = RemoteTool(
    name="fail",
    request=models.FailRequest,
    result=models.FailResult,
    errors=(errors.LineBroken,),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.FAIL_PARAMETERS,
    version="1.0.0",
)
"""Fail in some way."""

READ_ALPHABET: Final = RemoteResource(
    name="resources/read alphabet",
    address="relay://alphabet",
    result=str,
    errors=(),
    timeout_s=5.0,
)
"""Alphabet of the relay."""

PROMPT_SPELL: Final = RemotePrompt(
    name="prompts/get spell",
    prompt="spell",
    request=models.PromptSpellRequest,
    errors=(),
    timeout_s=5.0,
)
"""Spell a word."""

COMPLETE_SPELL_WORD: Final = RemoteCompletion(
    name="completion/complete spell word",
    prompt="spell",
    member="word",
    errors=(),
    timeout_s=5.0,
)
"""Completion of word, an argument of the prompt spell."""


class RelayClient(ServerClient):
    """Client of relay-mcp.

    A relay that passes words on.
    """

    _server: ClassVar = RemoteServer(
        name="relay-mcp",
        module="tests.toolaccord.generated.demo.relay",
        dialect=dialects.GATEWAY,
    )

    async def echo(self, request: models.EchoRequest, **options: Unpack[CallOptions]) -> models.EchoResult:
        """Say something again."""
        return (await self.call(ECHO, request, **options)).result

    async def signal_hold(
        self, request: models.SignalHoldRequest, **options: Unpack[CallOptions]
    ) -> models.SignalHoldResult:
        """Wait until somebody releases the signal."""
        return (await self.call(SIGNAL_HOLD, request, **options)).result

    async def signal_release(
        self, request: models.SignalReleaseRequest, **options: Unpack[CallOptions]
    ) -> models.SignalReleaseResult:
        """Release a signal, for whoever waits or will wait."""
        return (await self.call(SIGNAL_RELEASE, request, **options)).result

    async def stall(self, request: models.StallRequest, **options: Unpack[CallOptions]) -> models.StallResult:
        """Never answer."""
        return (await self.call(STALL, request, **options)).result

    async def fail(self, request: models.FailRequest, **options: Unpack[CallOptions]) -> models.FailResult:
        """Fail in some way.

        May raise:
        * LineBroken: The line is broken.
        """
        return (await self.call(FAIL, request, **options)).result

    async def read_alphabet(self, **options: Unpack[CallOptions]) -> str:
        """Alphabet of the relay."""
        return (await self.read(READ_ALPHABET, **options)).result

    async def prompt_spell(
        self, request: models.PromptSpellRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """Spell a word."""
        return (await self.get_prompt(PROMPT_SPELL, request, **options)).result

    async def complete_spell_word(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of word, an argument of the prompt spell, that complete *prefix*."""
        return (await self.complete(COMPLETE_SPELL_WORD, prefix, **options)).result
