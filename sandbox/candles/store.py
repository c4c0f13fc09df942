"""The SQLite file of the candles, with the measurement `candles` as a table."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sandbox.candles.minutes import Candle, generate_candles
from sandbox.market import PAIRS, Market

MINUTES = 30 * 24 * 60
"""The number of candles of each symbol."""
MINUTE_MS = 60_000
BUSY_S = 30.0
"""Seconds to wait for another process that writes."""

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
TIME_RANGE = """
SELECT (SELECT min(time) FROM candles WHERE currency_pair = :symbol) / 60000,
       (SELECT max(time) FROM candles WHERE currency_pair = :symbol) / 60000
"""
INSERT = "INSERT OR IGNORE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?)"
DELETE_OLDER = "DELETE FROM candles WHERE currency_pair = ? AND time < ?"


def create(path: Path, rows: Iterable[Candle] = ()) -> None:
    """Create the file with *rows*, under another name until it is complete."""
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = off")
        connection.execute("PRAGMA synchronous = off")
        connection.execute("BEGIN")
        connection.execute(CREATE)
        connection.executemany(INSERT, rows)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = wal")  # a writer does not block readers
    unfinished.rename(path)


def update(path: Path, seed: int, now: datetime) -> None:
    """Add the candles up to the minute of *now*, and delete those older than 30 days.

    Any number of processes may do this at once, once the file exists.
    """
    market, last = Market(seed), int(now.timestamp()) // 60
    first = last - MINUTES + 1
    if not path.exists():
        create(path, (row for symbol in sorted(PAIRS) for row in generate_candles(market, symbol, first, last + 1)))
        return
    with closing(sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = off")
        connection.execute("BEGIN IMMEDIATE")
        for symbol in PAIRS:
            oldest, newest = connection.execute(TIME_RANGE, {"symbol": symbol}).fetchone()
            connection.executemany(INSERT, generate_candles(market, symbol, max(newest + 1, first), last + 1))
            connection.executemany(INSERT, generate_candles(market, symbol, first, min(oldest, last + 1)))
            connection.execute(DELETE_OLDER, [symbol, first * MINUTE_MS])
        connection.execute("COMMIT")
