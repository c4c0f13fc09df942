"""Migrate TradeStream's database: `python -m handlers.tradestream.migrate`."""

from handlers.postgresql.migrations import Schema

SCHEMA = Schema("handlers.tradestream", "DATABASE_URL")

if __name__ == "__main__":
    raise SystemExit(SCHEMA.main())
