"""The sandbox's TradeStream database, with sample data that stay current."""

from contextlib import AbstractContextManager


def serve() -> AbstractContextManager[str]:
    """Return a context of the URL of the database that processes share. Raises SandboxError."""
    from sandbox.tradestream.database import DATABASE  # noqa: PLC0415 - asyncpg is slow to import

    return DATABASE.serve()
