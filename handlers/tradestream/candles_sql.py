"""The candle queries in SQLite's SQL, on the table `candles` with a row for each minute."""

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


class SqlQueries:
    """Implements `handlers.tradestream.candles.Queries`."""

    def __init__(self, bucket: str) -> None:
        """Ignore the bucket: a file has one."""

    def page(self, symbol: str, width_ms: int, since: int, end: int, limit: int, offset: int) -> str:
        """Return the query of a page of bars, newest first, each with the total."""
        pair = literal(symbol)
        every = "*" if width_ms == MINUTE_MS else f"DISTINCT time / {width_ms:d}"
        return f"""
WITH bars AS (
    SELECT min(time) AS first, max(time) AS last, max(high) AS high, min(low) AS low, sum(volume) AS volume
    FROM candles
    WHERE {_where(symbol, since, end)}
    GROUP BY time / {width_ms:d}
    ORDER BY first DESC
    LIMIT {limit:d} OFFSET {offset:d}
)
SELECT (SELECT count({every}) FROM candles WHERE {_where(symbol, 0, end)}) AS total, page.*
FROM (SELECT 1) LEFT JOIN (
    SELECT first / {width_ms:d} * {width_ms:d} AS time, opening.open, bars.high, bars.low, closing.close, bars.volume
    FROM bars
    JOIN candles opening ON opening.currency_pair = {pair} AND opening.time = bars.first
    JOIN candles closing ON closing.currency_pair = {pair} AND closing.time = bars.last
) page
ORDER BY page.time DESC
"""  # noqa: S608 - numbers, and a symbol that is checked and quoted

    def between(self, symbol: str, start: int, end: int) -> str:
        """Return the query of one-minute bars, oldest first."""
        return f"""
SELECT time, open, high, low, close, volume FROM candles WHERE {_where(symbol, start, end)} ORDER BY time
"""  # noqa: S608 - see above

    def newest(self, symbol: str, end: int) -> str:
        """Return the query of the newest minute."""
        return f"""
SELECT time, close FROM candles WHERE {_where(symbol, 0, end)} ORDER BY time DESC LIMIT 1
"""  # noqa: S608 - see above

    def day(self, symbol: str, opened: int) -> str:
        """Return the query of the closes an hour and a day ago, and of the volume since."""
        hour, day = opened - HOUR_MS, opened - 24 * HOUR_MS
        return f"""
SELECT {_last(symbol, hour)} AS before_1h,
       {_last(symbol, day)} AS before_24h,
       (SELECT sum(volume) FROM candles WHERE {_where(symbol, day + 1, opened + 1)}) AS volume
"""  # noqa: S608 - see above


def _last(symbol: str, moment: int) -> str:
    """Return the expression of the last close of the hour that ends at *moment*."""
    where = _where(symbol, moment - HOUR_MS + 1, moment + 1)
    return f"(SELECT close FROM candles WHERE {where} ORDER BY time DESC LIMIT 1)"  # noqa: S608 - see above


def _where(symbol: str, start: int, end: int) -> str:
    return f"currency_pair = {literal(symbol)} AND time >= {start:d} AND time < {end:d}"


def literal(text: str) -> str:
    """Return *text* as an SQL string. Raises ValueError for NUL, where SQLite truncates."""
    if "\0" in text:
        raise ValueError("no SQL text holds a zero character")
    return "'" + text.replace("'", "''") + "'"
