"""The strategies of the sample data, and their parameters."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from sandbox.backtester.specs import Json, Parameter, Spec, read_specs
from sandbox.market import PAIRS
from sandbox.seeded_random import identifier, normal, uniform

DrawKey: TypeAlias = tuple[int, str, str]
Row: TypeAlias = tuple[object, ...]
"""The values of one row, in the order of the table's columns."""

IMPLEMENTED = 0.5
"""The share of the pairs of spec and symbol that have an implementation."""
STATUSES = (("DEPLOYED", 0.65), ("RETIRED", 0.07), ("VALIDATED", 0.1))
"""The shares of deployable specs' implementations; all others are candidates."""
SILENT = 0.15
"""The share of the deployed strategies that give no signals."""
SIGNAL_EVERY_H = 12
"""Hours between two signals, half of those for which a signal is current."""
CADENCES_H = (4, 4, 6, 8, 8, 12, 12, 24, 24, 36)
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
    status: str
    """CANDIDATE, VALIDATED, DEPLOYED or RETIRED."""
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
    status = _status(spec, key)
    return Implementation(
        seed=seed,
        spec=spec,
        symbol=symbol,
        impl_id=identifier("implementation", *key),
        strategy_id=identifier("strategy", *key),
        status=status,
        parameters={parameter.name: _choice(parameter, key) for parameter in spec.parameters},
        cadence_h=_cadence_h(key) if status == "DEPLOYED" else None,
        created_at=FIRST_DAY + timedelta(seconds=int(uniform("created", *key) * 400 * 86_400)),
    )


def _status(spec: Spec, key: DrawKey) -> str:
    drawn = uniform("status", *key)
    for status, share in STATUSES if spec.is_deployable else ():
        if drawn < share:
            return status
        drawn -= share
    return "CANDIDATE"


def _choice(parameter: Parameter, key: DrawKey) -> int | float:
    least, greatest = parameter.bounds
    drawn = parameter.usual * math.exp(0.15 * normal("parameter", *key, parameter.name))
    chosen = min(max(drawn, least), greatest)
    return round(chosen) if isinstance(parameter.default, int) else float(f"{chosen:.4g}")


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


def strategy_row(implementation: Implementation) -> Row:
    """Return the row of strategies."""
    active, deployed_at = implementation.status == "DEPLOYED", implementation.created_at + timedelta(days=14)
    name, symbol = implementation.spec.name, implementation.symbol
    return (implementation.strategy_id, implementation.impl_id, symbol, name, active, deployed_at)


def spec_id(seed: int, spec: Spec) -> UUID:
    """Return the identifier of a spec."""
    return identifier("spec", seed, spec.name)
