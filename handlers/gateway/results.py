"""Results of backtests, as the bus publishes them."""

import logging
import re
from collections.abc import Sequence

from toolpact.json_values import JsonObject
from toolpact.s_expressions.reader import SExpressionError, parse

RESULT = "BACKTEST_RESULT"
"""The `type` of a message with the result of a backtest."""
_LOG = logging.getLogger(__name__)


def find_result(messages: Sequence[bytes], request_id: str) -> JsonObject | None:
    """Return the first result in *messages* with *request_id*; None without one.

    Only messages with the id in its place are parsed, because there may be a thousand.
    """
    member = re.compile(rb'request_id[\s.]*\(?"%b"' % re.escape(request_id).encode())
    found = (_parse_result(message) for message in messages if member.search(message))
    return next((result for result in found if result and result.get("request_id") == request_id), None)


def _parse_result(message: bytes) -> JsonObject | None:
    """Return the result in *message*; None if the message is another one."""
    try:
        value = parse(message)
    except SExpressionError as error:
        _LOG.warning("A message on the results endpoint is no S-expression: %s", error)
        return None
    if not isinstance(value, dict) or value.get("type") != RESULT or not isinstance(value.get("result"), dict):
        return None
    result: JsonObject = value["result"]
    return result
