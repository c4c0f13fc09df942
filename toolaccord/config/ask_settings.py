"""Settings of asks, which only servers with asks have."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.contract.settings import Setting
from toolaccord.declarations.tool import Server

_TIMEOUT_S = 600


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Settings of the asks of one process."""

    timeout_s: float
    """Seconds that a person has to answer."""
    state_keys: tuple[str, ...]
    """Keys of states; the first seals, and each opens."""


def list_ask_settings(server: Server[Any]) -> tuple[Setting, ...]:
    """Return the settings of the asks of *server*; none without asks."""
    if not server.asks:
        return ()
    return (
        Setting(
            name="mcp_ask_timeout_s",
            env="MCP_ASK_TIMEOUT_S",
            description="seconds that a person has to answer a question of a call",
            schema={"type": "number", "exclusiveMinimum": 0, "maximum": 86_400},
            default=_TIMEOUT_S,
            required=False,
            secret=False,
        ),
        Setting(
            name="mcp_state_key",
            env="MCP_STATE_KEY",
            description="keys of calls that wait for answers, comma separated, which replicas share; "
            "each has at least 32 characters. Without it only this process can go on with its calls",
            schema={"type": "string", "pattern": r"^(\s*[^\s,]{32,}\s*(,\s*[^\s,]{32,}\s*)*)?$"},
            default="",
            required=False,
            secret=True,
        ),
    )


def read_ask_settings(values: Mapping[str, Any]) -> AskSettings:
    """Return the settings of asks; without a key a random one."""
    keys = list_state_keys(values) or (secrets.token_hex(32),)
    return AskSettings(values.get("mcp_ask_timeout_s", _TIMEOUT_S), keys)


def list_state_keys(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts to redact: each key by itself."""
    return tuple(key.strip() for key in values.get("mcp_state_key", "").split(",") if key.strip())
