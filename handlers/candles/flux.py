"""The candle queries in Flux, for InfluxDB 2.x."""

from datetime import UTC, datetime, timedelta

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ROWS = """\
    |> keep(columns: ["_time", "_field", "_value"])
    |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")
    |> group()"""
NAMED = '|> rename(columns: {_time: "time"})'


class FluxQueries:
    """Implements `handlers.candles.store.Queries`."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket

    def page(self, symbol: str, width_ms: int, since: int, end: int, limit: int, offset: int) -> str:
        """Return the query of a page of bars, newest first, and of their total."""
        closes = f'{self._from(symbol, 0, end)}\n    |> filter(fn: (r) => r._field == "close")'
        if width_ms != MINUTE_MS:
            # Windows bear the time of their opening; without timeSrc it would be that of their end.
            closes += (
                f'\n    |> aggregateWindow(every: {_every(width_ms)}, fn: last, createEmpty: false, timeSrc: "_start")'
            )
        return f"""\
{self._bars(symbol, width_ms, since, end)}
    |> sort(columns: ["_time"], desc: true)
    |> limit(n: {limit:d}, offset: {offset:d})
    {NAMED}
    |> yield(name: "bars")

{closes}
    |> group()
    |> count()
    |> rename(columns: {{_value: "total"}})
    |> yield(name: "total")
"""

    def between(self, symbol: str, width_ms: int, start: int, end: int) -> str:
        """Return the query of bars, oldest first."""
        return f"""\
{self._bars(symbol, width_ms, start, end)}
    |> sort(columns: ["_time"])
    {NAMED}
"""

    def count(self, symbol: str, start: int, end: int) -> str:
        """Return the query of the number of minutes."""
        return self._one(symbol, start, end, "close", "count", "total")

    def newest(self, symbol: str, end: int) -> str:
        """Return the query of the newest minute."""
        return f"""\
{self._from(symbol, 0, end)}
    |> filter(fn: (r) => r._field == "close")
    |> last()
    |> keep(columns: ["_time", "_value"])
    |> rename(columns: {{_time: "time", _value: "close"}})
"""

    def day(self, symbol: str, opened: int) -> str:
        """Return the query of the closes an hour and a day ago, and of the volume since."""
        hour, day = opened - HOUR_MS, opened - 24 * HOUR_MS
        return "\n".join(
            [
                self._one(symbol, hour - HOUR_MS + 1, hour + 1, "close", "last", "before_1h"),
                self._one(symbol, day - HOUR_MS + 1, day + 1, "close", "last", "before_24h"),
                self._one(symbol, day + 1, opened + 1, "volume", "sum", "volume"),
            ]
        )

    def symbols(self, end: int) -> str:
        """Return the query of the symbols, in the form that InfluxDB answers from its index."""
        return f"""\
from(bucket: {literal(self._bucket)})
    |> range(start: {_time(0)}, stop: {_time(end)})
    |> filter(fn: (r) => r._measurement == "candles")
    |> keep(columns: ["currency_pair"])
    |> group()
    |> distinct(column: "currency_pair")
    |> rename(columns: {{_value: "value"}})
"""

    def _one(self, symbol: str, start: int, end: int, field: str, how: str, name: str) -> str:
        """Return the stream of one value of a field, under a name."""
        return f"""\
{self._from(symbol, start, end)}
    |> filter(fn: (r) => r._field == "{field}")
    |> {how}()
    |> keep(columns: ["_value"])
    |> rename(columns: {{_value: "{name}"}})
    |> yield(name: "{name}")
"""

    def _bars(self, symbol: str, width_ms: int, start: int, end: int) -> str:
        """Return the stream of bars in any order, a row each."""
        minutes = self._from(symbol, start, end)
        if width_ms == MINUTE_MS:
            return f"{minutes}\n{ROWS}"
        return f"minutes = {minutes}\n\n{_windows(_every(width_ms))}\n{ROWS}"

    def _from(self, symbol: str, start: int, end: int) -> str:
        return f"""\
from(bucket: {literal(self._bucket)})
    |> range(start: {_time(start)}, stop: {_time(end)})
    |> filter(fn: (r) => r._measurement == "candles" and r.currency_pair == {literal(symbol)})"""


def _windows(every: str) -> str:
    """Return the stream of `minutes` in windows, with an aggregate for each field."""
    how = {"open": "first", "high": "max", "low": "min", "close": "last", "volume": "sum"}
    parts = [
        f'    minutes |> filter(fn: (r) => r._field == "{field}")'
        f' |> aggregateWindow(every: {every}, fn: {fn}, createEmpty: false, timeSrc: "_start"),'
        for field, fn in how.items()
    ]
    return "\n".join(["union(tables: [", *parts, "])"])


def _every(width_ms: int) -> str:
    """Return a width as Flux writes it."""
    return f"{width_ms // MINUTE_MS}m"


def _time(ms: int) -> str:
    """Return a time as Flux writes it."""
    return (EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def literal(text: str) -> str:
    """Return *text* as a Flux string; a dollar sign is escaped, since `${` begins an expression."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\x24")
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'
