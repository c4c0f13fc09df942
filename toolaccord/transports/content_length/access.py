"""Key that callers send in the parameters of each request."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any

from toolaccord.contract.access import ArgumentKey
from toolaccord.json_values import JsonObject


class KeyCheck:
    """Check of the key in parameters; without *declared*, every request has access."""

    def __init__(self, declared: ArgumentKey | None, settings: Mapping[str, Any]) -> None:
        self._name = declared.name if declared else None
        self._key = str(settings[declared.setting]).encode() if declared else b""

    def take_key(self, params: JsonObject) -> bool:
        """Remove the key from *params*; return whether it gives access.

        The comparison takes the same time for every text of one length.
        """
        if self._name is None:
            return True
        sent = params.pop(self._name, None)
        return isinstance(sent, str) and hmac.compare_digest(sent.encode("utf-8", "surrogatepass"), self._key)
