"""The sample data: the rows of each table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from sandbox.backtester.specs import read_specs
from sandbox.market import Market
from sandbox.tradestream.decisions import decision_rows
from sandbox.tradestream.performance import implementation_row, measure, performance_rows
from sandbox.tradestream.portfolio import account_row, position_rows
from sandbox.tradestream.signals import signal_rows
from sandbox.tradestream.strategies import Row, generate_implementations, spec_row, strategy_row


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


DAILY = frozenset({"strategy_implementations", "strategy_performance"})
"""The tables whose rows are measured once a day."""


def build_sample(seed: int, now: datetime, tables: Iterable[str] = COLUMNS) -> Mapping[str, Table]:
    """Return the rows of each of *tables* at *now*, in the order of COLUMNS.

    It is a pure function of seed and time. The figures of strategies are those of the days before *now*. Which signals,
    positions and decisions exist depends on *now*; their values do not. Balances and the prices of positions are those
    of *now*.
    """
    fitted = tuple(generate_implementations(seed))
    strategies = tuple(implementation for implementation in fitted if implementation.is_strategy)
    market, today = Market(seed), now.date()
    rows: Mapping[str, Callable[[], Iterable[Row]]] = {
        "strategy_specs": lambda: (spec_row(seed, spec) for spec in read_specs()),
        "strategy_implementations": lambda: (implementation_row(each, measure(seed, today)) for each in fitted),
        "strategies": lambda: map(strategy_row, strategies),
        "strategy_performance": lambda: chain.from_iterable(
            performance_rows(each, measure(seed, today)) for each in strategies
        ),
        "signals": lambda: chain.from_iterable(signal_rows(each, market, now) for each in strategies),
        "accounts": lambda: [account_row(seed, now)],
        "positions": lambda: position_rows(seed, now),
        "agent_decisions": lambda: decision_rows(seed, now),
    }
    return {name: Table(tuple(COLUMNS[name].split()), list(rows[name]())) for name in COLUMNS if name in set(tables)}
