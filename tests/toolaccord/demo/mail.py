"""Send letters, each once, with idempotency keys in Redis.

`contracts/demo/mail.json` declares the server. `python -m tests.toolaccord.demo.mail` serves it. MAIL_FOLDER names the
folder that its letters reach; each letter then takes a random time of some milliseconds before and after it was sent.
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.toolaccord.generated.demo.errors import Bounced
from tests.toolaccord.generated.demo.mail.models import (
    PostRequest,
    PostResult,
    RemindRequest,
    RemindResult,
    SendRequest,
    SendResult,
)
from tests.toolaccord.generated.demo.mail.server import MailCall, server
from toolaccord.server.main import run

LONGEST_DELAY_S = 0.01


@dataclass(frozen=True, slots=True)
class Mailbox:
    """The letters in a folder, which outlives the servers that write to it."""

    folder: Path

    def send(self, key: str, letter: str) -> None:
        """Add a letter, and deliver it unless one with its key was delivered.

        The first effect happens in every run of the handler, the second once for each key.
        """
        with (self.folder / f"sent-{key}").open("a", encoding="utf-8") as sent:
            sent.write(f"{letter}\n")
        with suppress(FileExistsError), (self.folder / f"delivered-{key}").open("x", encoding="utf-8") as delivered:
            delivered.write(letter)

    def sent(self, key: str) -> list[str]:
        """Return the letters with *key* that were sent, in order."""
        path = self.folder / f"sent-{key}"
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    def delivered(self, key: str) -> str:
        """Return the only letter with *key* that was delivered."""
        return (self.folder / f"delivered-{key}").read_text(encoding="utf-8")


async def _let_go(_key: str, _letter: str) -> None:
    """Let a letter go at once."""


@dataclass(slots=True)
class Postman:
    """The handlers. A letter is sent by *deliver*, which takes its key and its identifier."""

    deliver: Callable[[str, str], Awaitable[None]] = _let_go
    texts: list[str] = field(default_factory=list)
    """The texts of the letters, in the order in which their handlers started."""
    keys: list[str] = field(default_factory=list)
    """The idempotency keys of the letters."""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by the first letter."""

    async def send(self, request: SendRequest, call: MailCall, /) -> SendResult:
        return SendResult(letter=await self._send(request.text, call), weight=request.weight)

    async def post(self, request: PostRequest, call: MailCall, /) -> PostResult:
        return PostResult(letter=await self._send(request.text, call))

    async def remind(self, _request: RemindRequest, call: MailCall, /) -> RemindResult:
        return RemindResult(letter=await self._send("reminder", call))

    async def _send(self, text: str, call: MailCall) -> str:
        key, letter = call.idempotency.key if call.idempotency else "", secrets.token_hex(8)
        self.texts.append(text)
        self.keys.append(key)
        self.arrived.set()
        await self.deliver(key, letter)
        if text == "bounce":
            raise Bounced("The letter came back.")
        return letter


def main() -> int:
    """Serve the handlers, with the mailbox in MAIL_FOLDER."""
    mailbox = Mailbox(Path(os.environ["MAIL_FOLDER"]))

    async def deliver(key: str, letter: str) -> None:
        await asyncio.sleep(random.uniform(0, LONGEST_DELAY_S))
        mailbox.send(key, letter)
        await asyncio.sleep(random.uniform(0, LONGEST_DELAY_S))

    return run(server(Postman(deliver)))


if __name__ == "__main__":
    raise SystemExit(main())
