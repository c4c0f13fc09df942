"""The use that the Guardian makes of a message at its port for external commands."""

from enum import StrEnum

from sandbox.guardian.s_expressions import Datum, List, SExpressionError, Symbol, parse

BROKER_TYPES = frozenset(
    ["ORDER_OPEN", "CLOSE", "CLOSE_SHORT_TF", "REQ_HISTORY", "GET_POSITIONS", "GET_SWAP", "HEARTBEAT"]
)
"""The types of messages that the real Guardian forwards to the broker."""


class Route(StrEnum):
    """A use of a message."""

    UNREADABLE = "unreadable"
    """None: the bytes are no UTF-8, or the text does not begin with a parenthesis."""
    ORDER = "order"
    """The real Guardian forwards the message to the broker; this one only records it."""
    VALIDATION = "validation"
    """A cross-validation of a strategy, which the sandbox does not run."""
    BACKTEST = "backtest"
    UNKNOWN = "unknown"


def find_route(message: bytes) -> Route:
    """Return the route of *message*: by its type, else by words anywhere in the text."""
    try:
        text = message.decode()
    except UnicodeDecodeError:
        return Route.UNREADABLE
    if not text.startswith("("):
        return Route.UNREADABLE
    if _types(text) & BROKER_TYPES:
        return Route.ORDER
    if "CPCV_VALIDATE" in text:
        return Route.VALIDATION
    return Route.BACKTEST if '"BACKTEST"' in text else Route.UNKNOWN


def _types(text: str) -> set[str]:
    """Return each value of a key `type` at the top, in any case and any package (`key::type`)."""
    try:
        datum = parse(text)
    except SExpressionError:
        return set()
    pairs = [each for each in datum.items if isinstance(each, List) and each.items] if isinstance(datum, List) else []
    values = [(*pair.items, pair.tail)[1] for pair in pairs if _spell(pair.items[0]).lower() == "type"]
    return {_spell(value) for value in values}


def _spell(datum: Datum | None) -> str:
    """Return a symbol without its package, or a string; nothing for any other datum."""
    text = datum.name if isinstance(datum, Symbol) else datum if isinstance(datum, str) else ""
    return text.rpartition(":")[2].strip()
