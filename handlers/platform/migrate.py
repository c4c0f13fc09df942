"""Migrate the platform's database: `python -m handlers.platform.migrate`."""

from handlers.postgresql.migrations import Schema

SCHEMA = Schema("handlers.platform", "RISK_DATABASE_URL")

if __name__ == "__main__":
    raise SystemExit(SCHEMA.main())
