"""Give the platform's servers their roles: `python -m handlers.platform.roles`."""

from handlers.postgresql.roles import Roles

ROLES = Roles("generated.platform", "RISK_DATABASE_URL")

if __name__ == "__main__":
    raise SystemExit(ROLES.main())
