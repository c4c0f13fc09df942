"""The sandbox's TradeStream database."""

from datetime import datetime

from handlers.tradestream.migrate import SCHEMA
from sandbox.sample_database import SampleDatabase
from sandbox.tradestream import SEED
from sandbox.tradestream.load import load


async def _load(url: str, now: datetime, /, *, replace: bool = True) -> bool:
    return await load(url, SEED, now, replace=replace)


DATABASE = SampleDatabase(title="TradeStream", name="tradestream", schema=SCHEMA, load=_load)
