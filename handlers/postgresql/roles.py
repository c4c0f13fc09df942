"""Database roles of a system's servers, and the command that grants them."""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import asyncpg

from handlers.postgresql.migrations import CONNECT_TIMEOUT_S, LOCK

ROLE_FILE = "postgres_role.sql"
CREATED = re.compile(r'CREATE ROLE "(\w+)"')
SET_PASSWORD = "SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', $1::text, $2::text)"  # noqa: S105 - a statement


def password_env(role: str) -> str:
    """Return the environment variable with the password of *role*."""
    return f"{role.upper()}_PASSWORD"


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of a system's servers in their database."""

    package: str
    """The generated package of the system; its servers' folders have the roles' files."""
    env: str
    """The environment variable with the URL of the database, for its owner."""

    def read(self) -> dict[str, str]:
        """Return the generated SQL of each role, by the role's name, sorted."""
        found = (folder / ROLE_FILE for folder in files(self.package).iterdir())
        texts = [file.read_text(encoding="utf-8") for file in found if file.is_file()]
        return dict(sorted((name, text) for text in texts for name in CREATED.findall(text)))

    async def grant(self, url: str, passwords: Mapping[str, str]) -> None:
        """Give every role in *passwords* its rights in the database at *url*, and its password.

        All in one transaction; rights of an older contract are revoked. Raises asyncpg.PostgresError, OSError or
        TimeoutError.
        """
        roles = self.read()
        connection: asyncpg.Connection = await asyncpg.connect(url, timeout=CONNECT_TIMEOUT_S, statement_cache_size=0)
        try:
            async with connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
                for role, password in passwords.items():
                    await connection.execute(roles[role])
                    await connection.execute(await connection.fetchval(SET_PASSWORD, role, password))
        finally:
            await connection.close()

    def main(self) -> int:
        """Grant the roles; return 0, 1 for a failure, 2 without an environment variable."""
        variables = {role: password_env(role) for role in self.read()}
        missing = [name for name in (self.env, *variables.values()) if not os.environ.get(name)]
        if missing:
            sys.stderr.write(f"{', '.join(missing)}: missing; set the owner's URL and the password of every role.\n")
            return 2
        try:
            asyncio.run(self.grant(os.environ[self.env], {role: os.environ[name] for role, name in variables.items()}))
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as exc:
            sys.stderr.write(f"The roles cannot be granted: {str(exc) or type(exc).__name__}\n")
            return 1
        sys.stdout.write("".join(f"granted {role}\n" for role in variables))
        return 0
