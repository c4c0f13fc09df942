"""Log messages to clients: `notifications/message`, and the level that a client chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as types

from toolaccord.handler import LEVELS, Level, SendMessage
from toolaccord.json_values import JsonObject
from toolaccord.transports.mcp.request_shapes import LOG_LEVEL, STATELESS_VERSION
from toolaccord.transports.mcp.sdk.calls import Context, connection_of

_DEFAULT_LEVEL: Level = "info"
"""Level of a session of the handshake era until its client sets another one."""
LEVEL = "toolaccord.log_level"
"""The member of a connection's state that holds the level."""


async def set_level(context: Context, params: types.SetLevelRequestParams) -> JsonObject:
    """Answer `logging/setLevel`: remember the level for the connection."""
    connection_of(context).state[LEVEL] = params.level
    return {}


def message_sender(context: Context, tool: str) -> SendMessage | None:
    """Return the function that sends a call's messages; None if its client wants none."""
    stateless = context.protocol_version >= STATELESS_VERSION
    least = (context.meta or {}).get(LOG_LEVEL) if stateless else connection_of(context).state.get(LEVEL)
    if least is None and stateless:
        return None
    wanted = LEVELS[LEVELS.index(least or _DEFAULT_LEVEL) :]

    async def send(level: Level, message: str, data: Mapping[str, Any]) -> None:
        if level in wanted:
            params = types.LoggingMessageNotificationParams(level=level, logger=tool, data={**data, "message": message})
            notification = types.LoggingMessageNotification(params=params)
            await context.session.send_notification(notification, related_request_id=context.request_id)

    return send
