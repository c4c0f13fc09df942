"""Session ids for hosts of the handshake era that show views.

Such a host declares it in `initialize` alone. Its session id says so from then on, to any replica, and none keeps a
session.
"""

from __future__ import annotations

from starlette.types import Message, Send

from toolaccord.transports.mcp.apps import SESSION_FIELD, new_session_id


def with_session_id(send: Send) -> Send:
    """Return *send* for the response to such an `initialize`, to which it adds the session id."""

    async def send_with_id(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            field = SESSION_FIELD.encode(), new_session_id().encode()
            message = {**message, "headers": [*message["headers"], field]}
        await send(message)

    return send_with_id
