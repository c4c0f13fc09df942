"""The strategies of the sample data, their parameters and their performance."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from sandbox.market import PAIRS
from sandbox.seeded_random import identifier, normal, normals, uniform
from sandbox.tradestream.specs import Json, Parameter, Spec, read_specs

DrawKey: TypeAlias = tuple[int, str, str]
Row: TypeAlias = tuple[object, ...]
"""The values of one row, in the order of the table's columns."""

IMPLEMENTED = 0.75
"""The share of the pairs of spec and symbol that have an implementation."""
SILENT = 0.15
"""The share of the deployed strategies that give no signals."""
SIGNAL_EVERY_H = 12
"""Hours between two signals, half of those for which a signal is current."""
CADENCES_H = (4, 4, 6, 8, 8, 12, 12, 24, 24, 36)
MONTHS = 12
FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Implementation:
    """A spec fitted to a symbol, and its strategy if it was ever deployed."""

    seed: int
    spec: Spec
    symbol: str
    impl_id: UUID
    strategy_id: UUID
    """The identifier of its strategy, if it was ever deployed."""
    quality: float
    """Its expected performance, around 0; a part of it is the spec's, on every symbol."""
    status: str
    """Its status; a higher quality makes DEPLOYED likelier."""
    parameters: Json
    """The values of the parameters, by name."""
    cadence_h: int | None
    """The hours between its signals; None if it gives none."""
    created_at: datetime

    @property
    def draw_key(self) -> DrawKey:
        """The key of its random draws."""
        return self.seed, self.spec.name, self.symbol

    @property
    def is_strategy(self) -> bool:
        """True if it was ever deployed."""
        return self.status in {"DEPLOYED", "RETIRED"}


def generate_implementations(seed: int) -> Iterator[Implementation]:
    """Yield all implementations, symbol by symbol."""
    for symbol in PAIRS:
        for spec in read_specs():
            if uniform("implemented", seed, spec.name, symbol) < IMPLEMENTED:
                yield _implementation(seed, spec, symbol)


def find_signalling_strategy(seed: int, symbol: str) -> str:
    """Return the id of a strategy that always has a current signal for *symbol*.

    The best strategy of a month can be without one.
    """
    return next(
        str(each.strategy_id)
        for each in generate_implementations(seed)
        if each.symbol == symbol and each.cadence_h is not None and each.cadence_h <= SIGNAL_EVERY_H
    )


def _implementation(seed: int, spec: Spec, symbol: str) -> Implementation:
    key = (seed, spec.name, symbol)
    quality = 0.5 * normal("quality", seed, spec.name) + 0.8 * normal("quality", *key)
    status = _status(quality, key)
    return Implementation(
        seed=seed,
        spec=spec,
        symbol=symbol,
        impl_id=identifier("implementation", *key),
        strategy_id=identifier("strategy", *key),
        quality=quality,
        status=status,
        parameters={parameter.name: _choice(parameter, key) for parameter in spec.parameters},
        cadence_h=_cadence_h(key) if status == "DEPLOYED" else None,
        created_at=FIRST_DAY + timedelta(seconds=int(uniform("created", *key) * 400 * 86_400)),
    )


def _status(quality: float, key: DrawKey) -> str:
    rating = quality + 0.5 * normal("status", *key)
    if rating < -0.9:
        return "CANDIDATE"
    if uniform("retired", *key) < 0.1:
        return "RETIRED"
    return "VALIDATED" if rating < -0.3 else "DEPLOYED"


def _choice(parameter: Parameter, key: DrawKey) -> int | float:
    least, greatest = parameter.bounds
    drawn = parameter.default * math.exp(0.25 * normal("parameter", *key, parameter.name))
    chosen = min(max(drawn, least), greatest)
    return round(chosen) if isinstance(parameter.default, int) else round(chosen, 4)


def _cadence_h(key: DrawKey) -> int | None:
    if uniform("silent", *key) < SILENT:
        return None
    return CADENCES_H[int(uniform("cadence", *key) * len(CADENCES_H))]


def spec_row(seed: int, spec: Spec) -> Row:
    """Return the row of strategy_specs."""
    parameters = [parameter.declaration() for parameter in spec.parameters]
    shapes = (spec.indicators, spec.entry_conditions, spec.exit_conditions, parameters)
    written = (json.dumps(shape) for shape in shapes)
    return (spec_id(seed, spec), spec.name, spec.description, *written, "CANONICAL", FIRST_DAY)


def implementation_row(implementation: Implementation) -> Row:
    """Return the row of strategy_implementations; a candidate has no figures."""
    figures: tuple[float | None, float | None] = (None, None)
    if implementation.status != "CANDIDATE":
        figures = _figures(implementation, "forward")
    spec, symbol, created_at = implementation.spec, implementation.symbol, implementation.created_at
    chosen = json.dumps(implementation.parameters)
    parent = spec_id(implementation.seed, spec)
    return (implementation.impl_id, parent, symbol, chosen, implementation.status, *figures, created_at)


def strategy_row(implementation: Implementation) -> Row:
    """Return the row of strategies."""
    active, deployed_at = implementation.status == "DEPLOYED", implementation.created_at + timedelta(days=14)
    name, symbol = implementation.spec.name, implementation.symbol
    return (implementation.strategy_id, implementation.impl_id, symbol, name, active, deployed_at)


def performance_rows(implementation: Implementation, now: datetime) -> Iterator[Row]:
    """Yield the rows of strategy_performance: the last twelve whole months, the newest first."""
    month = now.date().replace(day=1)
    for _ in range(MONTHS):
        end = month - timedelta(days=1)
        month = end.replace(day=1)
        yield _performance_row(implementation, month, end)


def spec_id(seed: int, spec: Spec) -> UUID:
    """Return the identifier of a spec."""
    return identifier("spec", seed, spec.name)


def _performance_row(implementation: Implementation, start: date, end: date) -> Row:
    period = start.isoformat()
    sharpe, accuracy = _figures(implementation, period)
    return_noise, gaps = normals(2, "return", *implementation.draw_key, period)
    volatility = PAIRS[implementation.symbol].volatility * math.sqrt(end.day)
    total_return = math.expm1(volatility * (sharpe / math.sqrt(12) + 0.3 * return_noise))
    planned = end.day * 24 / (implementation.cadence_h or 24)
    count = round(planned * max(0.0, 1 - 0.05 * abs(gaps)))
    return (implementation.strategy_id, start, end, count, accuracy, sharpe, round(total_return, 6))


def _figures(implementation: Implementation, period: str) -> tuple[float, float]:
    """Return annual Sharpe ratio and share of right signals: quality plus noise of the period."""
    noise, spread = normals(2, "figures", *implementation.draw_key, period)
    sharpe = 0.6 + 0.8 * implementation.quality + 0.6 * noise
    accuracy = 0.52 + 0.035 * implementation.quality + 0.02 * noise + 0.015 * spread
    return round(sharpe, 4), round(min(max(accuracy, 0.0), 1.0), 4)
