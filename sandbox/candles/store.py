"""The SQLite file that candles are kept in: the measurement `candles` as a table."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sandbox.candles.minutes import Candle, candles
from sandbox.market import PAIRS, Market

MINUTES = 30 * 24 * 60
"""How many candles of each symbol there are."""
MINUTE_MS = 60_000
BUSY_S = 30.0
"""How long to wait for another process that writes."""

CREATE = """
CREATE TABLE candles (
    currency_pair text NOT NULL,
    time integer NOT NULL,
    open real NOT NULL,
    high real NOT NULL,
    low real NOT NULL,
    close real NOT NULL,
    volume real NOT NULL,
    PRIMARY KEY (currency_pair, time)
) WITHOUT ROWID
"""
KNOWN = """
SELECT (SELECT min(time) FROM candles WHERE currency_pair = :symbol) / 60000,
       (SELECT max(time) FROM candles WHERE currency_pair = :symbol) / 60000
"""
INSERT = "INSERT OR IGNORE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?)"
FORGET = "DELETE FROM candles WHERE currency_pair = ? AND time < ?"


def create(path: Path, rows: Iterable[Candle] = ()) -> None:
    """Make the file with *rows*. Whoever finds it finds it whole."""
    begun = path.with_suffix(".new")
    begun.unlink(missing_ok=True)
    with closing(sqlite3.connect(begun, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = off")
        connection.execute("PRAGMA synchronous = off")
        connection.execute("BEGIN")
        connection.execute(CREATE)
        connection.executemany(INSERT, rows)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = wal")  # readers go on while a writer writes
    begun.rename(path)


def bring(path: Path, seed: int, now: datetime) -> None:
    """Let the file hold the candles of the 30 days up to the minute of *now*, and no older ones.

    Any number of processes may do this at once, once the file is there.
    """
    market, last = Market(seed), int(now.timestamp()) // 60
    first = last - MINUTES + 1
    if not path.exists():
        create(path, (row for symbol in sorted(PAIRS) for row in candles(market, symbol, first, last + 1)))
        return
    with closing(sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = off")
        connection.execute("BEGIN IMMEDIATE")
        for symbol in PAIRS:
            oldest, newest = connection.execute(KNOWN, {"symbol": symbol}).fetchone()
            connection.executemany(INSERT, candles(market, symbol, max(newest + 1, first), last + 1))
            connection.executemany(INSERT, candles(market, symbol, first, min(oldest, last + 1)))
            connection.execute(FORGET, [symbol, first * MINUTE_MS])
        connection.execute("COMMIT")
