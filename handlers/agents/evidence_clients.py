"""Clients of strategy-mcp and market-data-mcp, as the signal generator has them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from generated.agents.signal_generator.agent import agent
from generated.agents.signals.server import SignalsSettings
from generated.tradestream.market_data.client import MarketDataClient
from generated.tradestream.strategy.client import StrategyClient
from handlers.agents import signal_generator
from toolaccord.agent.clients import ClientOptions, create_client, open_clients
from toolaccord.client.policies import CallObserver
from toolaccord.timing.clock import SystemClock

AGENT = replace(agent(signal_generator), cache=None)
"""The signal generator, whose clients cache nothing that outlives them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCall:
    """Everything that `gather_evidence` needs."""

    strategy: StrategyClient
    market_data: MarketDataClient
    settings: SignalsSettings
    now: datetime
    read_clock: Callable[[], datetime]


@asynccontextmanager
async def open_evidence_call(settings: SignalsSettings, now: datetime) -> AsyncIterator[EvidenceCall]:
    """Provide open clients for one symbol's evidence.

    Servers without a URL run as long as the clients are open. Raises TransportError if a server rejects its token.
    """
    clock = SystemClock()
    options = ClientOptions(
        settings=asdict(settings), environ=_environ(settings), arguments=(), observer=CallObserver(), clock=clock
    )
    clients = {use.name: create_client(AGENT, use, options) for use in AGENT.uses}
    strategy, market_data = clients["strategy"], clients["market_data"]
    assert isinstance(strategy, StrategyClient)
    assert isinstance(market_data, MarketDataClient)
    async with open_clients(clients) as opening:
        yield EvidenceCall(strategy=strategy, market_data=market_data, settings=settings, now=now, read_clock=clock.now)
        if opening.done():
            opening.result()


def _environ(settings: SignalsSettings) -> dict[str, str]:
    """Return the variables of servers that are started."""
    return {
        "DATABASE_URL": settings.database_url,
        "SIGNAL_MAX_AGE": settings.signal_max_age_s,
        "INFLUXDB_URL": settings.influxdb_url,
        "INFLUXDB_TOKEN": settings.influxdb_token,
        "INFLUXDB_ORG": settings.influxdb_org,
        "INFLUXDB_BUCKET": settings.influxdb_bucket,
        "INFLUXDB_QUERY_LANGUAGE": settings.influxdb_query_language,
        "PRICE_MAX_AGE": settings.price_max_age_s,
    }
