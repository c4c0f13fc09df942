"""Queries of strategy-db-mcp.

Generated from handlers/tradestream/strategy_db.sql; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime as _datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from toolaccord import Page
from toolaccord.sources.postgresql import Statements
from toolaccord.sources.postgresql.queries import Query
from toolaccord.sources.postgresql.queries import first_value as _first_value


class TopSpecsRow(NamedTuple):
    """A row of top_specs."""

    spec_id: UUID
    name: str
    avg_sharpe: float | None
    implementations_count: int
    indicators: Any


class ImplementationsRow(NamedTuple):
    """A row of implementations."""

    impl_id: UUID
    parameters: Any
    symbol: str
    forward_sharpe: float | None
    forward_accuracy: float | None
    status: Literal["CANDIDATE", "VALIDATED", "DEPLOYED", "RETIRED"]


class NearCopyRow(NamedTuple):
    """A row of near_copy."""

    spec_id: UUID
    name: str


class SpecsRow(NamedTuple):
    """A row of specs."""

    name: str
    source: Literal["CANONICAL", "LLM_GENERATED"]


class SpecRow(NamedTuple):
    """A row of spec."""

    spec_id: UUID
    name: str
    description: str
    indicators: Any
    entry_conditions: Any
    exit_conditions: Any
    parameters: Any
    reasoning: str | None
    source: Literal["CANONICAL", "LLM_GENERATED"]
    created_at: _datetime


_TOP_SPECS = Query(
    """
SELECT s.spec_id, s.name, done.avg_sharpe, done.implementations_count,
       -- Read after the sort, of the page alone.
       coalesce((SELECT whole.indicators FROM strategy_specs whole WHERE whole.spec_id = s.spec_id), '[]') AS indicators
FROM strategy_specs s
CROSS JOIN LATERAL (
    SELECT round(avg(i.forward_sharpe)::numeric, 9)::double precision AS avg_sharpe,
           count(*) AS implementations_count
    FROM strategy_implementations i
    WHERE i.spec_id = s.spec_id
) done
WHERE true
  AND s.source = :source?
ORDER BY done.avg_sharpe DESC NULLS LAST, s.name
""",
    TopSpecsRow._make,
    finite=(2,),
)
_IMPLEMENTATIONS = Query(
    """
SELECT i.impl_id, i.parameters, i.symbol, i.forward_sharpe, i.forward_accuracy, i.status
FROM strategy_implementations i
WHERE i.spec_id = :spec_id
  AND i.status = :status?
ORDER BY i.forward_sharpe DESC NULLS LAST, i.impl_id
""",
    ImplementationsRow._make,
    finite=(3, 4),
)
_IS_SPEC: Query[bool] = Query(
    """
SELECT EXISTS (SELECT FROM strategy_specs WHERE spec_id = :spec_id) AS is_spec
""",
    _first_value,
)
_IS_TAKEN: Query[bool] = Query(
    """
SELECT EXISTS (SELECT FROM strategy_specs WHERE name = :name) AS is_taken
""",
    _first_value,
)
_NEAR_COPY = Query(
    """
SELECT spec_id, name FROM strategy_specs
WHERE NOT EXISTS (SELECT FROM strategy_specs WHERE name = :name)
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(indicators) each ORDER BY 1)
      = :indicators::text[]
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(entry_conditions) each ORDER BY 1)
      = :entry_conditions::text[]
  AND ARRAY(SELECT each ->> 'type' COLLATE "C" FROM jsonb_array_elements(exit_conditions) each ORDER BY 1)
      = :exit_conditions::text[]
ORDER BY created_at DESC, name LIMIT 1
""",
    NearCopyRow._make,
)
_SUBMIT: Query[UUID] = Query(
    """
INSERT INTO strategy_specs
    (name, description, indicators, entry_conditions, exit_conditions, parameters, reasoning, source, created_at)
