"""The candle queries in InfluxQL, in the subset that 1.x, 2.x and 3.x share."""

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
OHLCV = "first(open) AS open, max(high) AS high, min(low) AS low, last(close) AS close, sum(volume) AS volume"


class InfluxqlQueries:
    """Implements `handlers.candles.store.Queries`."""

    def __init__(self, bucket: str) -> None:
        """Ignore the bucket, which the request sends as its database."""

    def page(self, symbol: str, width_ms: int, since: int, end: int, limit: int, offset: int) -> str:
        """Return the query of a page of bars, newest first, and of their total."""
        closes = f"SELECT last(close) AS close {_from(symbol, 0, end)} {_windows(width_ms)}"
        counted = _from(symbol, 0, end) if width_ms == MINUTE_MS else f"FROM ({closes})"
        return (
            f"{_bars(symbol, width_ms, since, end)} ORDER BY time DESC LIMIT {limit:d} OFFSET {offset:d};"
            f" SELECT count(close) AS total {counted}"
        )

    def between(self, symbol: str, width_ms: int, start: int, end: int) -> str:
        """Return the query of bars, oldest first."""
        return f"{_bars(symbol, width_ms, start, end)} ORDER BY time"

    def count(self, symbol: str, start: int, end: int) -> str:
        """Return the query of the number of minutes."""
        return f"SELECT count(close) AS total {_from(symbol, start, end)}"

    def newest(self, symbol: str, end: int) -> str:
        """Return the query of the newest minute."""
        return f"SELECT last(close) AS close {_from(symbol, 0, end)}"

    def day(self, symbol: str, opened: int) -> str:
        """Return the query of the closes an hour and a day ago, and of the volume since."""
        hour, day = opened - HOUR_MS, opened - 24 * HOUR_MS
        return "; ".join(
            [
                f"SELECT last(close) AS before_1h {_from(symbol, hour - HOUR_MS + 1, hour + 1)}",
                f"SELECT last(close) AS before_24h {_from(symbol, day - HOUR_MS + 1, day + 1)}",
                f"SELECT sum(volume) AS volume {_from(symbol, day + 1, opened + 1)}",
            ]
        )

    def symbols(self, end: int) -> str:  # noqa: ARG002 - the index of tags has no times
        """Return the query of the symbols."""
        return 'SHOW TAG VALUES FROM candles WITH KEY = "currency_pair"'


def _bars(symbol: str, width_ms: int, start: int, end: int) -> str:
    """Return the query of bars in any order."""
    if width_ms == MINUTE_MS:
        return f"SELECT open, high, low, close, volume {_from(symbol, start, end)}"
    return f"SELECT {OHLCV} {_from(symbol, start, end)} {_windows(width_ms)}"


def _windows(width_ms: int) -> str:
    return f"GROUP BY time({width_ms}ms) fill(none)"


def _from(symbol: str, start: int, end: int) -> str:
    return f"FROM candles WHERE currency_pair = {literal(symbol)} AND time >= {start:d}ms AND time < {end:d}ms"


def literal(text: str) -> str:
    """Return *text* as an InfluxQL string."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
