"""A client of nats-py that sends no credentials to a `tls://` server without TLS."""

from __future__ import annotations

from typing import Any

from nats.aio.client import Client
from nats.errors import SecureConnRequiredError


class StrictTlsClient(Client):
    """A client for which `tls://` means TLS.

    nats-py encrypts a connection if the server, or whoever answers for it, requires that.
    """

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:  # noqa: FBT001, FBT002 - nats-py's
        """Read what the server says before the credentials are sent. Raises SecureConnRequiredError."""
        server = self._current_server
        if initial_connection and server and server.uri.scheme == "tls" and not info.get("tls_required"):
            raise SecureConnRequiredError
        await super()._process_info(info, initial_connection)
