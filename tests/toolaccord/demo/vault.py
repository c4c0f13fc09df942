"""Keep the boxes of a vault, into which callers see by their scopes.

`contracts/demo/vault.json` declares the server. `python -m tests.toolaccord.demo.vault` serves it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.toolaccord.generated.demo.vault.models import Box, FillBoxRequest, OpenBoxRequest, ReadRecordRequest
from tests.toolaccord.generated.demo.vault.server import VaultCall, server
from toolaccord.server.main import run


class Boxes:
    """The handlers, which keep the boxes in memory."""

    def __init__(self) -> None:
        self.contents = {1: "gold"}
        self.opened: list[str] = []

    async def open_box(self, request: OpenBoxRequest, call: VaultCall, /) -> Box:
        caller = call.caller.name if call.caller else ""
        self.opened.append(caller)
        return Box(content=self.contents.get(request.number, "dust"), caller=caller)

    async def fill_box(self, request: FillBoxRequest, call: VaultCall, /) -> Box:
        self.contents[request.number] = request.content
        call.changed.record(number=request.number)
        return Box(content=request.content, caller=call.caller.name if call.caller else "")

    async def read_record(self, _request: ReadRecordRequest, _call: VaultCall, /) -> str:
        return "\n".join(self.opened)

    async def complete_record_number(self, prefix: str, _call: VaultCall, /) -> Sequence[str]:
        return [prefix]


if __name__ == "__main__":
    raise SystemExit(run(server(Boxes())))
