"""The sandbox's database of risk-mcp, with sample data that stay current."""

from contextlib import AbstractContextManager


def serve() -> AbstractContextManager[str]:
    """Return a context of the URL of the database that processes share. Raises SandboxError."""
    from sandbox.platform.database import DATABASE  # noqa: PLC0415 - asyncpg is slow to import

    return DATABASE.serve()
