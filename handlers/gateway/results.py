"""Results of backtests, as the bus publishes them."""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence

from toolaccord.json_values import JsonObject
from toolaccord.s_expressions.reader import SExpressionError, parse

RESULT = "BACKTEST_RESULT"
"""The `type` of a message with the result of a backtest."""
FIGURES = ("sharpe", "trades", "profit_factor", "win_rate", "max_dd")
"""The members of a result that are numbers."""
_MAX_PARSED_BYTES = 262_144
"""Bytes of messages for one id after which no more are parsed: half a second of work."""
_LOG = logging.getLogger(__name__)


def find_result(messages: Sequence[bytes], request_id: str) -> JsonObject | None:
    """Return the first result in *messages* with *request_id*; None without one.

    Only messages with the id in its place are parsed, because there may be a thousand, and no more of them than a call
    has time for.
    """
    member = re.compile(rb'request_id[\s.]{0,8}\(?"%b"' % re.escape(request_id).encode())
    found = map(_parse_result, _limit_bytes(filter(member.search, messages)))
    return next((result for result in found if result and result.get("request_id") == request_id), None)


def read_figures(result: JsonObject) -> JsonObject:
    """Return *result* with each figure; None for one that is no number or absent."""
    numbers = {name: value for name in FIGURES if type(value := result.get(name)) in {int, float}}
    return result | dict.fromkeys(FIGURES) | numbers


def _limit_bytes(messages: Iterable[bytes]) -> Iterator[bytes]:
    """Yield *messages* up to the sum, the first of any size; a warning tells of others."""
    parsed = 0
    for message in messages:
        if parsed >= _MAX_PARSED_BYTES:
            _LOG.warning("%s bytes of messages name one backtest; older ones are skipped", parsed)
            return
        parsed += len(message)
        yield message


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
