"""The sample data: the rows of each table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sandbox.market import Market
from sandbox.tradestream.decisions import decision_rows
from sandbox.tradestream.portfolio import account_row, position_rows
from sandbox.tradestream.signals import signal_rows
from sandbox.tradestream.specs import read_specs
from sandbox.tradestream.strategies import (
    Row,
    generate_implementations,
    implementation_row,
    performance_rows,
    spec_row,
    strategy_row,
)


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table."""

    columns: tuple[str, ...]
    rows: Sequence[Row]


COLUMNS: Mapping[str, str] = {
    "strategy_specs": "spec_id name description indicators entry_conditions exit_conditions parameters source created_at",
    "strategy_implementations": "impl_id spec_id symbol parameters status forward_sharpe forward_accuracy created_at",
    "strategies": "strategy_id impl_id symbol name is_active created_at",
    "strategy_performance": "strategy_id period_start period_end signals_count accuracy sharpe total_return",
    "signals": "signal_id strategy_id symbol signal confidence price parameters triggered_at",
    "accounts": "account_id total_balance available_balance margin_used updated_at",
    "positions": "position_id account_id symbol side size entry_price current_price priced_at opened_at",
    "agent_decisions": "decision_id symbol action confidence opportunity_score reasoning tool_calls created_at",
}
"""The columns of each table; a table follows those that its foreign keys refer to."""


def build_sample(seed: int, now: datetime) -> Mapping[str, Table]:
    """Return the rows of each table at *now*, in the order of COLUMNS; a pure function of both.

    Which months, signals, positions and decisions exist depends on *now*; their values do not. Balances and the prices
    of positions are those of *now*.
    """
    fitted = tuple(generate_implementations(seed))
    strategies = tuple(implementation for implementation in fitted if implementation.is_strategy)
    market = Market(seed)
    rows: dict[str, list[Row]] = {
        "strategy_specs": [spec_row(seed, spec) for spec in read_specs()],
        "strategy_implementations": [implementation_row(each) for each in fitted],
        "strategies": [strategy_row(each) for each in strategies],
        "strategy_performance": [row for each in strategies for row in performance_rows(each, now)],
        "signals": [row for each in strategies for row in signal_rows(each, market, now)],
        "accounts": [account_row(seed, now)],
        "positions": list(position_rows(seed, now)),
        "agent_decisions": list(decision_rows(seed, now)),
    }
    return {name: Table(tuple(columns.split()), rows[name]) for name, columns in COLUMNS.items()}
