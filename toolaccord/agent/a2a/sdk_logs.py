"""Log records of the A2A SDK.

It reports each mistake of a caller as an error, with a traceback.
"""

from __future__ import annotations

import logging

_LOGGERS = (
    "a2a.compat.v0_3.jsonrpc_adapter",
    "a2a.server.routes.jsonrpc_dispatcher",
    "a2a.utils.error_handlers",
    "a2a.utils.version_validator",
)
_MISTAKES = (
    "Failed to parse request params",
    "Failed to validate base JSON-RPC request",
    "Parse error: ",
    "Request Error ",
    "Request error: ",
    "Version mismatch: ",
)
"""Beginnings of messages on requests that the SDK rejects."""


def lower_mistakes_of_callers() -> None:
    """Log the mistakes of callers in one line each, as information."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.removeFilter(_lower)
        logger.addFilter(_lower)


def _lower(record: logging.LogRecord) -> bool:
    """Change the level of *record* if a caller caused it; return whether that level is logged."""
    if not str(record.msg).startswith(_MISTAKES) or "Code=-32603" in record.getMessage():
        return True
    record.levelno, record.levelname, record.exc_info = logging.INFO, "INFO", None
    return logging.getLogger(record.name).isEnabledFor(logging.INFO)
