"""Give each server its role in the database: `python -m handlers.tradestream.roles`."""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from importlib.resources import files

import asyncpg

from handlers.tradestream.migrate import CONNECT_TIMEOUT_S, DATABASE_ENV, LOCK

ROLE_FILE = "postgres_role.sql"
CREATED = re.compile(r'CREATE ROLE "(\w+)"')
SET_PASSWORD = "SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', $1::text, $2::text)"  # noqa: S105 - a statement


def read_roles() -> dict[str, str]:
    """Return the generated SQL of each role, by the role's name, sorted."""
    found = (folder / ROLE_FILE for folder in files("generated.tradestream").iterdir())
    texts = [file.read_text(encoding="utf-8") for file in found if file.is_file()]
    return dict(sorted((name, text) for text in texts for name in CREATED.findall(text)))


def password_env(role: str) -> str:
    """Return the environment variable with the password of *role*."""
    return f"{role.upper()}_PASSWORD"


async def grant(url: str, passwords: Mapping[str, str]) -> None:
    """Give every role in *passwords* its rights in the database at *url*, and its password.

    All in one transaction; rights of an older contract are revoked. Raises asyncpg.PostgresError, OSError or
    TimeoutError.
    """
    roles = read_roles()
    connection: asyncpg.Connection = await asyncpg.connect(url, timeout=CONNECT_TIMEOUT_S, statement_cache_size=0)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
            for role, password in passwords.items():
                await connection.execute(roles[role])
                await connection.execute(await connection.fetchval(SET_PASSWORD, role, password))
    finally:
        await connection.close()


def main() -> int:
    """Grant the roles at DATABASE_URL; return 0, 1 for a failure, 2 without a variable."""
    variables = {role: password_env(role) for role in read_roles()}
    missing = [name for name in (DATABASE_ENV, *variables.values()) if not os.environ.get(name)]
    if missing:
        sys.stderr.write(f"{', '.join(missing)}: missing; set the owner's URL and the password of every role.\n")
        return 2
    try:
        asyncio.run(grant(os.environ[DATABASE_ENV], {role: os.environ[name] for role, name in variables.items()}))
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as exc:
        sys.stderr.write(f"The roles cannot be granted: {str(exc) or type(exc).__name__}\n")
        return 1
    sys.stdout.write("".join(f"granted {role}\n" for role in variables))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
