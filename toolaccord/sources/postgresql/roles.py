"""Database roles of servers, which have the rights of their tools and no others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable

from toolaccord.sources.postgresql.migrations import connect, locked_transaction

_CREATED = re.compile(r'CREATE ROLE "(\w+)"')
_SET_PASSWORD = "SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', $1::text, $2::text)"  # noqa: S105 - a statement


def password_env(role: str) -> str:
    """Return the environment variable with the password of *role*."""
    return f"{role.upper()}_PASSWORD"


def read_roles(role_files: Iterable[Traversable]) -> dict[str, str]:
    """Return the generated SQL of each role, by the role's name, sorted."""
    texts = [file.read_text(encoding="utf-8") for file in role_files]
    return dict(sorted((name, text) for text in texts for name in _CREATED.findall(text)))


async def grant_roles(url: str, roles: Mapping[str, str], passwords: Mapping[str, str]) -> None:
    """Give every one of *roles* its rights in the database at *url*, and its password.

    All in one transaction; rights of an older contract are revoked. Raises asyncpg.PostgresError, OSError or
    TimeoutError.
    """
    async with connect(url) as connection, locked_transaction(connection):
        for role, sql in roles.items():
            await connection.execute(sql)
            await connection.execute(await connection.fetchval(_SET_PASSWORD, role, passwords[role]))
