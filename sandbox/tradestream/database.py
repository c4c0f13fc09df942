"""The sandbox's TradeStream database."""

from datetime import datetime
from importlib.resources import files

from sandbox.sample_database import SampleDatabase
from sandbox.seeded_random import SEED
from sandbox.tradestream.load import load
from toolaccord.sources.postgresql.migrations import Schema

SCHEMA = Schema("tradestream", files("handlers.tradestream") / "migrations", keeps_idempotency_keys=True)


async def _load(url: str, now: datetime, /, *, replace: bool = True) -> bool:
    return await load(url, SEED, now, replace=replace)


DATABASE = SampleDatabase(title="TradeStream", name="tradestream", schema=SCHEMA, load=_load)