VALUES (:name, :description, :indicators, :entry_conditions, :exit_conditions, :parameters, :reasoning,
        'LLM_GENERATED', :created_at)
ON CONFLICT (name) DO NOTHING
RETURNING spec_id
""",
    _first_value,
)
_SPECS = Query(
    """
SELECT name, source FROM strategy_specs
ORDER BY created_at DESC, name
""",
    SpecsRow._make,
)
_SPEC = Query(
    """
SELECT spec_id, name, description, indicators, entry_conditions, exit_conditions, parameters, reasoning, source, created_at
FROM strategy_specs WHERE name = :name
""",
    SpecRow._make,
    finite=(9,),
)
_NAMES: Query[str] = Query(
    """
SELECT name FROM strategy_specs WHERE starts_with(lower(name), lower(:beginning)) ORDER BY name LIMIT 1000
""",
    _first_value,
)


async def top_specs(postgres: Statements, *, source: str | None = None, limit: int, offset: int) -> Page[TopSpecsRow]:
    """Return the specs by their implementations' mean forward Sharpe ratio, best first.

    Of one source if given.

    The last digits of a mean of floats depend on the order of addition. Rounding keeps the mean and the rank
    stable.
    """
    return await _TOP_SPECS.page(postgres, {"source": source, "limit": limit, "offset": offset})


async def implementations(
    postgres: Statements, *, spec_id: UUID, status: str | None = None, limit: int, offset: int
) -> Page[ImplementationsRow]:
    """Return the implementations of a spec, best forward Sharpe ratio first.

    In one status if given.
    """
    return await _IMPLEMENTATIONS.page(
        postgres, {"spec_id": spec_id, "status": status, "limit": limit, "offset": offset}
    )


async def is_spec(postgres: Statements, *, spec_id: UUID) -> bool:
    """Return whether there is a spec with an id."""
    return await _IS_SPEC.single(postgres, {"spec_id": spec_id})


async def is_taken(postgres: Statements, *, name: str) -> bool:
    """Return whether a spec has a name."""
    return await _IS_TAKEN.single(postgres, {"name": name})


async def near_copy(
    postgres: Statements,
    *,
    name: str,
    indicators: Sequence[str],
    entry_conditions: Sequence[str],
    exit_conditions: Sequence[str],
) -> NearCopyRow | None:
    """Return the newest spec of the same kinds of parts, given sorted.

    A name that is stored already needs no answer: the call repeats another one, or fails.
    """
    return await _NEAR_COPY.one(
        postgres,
        {
            "name": name,
            "indicators": indicators,
            "entry_conditions": entry_conditions,
            "exit_conditions": exit_conditions,
        },
    )


async def submit(
    postgres: Statements,
    *,
    name: str,
    description: str,
    indicators: Any,
    entry_conditions: Any,
    exit_conditions: Any,
    parameters: Any,
    reasoning: str | None,
    created_at: _datetime,
) -> UUID | None:
    """Store a spec of an agent, and return its id; None if the name is taken.

    The second of two simultaneous calls with one name waits here for the first, and then gets no row.
    """
    return await _SUBMIT.one(
        postgres,
        {
            "name": name,
            "description": description,
            "indicators": indicators,
            "entry_conditions": entry_conditions,
            "exit_conditions": exit_conditions,
            "parameters": parameters,
            "reasoning": reasoning,
            "created_at": created_at,
        },
    )


async def specs(postgres: Statements, *, limit: int, offset: int) -> Page[SpecsRow]:
    """Return the names of the specs, the newest first."""
    return await _SPECS.page(postgres, {"limit": limit, "offset": offset})


async def spec(postgres: Statements, *, name: str) -> SpecRow | None:
    """Return a spec by its name."""
    return await _SPEC.one(postgres, {"name": name})


async def names(postgres: Statements, *, beginning: str) -> list[str]:
    """Return the names that begin with a text, in any case."""
    return await _NAMES.many(postgres, {"beginning": beginning})
