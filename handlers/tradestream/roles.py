"""Give TradeStream's servers their roles: `python -m handlers.tradestream.roles`."""

from handlers.postgresql.roles import Roles

ROLES = Roles("generated.tradestream", "DATABASE_URL")

if __name__ == "__main__":
    raise SystemExit(ROLES.main())
