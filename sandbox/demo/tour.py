"""Every tool of every server and agent, also with invalid arguments and without its sources."""

from sandbox.demo.agents import (
    call_analyst,
    call_generator,
    call_generator_without_data,
    connect_analyst,
    connect_generator,
)
from sandbox.demo.backtests import call_backtest_task, call_backtest_tools, call_without_backtester, connect_tasks
from sandbox.demo.connections import connect_framed
from sandbox.demo.decisions import call_decision_tools
from sandbox.demo.exchange import call_exchange_tools
from sandbox.demo.gateway import call_framed_gateway, call_gateway_tools, call_gateway_without_guardian
from sandbox.demo.markets import call_market_tools, call_without_influxdb
from sandbox.demo.platform import (
    call_execution_tools,
    call_execution_without_influxdb,
    call_features_tools,
    call_risk_tools,
    call_risk_without_database,
    call_storage_tools,
    call_storage_without_redis,
)
from sandbox.demo.portfolio import call_portfolio_tools, call_with_unknown_account
from sandbox.demo.sections import Section
from sandbox.demo.signals import call_signal_tools, call_signals_without_redis
from sandbox.demo.specs import call_spec_tools
from sandbox.demo.strategies import call_strategy_tools, call_without_database

NOWHERE = {
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
    "INFLUXDB_URL": "http://127.0.0.1:9",
    "RISK_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
    "REDIS_URL": "redis://127.0.0.1:9",
    "SWIMMY_MCP_ZMQ_ENDPOINT": "tcp://127.0.0.1:9",
}
"""Addresses at the discard port, where no server listens."""
NOBODY = {"PORTFOLIO_ACCOUNT_ID": "nobody"}
BACKTESTERLESS = {"BACKTESTER_TARGET": "127.0.0.1:9"}

SLOW = ", which waits 8 s for an exchange that does not answer"
TOUR = (
    Section("strategy-mcp", "tradestream.strategy", call_strategy_tools),
    Section("strategy-mcp without its database", "tradestream.strategy", call_without_database, NOWHERE),
    Section("market-data-mcp", "tradestream.market_data", call_market_tools),
    Section("market-data-mcp without InfluxDB", "tradestream.market_data", call_without_influxdb, NOWHERE),
    Section("backtest-mcp", "tradestream.backtest", call_backtest_tools),
    Section("backtest-mcp with a task", "tradestream.backtest", call_backtest_task, connect=connect_tasks),
    Section("backtest-mcp without its backtester", "tradestream.backtest", call_without_backtester, BACKTESTERLESS),
    Section("portfolio-mcp", "tradestream.portfolio", call_portfolio_tools),
    Section("portfolio-mcp of nobody", "tradestream.portfolio", call_with_unknown_account, NOBODY),
    Section("decisions-mcp", "tradestream.decisions", call_decision_tools),
    Section("strategy-db-mcp", "tradestream.strategy_db", call_spec_tools),
    Section("features-mcp", "platform.features", call_features_tools),
    Section("risk-mcp", "platform.risk", call_risk_tools),
    Section("risk-mcp without its database", "platform.risk", call_risk_without_database, NOWHERE),
    Section("execution-mcp", "platform.execution", call_execution_tools),
    Section("execution-mcp without InfluxDB", "platform.execution", call_execution_without_influxdb, NOWHERE),
    Section("storage-mcp", "platform.storage", call_storage_tools),
    Section("storage-mcp without Redis", "platform.storage", call_storage_without_redis, NOWHERE),
    Section("signal-mcp", "agents.signals", call_signal_tools),
    Section("signal-mcp without Redis", "agents.signals", call_signals_without_redis, NOWHERE),
    Section("moex-iss-mcp", "moex.iss", call_exchange_tools, delay_reason=SLOW),
    Section("swimmy-mcp", "gateway.swimmy", call_gateway_tools),
    Section("swimmy-mcp over Content-Length", "gateway.swimmy", call_framed_gateway, connect=connect_framed),
    Section("swimmy-mcp without the Guardian", "gateway.swimmy", call_gateway_without_guardian, NOWHERE),
    Section(
        "signal-generator",
        "agents.signal_generator",
        call_generator,
        {"SIGNAL_MAX_AGE": "604800"},  # on every day, most of the five strategies of ETH/USD signalled within a week
        connect=connect_generator,
    ),
    Section(
        "signal-generator without databases",
        "agents.signal_generator",
        call_generator_without_data,
        {name: NOWHERE[name] for name in ("DATABASE_URL", "INFLUXDB_URL")},
        delay_reason=", which calls three times",
        connect=connect_generator,
    ),
    Section("moex-analyst", "agents.moex_analyst", call_analyst, connect=connect_analyst),
)
